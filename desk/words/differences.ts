import { isDeepStrictEqual } from 'node:util';
import { entryTitle, isGroup, type Keys, type Part, valueAt, type Words } from '../../publish/words.ts';
import { titleOf } from '../../site/ui/shape.ts';

// What one version of the words has that another hasn't, and how she calls it.

/** A text that isn't as it was, or a list. */
export interface Change {
  path: Keys;
  /** What she calls it. */
  what: string;
  before: unknown;
  after: unknown;
}

export function withValue(words: unknown, [key, ...rest]: Keys, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(words)) return words.map((one, at) => (at === key ? withValue(one, rest, value) : one));
  return { ...Object(words), [key]: withValue(valueAt(words, [key]), rest, value) };
}

/** A choice that only one entry of a list can have is taken from the others. */
export function withoutOthers(words: unknown, path: Keys): unknown {
  const list = path.slice(0, -2);
  const entries = valueAt(words, list);
  if (!Array.isArray(entries)) return words;
  const without = entries.map((entry) => withValue(entry, path.slice(-1), false));
  return withValue(words, list, without);
}

/** Where two versions of all words differ; lists entry by entry, unless entries came, went or changed places. */
export function changesBetween(parts: ReadonlyMap<string, Part>, before: Words, after: Words): Change[] {
  function inside(one: unknown, other: unknown, path: Keys): Change[] {
    if (isDeepStrictEqual(one, other)) return [];
    const areGroups = isGroup(one) && isGroup(other);
    const areLists =
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      !isDeepStrictEqual(sorted(one), sorted(other));
    if (!areGroups && !areLists)
      return [{ path, what: nameOf(parts, after, path), before: one, after: other }];
    const keys = areLists ? [...one.keys()] : [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return keys.flatMap((key) => inside(valueAt(one, [key]), valueAt(other, [key]), [...path, key]));
  }
  return inside(before, after, []);
}

/** Lists that differ only in their order are the same once sorted. */
const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort();

/** “Packages: The Foundation Blueprint: Price” */
function nameOf(parts: ReadonlyMap<string, Part>, words: Words, path: Keys): string {
  const names: string[] = [];
  let schema: unknown = parts.get(String(path[0]))?.shape;
  for (const [at, key] of path.entries()) {
    if (at > 0)
      schema =
        valueAt(schema, ['entries', key]) ?? valueAt(schema, ['items', key]) ?? valueAt(schema, ['item']);
    while (valueAt(schema, ['wrapped'])) schema = valueAt(schema, ['wrapped']);
    const entry = entryTitle(valueAt(words, path.slice(0, at + 1)));
    const title =
      key === 'photo' ? 'Your photo' : schema ? titleOf(String(key), schema as Part['shape']) : String(key);
    names.push(typeof key === 'number' ? (entry ?? String(key + 1)) : title);
  }
  return names.join(': ');
}
