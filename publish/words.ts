import { access, constants, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { findNodeAtLocation, type ParseError, parse, parseTree } from 'jsonc-parser';
import * as v from 'valibot';
import { replaceFile } from '../server/files.ts';
import { decodeUtf8, PROJECT_ROOT, shortPath } from '../settings/settings.ts';

// The only place where the owner's words (words.json in WORDS_DIR) are laid over those that came with the project
// (site/content), and checked.

const CONTENT = join(PROJECT_ROOT, 'site/content');

/** Holds only what differs from ours: `{"hero": {"headline": "…"}}`. */
export const WORDS_FILE = 'words.json';

/** By the name of their part of the page, such as `hero`. */
export type Words = Record<string, unknown>;

/** The path to a field: a name in each group, an index in each list. */
export type Keys = readonly (string | number)[];

/** One part of the page: the path of its file, its words as they came, and their schema. */
export type Part = { file: string; ours: unknown; shape: v.GenericSchema };

type Content = Words & { shape: Record<string, v.GenericSchema> };

/** The owner can fix it; the message says where and how. */
export class WordsError extends Error {}

export async function readParts(): Promise<Map<string, Part>> {
  const parts = new Map<string, Part>();
  for (const path of (await readdir(CONTENT)).sort()) {
    const file = join(CONTENT, path);
    const { shape: shapes, ...ours } = (await import(pathToFileURL(file).href)) as Content;
    for (const [name, shape] of Object.entries(shapes)) parts.set(name, { file, ours: ours[name], shape });
  }
  return parts;
}

/** The owner's words and their file's text; both are empty if there's none. @throws WordsError with the line that isn't JSON */
export async function readOwn(wordsDir: string): Promise<{ own: Words; text: string }> {
  const path = join(wordsDir, WORDS_FILE);
  const text = await readText(path, 'words');
  if (text === '') return { own: {}, text };
  const faults: ParseError[] = [];
  const own: unknown = parse(text, faults, { disallowComments: true });
  if (faults.length === 0 && isGroup(own)) {
    // Version 0.4 had that text.
    if (isGroup(own.hero)) delete own.hero.again;
    return { own, text };
  }
  const [{ offset } = { offset: 0 }] = faults;
  const found = text.slice(offset, offset + 30).split('\n', 1);
  throw new WordsError(
    `${shortPath(path)}, line ${lineAt(text, offset)}, can’t be read at “${found}”: it must be JSON, one group in braces, with straight quotes around names and texts, and commas between them.`,
  );
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** Several times the size of all our words, of the changes in ten publishings, and of a large photo. */
export const MOST_BYTES = { words: 200_000, draft: 5_000_000, photo: 60_000_000 };

/** @throws WordsError if it isn't a file, which may not end, or too large to be read */
async function checkKind(path: string, what: keyof typeof MOST_BYTES): Promise<void> {
  const found = await stat(path);
  if (!found.isFile())
    throw new WordsError(`${shortPath(path)} isn’t a file. Remove it, or put the file there.`);
  const most = MOST_BYTES[what];
  const kB = (bytes: number) => `${Math.ceil(bytes / 1000).toLocaleString('en')} kB`;
  if (found.size > most)
    throw new WordsError(`${shortPath(path)} has ${kB(found.size)}, and can have ${kB(most)} at most.`);
}

/** @throws WordsError that says why this user can't read it */
const cannotRead = (path: string) => (error: NodeJS.ErrnoException) => {
  if (error instanceof WordsError) throw error;
  throw new WordsError(
    `${shortPath(path)} can’t be read (${error.code}). The user who runs this site has to be able to read it.`,
  );
};

/** Empty if there's no such file. @throws WordsError if it can't be read, or isn't UTF-8 */
export async function readText(path: string, what: keyof typeof MOST_BYTES): Promise<string> {
  const content = await checkKind(path, what)
    .then(() => readFile(path))
    .catch(unlessMissing(Buffer.alloc(0)))
    .catch(cannotRead(path));
  const text = decodeUtf8(content);
  if (text !== undefined) return text;
  throw new WordsError(
    `${shortPath(path)} has letters that aren’t UTF-8, and would show as “�”. Open it in your editor, and save it as UTF-8.`,
  );
}

export async function writeOwn(wordsDir: string, own: Words): Promise<void> {
  await replaceFile(join(wordsDir, WORDS_FILE), textOf(own));
}

const textOf = (own: Words) => `${JSON.stringify(own, null, 2)}\n`;

export const hasRoomFor = (own: Words) => Buffer.byteLength(textOf(own)) <= MOST_BYTES.words;

/** Field by field in groups. A list or a text is replaced whole. */
export function layOver<Ours>(ours: Ours, own: unknown): Ours;
export function layOver(ours: unknown, own: unknown): unknown {
  if (own === undefined) return ours;
  if (!isGroup(ours) || !isGroup(own)) return own;
  const names = new Set([...Object.keys(ours), ...Object.keys(own)]);
  return Object.fromEntries([...names].map((name) => [name, layOver(ours[name], own[name])]));
}

/** What's left of the owner's words without those that equal ours: the opposite of `layOver`. */
export function onlyOwn(ours: unknown, own: unknown): unknown {
  if (isDeepStrictEqual(ours, own)) return undefined;
  if (!isGroup(ours) || !isGroup(own)) return own;
  const differing = Object.entries(own).flatMap(([name, inner]) => {
    const left = onlyOwn(ours[name], inner);
    return left === undefined ? [] : [[name, left]];
  });
  return differing.length > 0 ? Object.fromEntries(differing) : undefined;
}

export function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(words: unknown, keys: Keys): unknown {
  return keys.reduce(
    (value: unknown, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    words,
  );
}

/** Undefined if there's none. @throws WordsError that tells the owner what's wrong */
export async function photoFile(wordsDir: string): Promise<string | undefined> {
  const names = await founderFiles(wordsDir);
  const [name] = names;
  if (!name) return undefined;
  if (names.length > 1)
    throw new WordsError(
      `There are several photos in ${shortPath(wordsDir)}: ${names.join(' and ')}. Keep the one to show, and remove the other.`,
    );
  const path = join(wordsDir, name);
  await checkKind(path, 'photo')
    .then(() => access(path, constants.R_OK))
    .catch(cannotRead(path));
  return path;
}

/** All the owner's files, but those that the system, an editor or an interrupted restore puts beside them. */
export async function ownFiles(wordsDir: string): Promise<string[]> {
  const entries = await readdir(wordsDir, { withFileTypes: true }).catch(unlessMissing([]));
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  return names.filter((name) => !/^\.|~$|\.unfinished$|^(Thumbs\.db|desktop\.ini)$/i.test(name)).sort();
}

/** The owner's photo: any `founder.…`, in any format. More than one is a mistake. */
export async function founderFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(unlessMissing([])).catch(cannotRead(folder));
  return names.filter((name) => /^founder\.(?!ts$|json$)[^.~]+$/i.test(name)).sort();
}

function unlessMissing<Instead>(instead: Instead) {
  return (error: NodeJS.ErrnoException): Instead => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
}

/** Where the page can't take a value, from the part's name on, and the end of a sentence: “must be a whole number”. */
type Fault = { path: Keys; problem: string };

/** More would only be read once the first ones are fixed, and a file may have tens of thousands. */
const MOST_FAULTS = 20;

/** The owner's words laid over ours. @throws WordsError that lists the faults, each with its file, line and field */
export async function checkedWords(wordsDir: string): Promise<Words> {
  const parts = await readParts();
  const { own, text } = await readOwn(wordsDir);
  const found = faultsIn(parts, own);
  if (found.length === 0) return laidOver(parts, own);
  const tree = parseTree(text);
  const faults = found.slice(0, MOST_FAULTS).map(({ path, problem }) => {
    // A missing field has no line; the group or list that it's missing from has.
    const node = path
      .map((_, at) => tree && findNodeAtLocation(tree, path.slice(0, path.length - at)))
      .find((one) => one !== undefined);
    const line = lineAt(text, node?.offset ?? 0);
    const name = path.map((key) => (typeof key === 'number' ? key + 1 : key)).join(' → ');
    return `${shortPath(join(wordsDir, WORDS_FILE))}, line ${line}: ${name} ${problem}`;
  });
  throw new WordsError(`Something’s wrong in the page’s words:\n\n  ${faults.join('\n  ')}`);
}

/** All words of the page, by part. */
export const laidOver = (parts: ReadonlyMap<string, Part>, own: Words): Words =>
  Object.fromEntries([...parts].map(([name, { ours }]) => [name, layOver(ours, own[name])]));

/** Everything that the page can't take, once the owner's words are laid over ours. */
export function faultsIn(parts: ReadonlyMap<string, Part>, own: Words): Fault[] {
  const strangers = Object.keys(own)
    .filter((name) => !parts.has(name))
    .map((name) => ({ path: [name], problem: 'isn’t a part of the page.' }));
  const faults = [...parts].flatMap(([name, { ours, shape }]) =>
    (v.safeParse(shape, layOver(ours, own[name])).issues ?? []).map((issue) => ({
      path: [name, ...(issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))],
      problem: problemOf(issue),
    })),
  );
  return [...strangers, ...faults];
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
