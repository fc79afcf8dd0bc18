import { isDeepStrictEqual } from 'node:util';
import { entryTitle, isGroup, type Keys, type Part, valueAt, type Words } from '../../publish/words.ts';
import { titleOf } from '../../site/ui/shape.ts';

// What one version of the words has that another hasn't, and how she calls it.

/** A text that differs from another version of the words. */
export interface Difference {
  path: Keys;
  what: string;
  now: unknown;
  other: unknown;
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
  return withValue(
    words,
    list,
    entries.map((entry) => withValue(entry, path.slice(-1), false)),
  );
}

/** A second entry that only one can be is none. */
export function copyOf(entry: unknown): unknown {
  if (!isGroup(entry)) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, value === true ? false : value]),
  );
}

/** Everything in the owner's words that isn't a group. */
export function leaves(own: unknown, path: Keys = []): { path: Keys; now: unknown }[] {
  if (!isGroup(own)) return [{ path, now: own }];
  return Object.entries(own).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

/** Where two versions of the words differ; lists of the same length entry by entry. */
export function differences(
  other: unknown,
  now: unknown,
  path: Keys = [],
): { path: Keys; now: unknown; other: unknown }[] {
  if (isDeepStrictEqual(other, now)) return [];
  const isPair = isGroup(other) && isGroup(now);
  const areLists = Array.isArray(other) && Array.isArray(now) && other.length === now.length;
  if (!isPair && !areLists) return [{ path, now, other }];
  const keys = areLists
    ? [...now.keys()]
    : [...new Set([...Object.keys(Object(other)), ...Object.keys(Object(now))])];
  return keys.flatMap((key) => differences(valueAt(other, [key]), valueAt(now, [key]), [...path, key]));
}

/** “Packages: The Foundation Blueprint: Price” */
export function nameOf(parts: ReadonlyMap<string, Part>, words: Words, path: Keys): string {
  const names: string[] = [];
  let schema: unknown = parts.get(String(path[0]))?.shape;
  for (const [at, key] of path.entries()) {
    if (at > 0)
      schema =
        valueAt(schema, ['entries', key]) ?? valueAt(schema, ['items', key]) ?? valueAt(schema, ['item']);
    while (valueAt(schema, ['wrapped'])) schema = valueAt(schema, ['wrapped']);
    const entry = entryTitle(valueAt(words, path.slice(0, at + 1)));
    names.push(
      typeof key === 'number'
        ? (entry ?? String(key + 1))
        : schema
          ? titleOf(key, schema as Part['shape'])
          : key,
    );
  }
  return names.join(': ');
}

export function inWords(value: unknown): string {
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
}
