import { isDeepStrictEqual } from 'node:util';
import { isGroup, type Keys, valueAt } from '../../publish/words.ts';

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

/** Where two versions of words differ; lists entry by entry, unless entries came, went or changed places. */
export function differences(before: unknown, after: unknown, path: Keys = []): Omit<Change, 'what'>[] {
  if (isDeepStrictEqual(before, after)) return [];
  const areGroups = isGroup(before) && isGroup(after);
  const areLists =
    Array.isArray(before) &&
    Array.isArray(after) &&
    before.length === after.length &&
    !isDeepStrictEqual(sorted(before), sorted(after));
  if (!areGroups && !areLists) return [{ path, before, after }];
  const keys = areLists ? [...before.keys()] : [...new Set(Object.keys({ ...before, ...after }))];
  return keys.flatMap((key) => differences(valueAt(before, [key]), valueAt(after, [key]), [...path, key]));
}

/** Lists that differ only in their order are the same once sorted. */
const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort();
