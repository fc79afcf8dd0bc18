import { join } from 'node:path';
import * as v from 'valibot';
import { shortPath } from '../settings/settings.ts';
import {
  CONTENT,
  founderFiles,
  HISTORY_FILE,
  isGroup,
  type Keys,
  layOver,
  lineOf,
  ownFiles,
  type Part,
  readOwn,
  readParts,
  valueAt,
  WORDS_FILE,
  type Words,
  WordsError,
} from './owners-words.ts';

/** A value that the page can't take. */
export interface Fault {
  /** Where, from the name of the part on. */
  path: Keys;
  /** What's wrong, as the end of a sentence: “must be a whole number”. */
  problem: string;
}

/**
 * @param wordsDir the owner's words
 * @param content those that came with the project
 * @throws WordsError that lists every fault for the owner, with its file, line and field
 */
export async function checkWords(wordsDir: string, content: string = CONTENT): Promise<void> {
  const parts = await readParts(content);
  const { own, text } = await readOwn(wordsDir);
  const file = shortPath(join(wordsDir, WORDS_FILE));
  const faults = faultsIn(parts, own).map(({ path, problem }) => {
    const [name = ''] = path;
    const part = parts.get(String(name));
    // A missing field has no line; the group or list that it's missing from has.
    const from = path.map((_, at) => path.slice(0, path.length - at)).find((keys) => lineOf(text, keys));
    const isOwn = !part || isFrom(own, path);
    const place = isOwn
      ? `${file}${from ? `, line ${lineOf(text, from)}` : ''}`
      : shortPath(join(content, part.file));
    return `${place}: ${fieldName(path, { [name]: layOver(part?.ours, own[name]) })} ${problem}`;
  });
  const photos = await founderFiles(wordsDir);
  for (const name of await ownFiles(wordsDir)) {
    if (![WORDS_FILE, HISTORY_FILE, ...photos].includes(name)) faults.push(stranger(name, wordsDir));
  }
  for (const name of await founderFiles(content))
    faults.push(
      `${shortPath(join(content, name))}: your photo belongs in ${shortPath(wordsDir)}. Move it there.`,
    );
  if (faults.length > 0) {
    const lines = faults.map((fault) => `  ${fault}`).join('\n');
    throw new WordsError(`Something’s wrong in the words of the page:\n\n${lines}`);
  }
}

/** Everything that the page can't take, once the owner's words are laid over ours. */
export function faultsIn(parts: ReadonlyMap<string, Part>, own: Words): Fault[] {
  const strangers = Object.keys(own)
    .filter((name) => !parts.has(name))
    .map((name) => ({
      path: [name],
      problem: 'isn’t a part of the page.',
      isStranger: true,
    }));
  const faults = [...parts].flatMap(([name, { ours, shape }]) =>
    (v.safeParse(shape, layOver(ours, own[name])).issues ?? []).map((issue) => ({
      path: [name, ...(issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))],
      problem: problemOf(issue),
    })),
  );
  return [...strangers, ...faults];
}

function stranger(name: string, wordsDir: string): string {
  return `${shortPath(join(wordsDir, name))} isn’t a file of the page, so nothing in it would show. Words are in ${WORDS_FILE}; a photo is called founder.jpg.`;
}

/** Whether the owner's words have this field, or a list or text that it's in. */
function isFrom(own: unknown, keys: Keys): boolean {
  const [key, ...rest] = keys;
  if (own === undefined || key === undefined || !isGroup(own)) return own !== undefined;
  return isFrom(own[key], rest);
}

/** “price” of the 2nd entry of “items” (“The Optimization Blueprint”) of “packages” */
function fieldName(keys: Keys, words: Words): string {
  const parts: string[] = [];
  for (let at = keys.length - 1; at >= 0; at -= 1) {
    const key = keys[at];
    if (typeof key !== 'number') {
      parts.push(`“${key}”`);
      continue;
    }
    const title = entryTitle(valueAt(words, keys.slice(0, at + 1)));
    parts.push(`the ${ordinal(key + 1)} entry of “${keys[at - 1]}”${title ? ` (“${title}”)` : ''}`);
    at -= 1;
  }
  return parts.join(' of ');
}

/** What the owner calls an entry of a list. */
export function entryTitle(value: unknown): string | undefined {
  return ['title', 'question', 'label', 'heading']
    .map((key) => valueAt(value, [key]))
    .find((text) => typeof text === 'string');
}

function ordinal(number: number): string {
  const endings: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
  return `${number}${endings[new Intl.PluralRules('en', { type: 'ordinal' }).select(number)]}`;
}

function problemOf(issue: v.BaseIssue<unknown>): string {
  const { type, expected, received, message, input } = issue;
  if (type === 'strict_object' && expected === 'never')
    return 'is not a field of the page. Is its name misspelled? If an update has removed it, delete it.';
  if (input === undefined) return 'is missing';
  if (type === 'array' || type === 'strict_object' || type === 'strict_tuple') {
    return `must be ${expected === 'Array' ? 'a list' : 'a group of fields'}, but is ${received}`;
  }
  // A whole list or group would be too long to repeat.
  const isLong = typeof input === 'object' && input !== null;
  return isLong || type === 'raw_check' ? message : `${message}, but is ${received}`;
}
