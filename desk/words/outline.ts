import * as v from 'valibot';
import {
  entryTitle,
  isGroup,
  type Keys,
  layOver,
  type Part,
  valueAt,
  type Words,
} from '../../publish/words.ts';
import { titleOf, traitsOf } from '../../site/ui/shape.ts';

// What the editor knows of the page's words beside the words. All of it comes from the schemas in site/content, so that
// a new field appears by itself.

interface Common {
  path: Keys;
  title: string;
  help: string;
  /** What came with the project; absent if nothing did. */
  ours?: unknown;
}

/** A field, or a group or list of them, for the editor. */
export type Outline = Common &
  (
    | { kind: 'group'; fields: Outline[] }
    | { kind: 'list'; entries: Outline[]; least: number; most: number }
    | { kind: 'text'; places: readonly string[]; rule: string }
    | { kind: 'number'; unit?: string }
    | { kind: 'choice'; options: readonly string[] }
    | { kind: 'flag'; onlyOne: boolean }
  );

interface Context {
  name: string;
  /** What the owner calls it, if it's an entry of a list. */
  entry?: string;
  path: Keys;
  ours: unknown;
}

/** The fields of the page's words as they are now, part by part, without what an owner never changes. */
export function outlineOf(parts: ReadonlyMap<string, Part>, own: Words): Outline[] {
  return [...parts].flatMap(([name, { ours, shape }]) =>
    outline(shape, layOver(ours, own[name]), { name, path: [name], ours }),
  );
}

/** An array of one, or empty for what isn't hers to change. */
function outline(schema: v.GenericSchema, value: unknown, { name, entry, path, ours }: Context): Outline[] {
  const { fixed, places = [], unit, onlyOne = false } = traitsOf(schema);
  if (fixed || value === undefined) return [];
  const title = entry ?? titleOf(name, schema);
  const common = { path, title, help: v.getDescription(schema) ?? '' };
  const within = (inner: v.GenericSchema, key: string | number, called: Pick<Context, 'name' | 'entry'>) =>
    outline(inner, valueAt(value, [key]), {
      ...called,
      path: [...path, key],
      ours: oursOf(value, ours, key),
    });

  const { type, entries, item, items, options, wrapped } = schema as Partial<Parsed> & v.GenericSchema;
  if (wrapped) return outline(wrapped, value, { name, path, ours });
  if (entries && isGroup(value)) {
    const fields = Object.entries(entries).flatMap(([key, one]) => within(one, key, { name: key }));
    return [{ ...common, kind: 'group', fields }];
  }
  if (items && Array.isArray(value)) {
    const fields = items.flatMap((one, at) => within(one, at, { name: at === 0 ? 'label' : 'value' }));
    return [{ ...common, kind: 'group', fields }];
  }
  const known = { ...common, ...(ours !== undefined && { ours }) };
  if (item && Array.isArray(value)) {
    const all = value.flatMap((one, at) =>
      within(item, at, { name, entry: entryTitle(one) ?? `${title}, ${at + 1}` }),
    );
    const least = Number(requirement(schema, 'min_length')?.requirement ?? 0);
    const most = Number(requirement(schema, 'max_length')?.requirement ?? 0);
    return [{ ...known, kind: 'list', entries: all, least, most }];
  }
  if (type === 'number') return [{ ...known, kind: 'number', ...(unit && { unit }) }];
  if (type === 'boolean') return [{ ...known, kind: 'flag', onlyOne }];
  if (options) return [{ ...known, kind: 'choice', options }];
  const { message } = requirement(schema, 'regex') ?? {};
  return [{ ...known, kind: 'text', places, rule: typeof message === 'string' ? message : '' }];
}

/** An entry of a list may have moved: it's known by its name, or by its place while the list is as long as ours. */
function oursOf(value: unknown, ours: unknown, key: string | number): unknown {
  if (!Array.isArray(value) || !Array.isArray(ours)) return valueAt(ours, [key]);
  const name = (entry: unknown) => entryTitle(entry) ?? entry;
  const same = ours.find((entry) => name(entry) === name(value[Number(key)]));
  return same ?? (value.length === ours.length ? ours[Number(key)] : undefined);
}

/** What valibot's schemas of these types have. */
interface Parsed {
  entries: Record<string, v.GenericSchema>;
  item: v.GenericSchema;
  items: v.GenericSchema[];
  options: string[];
  wrapped: v.GenericSchema;
}

type Step = { type: string; requirement?: unknown; message?: unknown };

/** A step of the schema's pipe, or of a pipe in it. */
function requirement(of: object, type: string): Step | undefined {
  const { pipe = [] } = of as { pipe?: Step[] };
  for (const step of pipe) {
    const found = step.type === type ? step : step === of ? undefined : requirement(step, type);
    if (found) return found;
  }
  return undefined;
}

/**
 * The words with a mark before and after each text that the page shows as it is. Codes and lettering refuse one, so
 * they have none.
 *
 * @param mark gives a text its marks
 */
export function withMarks(
  schema: v.GenericSchema,
  value: unknown,
  path: Keys,
  mark: (text: string, path: Keys) => string,
): unknown {
  const { entries, item, items, wrapped } = schema as Partial<Parsed> & v.GenericSchema;
  if (wrapped) return withMarks(wrapped, value, path, mark);
  if (typeof value === 'string')
    return value !== '' && v.safeParse(schema, `\ue001${value.slice(1)}`).success ? mark(value, path) : value;
  const inner = (of: v.GenericSchema | undefined, one: unknown, key: string | number) =>
    of ? withMarks(of, one, [...path, key], mark) : one;
  if (Array.isArray(value)) return value.map((one, at) => inner(item ?? items?.[at], one, at));
  if (!isGroup(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, inner(entries?.[key], one, key)]),
  );
}
