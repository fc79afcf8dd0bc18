import { isDeepStrictEqual } from 'node:util';
import { type Keys, valueAt, type Words } from '../../publish/words.ts';
import { entryTitle } from './entry-title.ts';
import type { Field } from './outline.ts';

/** A text that isn't as it was, or a list. */
export interface Change {
  key: string;
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

/** Where fields differ from other words; lists entry by entry, unless entries came, went or changed places. */
export function changesSince(words: Words, fields: readonly Field[]): Change[] {
  const changes: Change[] = [];
  for (const { key, path, kind, label, value } of fields) {
    const before = valueAt(words, path);
    const isSaid = changes.some((one) => key.startsWith(`${one.key}.`));
    if (kind === 'group' || isSaid || isDeepStrictEqual(before, value)) continue;
    if (kind !== 'list' || isRearranged(before, value))
      changes.push({ key, what: label, before, after: value });
  }
  return changes;
}

function isRearranged(before: unknown, after: unknown): boolean {
  const names = (list: unknown) =>
    Array.isArray(list) ? list.map((entry) => entryTitle(entry) ?? entry) : [];
  const [were, are] = [names(before), names(after)];
  return (
    were.length !== are.length || are.some((name, at) => were.includes(name) && were.indexOf(name) !== at)
  );
}
