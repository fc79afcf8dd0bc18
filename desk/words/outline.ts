import { createHash } from 'node:crypto';
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

// What the editor knows of the page's words. All of it comes from the schemas in site/content, so that a new field
// appears by itself.

interface Common {
  path: Keys;
  title: string;
  help?: string;
  /** Differs from what came with the project. */
  isOwn: boolean;
}

/** A field, or a group or list of them, for the editor. */
export type Outline = Common &
  (
    | { kind: 'group'; fields: Outline[] }
    | { kind: 'list'; entries: Outline[]; least: number; most: number; seen: string }
    | { kind: 'text'; value: string; places: readonly string[]; ours?: string }
    | { kind: 'number'; value: number; unit?: string; ours?: number }
    | { kind: 'choice'; value: string; options: readonly string[]; ours?: string }
    | { kind: 'flag'; value: boolean; onlyOne: boolean; ours?: boolean }
  );

interface Context {
  name: string;
  /** What the owner calls it, if it's an entry of a list. */
  entry?: string;
  path: Keys;
  ours: unknown;
}

/** The words of the page as they are now, part by part, without what an owner never changes. */
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
  const help = v.getDescription(schema);
  const common = {
    path,
    title,
    ...(help && { help }),
    isOwn: JSON.stringify(value) !== JSON.stringify(ours),
  };
  const within = (inner: v.GenericSchema, key: string | number, called: Pick<Context, 'name' | 'entry'>) =>
    outline(inner, valueAt(value, [key]), {
      ...called,
      path: [...path, key],
      ours: oursOf(value, ours, key),
    });

  const { type, entries, item, items, options, wrapped } = schema as Partial<Parsed> & v.GenericSchema;
  if (wrapped) return outline(wrapped, value, { name, path, ours });
  if (entries && isGroup(value))
    return [
      {
        ...common,
        kind: 'group',
        fields: Object.entries(entries).flatMap(([key, one]) => within(one, key, { name: key })),
      },
    ];
  if (items && Array.isArray(value))
    return [
      {
        ...common,
        kind: 'group',
        fields: items.flatMap((one, at) => within(one, at, { name: at === 0 ? 'label' : 'value' })),
      },
    ];
  if (item && Array.isArray(value)) {
    const all = value.flatMap((one, at) =>
      within(item, at, { name, entry: entryTitle(one) ?? `${title}, ${at + 1}` }),
    );
    return [{ ...common, kind: 'list', entries: all, seen: seenOf(value), ...boundsOf(schema) }];
  }
  const shipped = ours === undefined ? {} : { ours };
  if (type === 'number') return [{ ...common, ...shipped, kind: 'number', value, unit } as Outline];
  if (type === 'boolean') return [{ ...common, ...shipped, kind: 'flag', value, onlyOne } as Outline];
  if (options) return [{ ...common, ...shipped, kind: 'choice', value: String(value), options } as Outline];
  return [{ ...common, ...shipped, kind: 'text', value, places } as Outline];
}

/** Tells whether a list is still as she saw it. */
export function seenOf(list: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 12);
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

function boundsOf(schema: v.GenericSchema): { least: number; most: number } {
  return { least: limit(schema, 'min_length') ?? 0, most: limit(schema, 'max_length') ?? 0 };
}

/** What a step of the schema's pipe, or of a pipe in it, asks for. */
function limit(of: object, type: string): number | undefined {
  const { pipe = [] } = of as { pipe?: { type: string; requirement?: number }[] };
  for (const step of pipe) {
    const found = step.type === type ? step.requirement : step === of ? undefined : limit(step, type);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Each text on the page that can be recognized by a mark before it: codes and lettering refuse one. */
export function markable(schema: v.GenericSchema, value: unknown, mark: string): boolean {
  return typeof value === 'string' && value !== '' && v.safeParse(schema, mark + value.slice(1)).success;
}

/** Calls `each` for every text below a value, with its schema and path. Returns the value with what `each` gives back. */
export function mapTexts(
  schema: v.GenericSchema,
  value: unknown,
  path: Keys,
  each: (schema: v.GenericSchema, text: string, path: Keys) => string,
): unknown {
  const { entries, item, items, wrapped } = schema as Partial<Parsed> & v.GenericSchema;
  if (wrapped) return mapTexts(wrapped, value, path, each);
  if (typeof value === 'string') return each(schema, value, path);
  if (Array.isArray(value))
    return value.map((one, at) => {
      const inner = item ?? items?.[at];
      return inner ? mapTexts(inner, one, [...path, at], each) : one;
    });
  if (!isGroup(value) || !entries) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const inner = entries[key];
      return [key, inner ? mapTexts(inner, one, [...path, key], each) : one];
    }),
  );
}
