import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { type Keys, type Part, valueAt, type Words } from '../../publish/words.ts';
import { titleOf, traitsOf } from '../../site/ui/shape.ts';
import { entryTitle, nameOf } from './values.ts';

// What the editor knows about the page's words, and their changes. All of it comes from the schemas in
// site/content, so that a new field appears by itself.

interface Common {
  /** Its path, such as `packages.items.0.price`. */
  key: string;
  title: string;
  /** Its title after those of all that it's in: “Questions: What does it cost?: Answer”. */
  label: string;
  help: string;
  value: unknown;
  /** What came with the project; undefined if nothing did, or it's the same. */
  ours: unknown;
}

/** A field, or a group or list of those whose keys begin with its own. */
export type Field = Common &
  (
    | { kind: 'group' | 'flag' | 'photo' | 'number' }
    | { kind: 'list'; least: number; most: number }
    | { kind: 'text'; isShown: boolean }
  );

/** The fields of all words, in their order, without what an owner never changes. */
export const fieldsOf = (parts: ReadonlyMap<string, Part>, words: Words): Field[] =>
  [...parts].flatMap(([name, { ours, shape }]) => {
    const title = titleOf(name, shape);
    return fieldsIn(shape, words[name], { title, label: title, key: name, ours });
  });

type About = Pick<Common, 'title' | 'label' | 'key' | 'ours'>;

function fieldsIn(schema: v.GenericSchema, value: unknown, about: About): Field[] {
  const { fixed, unit, rule, least = 0, most = 0 } = traitsOf(schema);
  if (fixed || value === undefined) return [];
  const { type, entries, item, items, wrapped } = schema as Partial<Parsed> & v.GenericSchema;
  if (wrapped) return fieldsIn(wrapped, value, about);
  const { title, label, ours } = about;
  const counted = unit && `In ${unit === 'currency' ? 'your currency, without cents' : unit}.`;
  const help = [rule && `It ${rule}.`, counted, v.getDescription(schema)].filter(Boolean).join(' ');
  const differing = isDeepStrictEqual(ours, value) ? undefined : ours;
  const known = { ...about, help, value, ours: differing };
  const inside = (of: v.GenericSchema, key: string, called: string) => {
    const within = { title: called, label: `${label}: ${called}`, key: `${about.key}.${key}` };
    return fieldsIn(of, valueAt(value, [key]), { ...within, ours: oursOf(value, ours, key) });
  };

  // A pair of texts has its entries in `items`.
  const inGroup = Object.entries<v.GenericSchema>(entries ?? items ?? {});
  if (inGroup.length > 0)
    return [
      { ...known, kind: 'group' },
      ...inGroup.flatMap(([key, of]) => inside(of, key, titleOf(key, of))),
    ];
  if (item && Array.isArray(value))
    return [
      { ...known, kind: 'list', least, most },
      ...value.flatMap((one, at) => inside(item, String(at), entryTitle(one) ?? `${title}, ${at + 1}`)),
    ];
  if (type === 'number') return [{ ...known, kind: 'number' }];
  if (type === 'boolean') return [{ ...known, kind: 'flag' }];
  // Codes and lettering refuse a foreign character, and the page doesn't show them as text. None begins with a {place}.
  const isShown = value !== '' && v.safeParse(schema, String(value).replace(/^[^{]/, '\ue001')).success;
  return [{ ...known, kind: 'text', isShown }];
}

/** A list's entry may have moved: it's recognized by its name, or by its place if the list is as long as ours. */
function oursOf(value: unknown, ours: unknown, key: string): unknown {
  if (!Array.isArray(value) || !Array.isArray(ours)) return valueAt(ours, [key]);
  const same = ours.find((entry) => nameOf(entry) === nameOf(value[Number(key)]));
  return same ?? (value.length === ours.length ? ours[Number(key)] : undefined);
}

/** What valibot's schemas of these types contain. */
interface Parsed {
  entries: Record<string, v.GenericSchema>;
  item: v.GenericSchema;
  items: v.GenericSchema[];
  wrapped: v.GenericSchema;
}

export interface Change {
  key: string;
  what: string;
  before: unknown;
  after: unknown;
}

export function withValue(words: unknown, [key, ...rest]: Keys, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(words))
    return words.map((one, at) => (at === Number(key) ? withValue(one, rest, value) : one));
  return { ...Object(words), [key]: withValue(valueAt(words, [key]), rest, value) };
}

/** Where fields differ from other words; lists entry by entry, unless entries came, went or changed places. */
export function changesSince(words: Words, fields: readonly Field[]): Change[] {
  const changes: Change[] = [];
  for (const { key, kind, label, value } of fields) {
    const before = valueAt(words, key.split('.'));
    const isSaid = changes.some((one) => key.startsWith(`${one.key}.`));
    if (kind === 'group' || isSaid || isDeepStrictEqual(before, value)) continue;
    if (kind !== 'list' || isRearranged(before, value))
      changes.push({ key, what: label, before, after: value });
  }
  return changes;
}

function isRearranged(before: unknown, after: unknown): boolean {
  const names = (list: unknown) => (Array.isArray(list) ? list.map(nameOf) : []);
  const [were, are] = [names(before), names(after)];
  return were.length !== are.length || are.some((name, at) => name !== were[at] && were.includes(name));
}
