import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import * as v from 'valibot';
import { replaceFile } from '../settings/replace-file.ts';
import { PROJECT_ROOT, shortPath } from '../settings/settings.ts';

// The only place where the owner's words (words.json in WORDS_DIR) are laid over those that came with the project
// (site/content), and checked.

/** The words that came with the project, each file with its shape. */
export const CONTENT = join(PROJECT_ROOT, 'site/content');

/** Holds only what differs from ours: `{"hero": {"headline": "…"}}`. */
export const WORDS_FILE = 'words.json';

/** Beside it: what she has typed since she published. */
export const DRAFT_FILE = 'draft.json';

/** Beside it: what each publishing changed. */
export const HISTORY_FILE = 'history.json';

/** Words by the name of their part of the page, such as `hero`. */
export type Words = Record<string, unknown>;

/** The path to a field: a name in each group, an index in each list. */
export type Keys = readonly (string | number)[];

/** One part of the page: its words as they came, and their schema. */
export interface Part {
  /** Such as `hero.ts`. */
  file: string;
  ours: unknown;
  shape: v.GenericSchema;
}

/** The owner can mend it; the message says where and how. */
export class WordsError extends Error {}

/** The name of a file of words, such as `hero.ts`, from its path in the project. */
export function contentFile(path: string): string | undefined {
  const name = relative(CONTENT, path);
  return /^[\w-]+\.ts$/.test(name) ? name : undefined;
}

/** All parts as they are on disk now, by name. */
export async function readParts(content: string = CONTENT): Promise<Map<string, Part>> {
  const files = (await readdir(content)).filter((name) => /(?<!\.test)\.ts$/.test(name)).sort();
  const parts = await Promise.all(files.map((file) => partsOf(file, content)));
  return new Map(parts.flat());
}

async function partsOf(file: string, content: string): Promise<[name: string, part: Part][]> {
  const path = join(content, file);
  // Node caches modules, hence an address that changes with the file.
  const module = await import(`${pathToFileURL(path).href}?at=${statSync(path, { bigint: true }).mtimeNs}`);
  const { shape, ...ours } = module as Words & { shape?: Record<string, v.GenericSchema> };
  if (!shape) throw new Error(`${shortPath(path)} has no “shape” at its end.`);
  return Object.entries(shape).map(([name, of]) => [name, { file, ours: ours[name], shape: of }]);
}

/** The owner's words, and the text of their file; both are empty if there is none. */
export interface Own {
  own: Words;
  text: string;
}

/** @throws WordsError if the file can't be read as JSON in UTF-8; names the line */
export async function readOwn(wordsDir: string): Promise<Own> {
  const path = join(wordsDir, WORDS_FILE);
  const text = await readText(path).catch(unlessMissing(''));
  if (text === '') return { own: {}, text };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const at = (offset: number) => `${shortPath(path)}, line ${text.slice(0, offset).split('\n').length},`;
  const [error] = errors;
  if (error) {
    const { offset, length } = error;
    const found = text.slice(offset, offset + Math.min(length, 30));
    const problem = MISTAKES[printParseErrorCode(error.error)] ?? 'that isn’t JSON';
    throw new WordsError(
      `${at(offset)} can’t be read${found ? ` where it says “${found}”` : ' at its end'}: ${problem}.`,
    );
  }
  if (tree?.type !== 'object') throw new WordsError(`${shortPath(path)} must be one group in braces: { … }.`);
  const again = secondOfName(tree);
  if (again)
    throw new WordsError(
      `${at(again.offset)} has “${again.value}” for the second time, and the page can only show one. Put the two together.`,
    );
  return { own: JSON.parse(text) as Words, text };
}

/** What an owner did who wrote no JSON, by the names of jsonc-parser. */
const MISTAKES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'names and words need straight quotes around them, as in "name": "text"',
  UnexpectedEndOfString: 'a text must end on the line where it begins, with a straight quote',
  InvalidEscapeCharacter: 'write \\\\ for each \\ of a text',
  InvalidCharacter: 'a text can’t hold a tab',
  CommaExpected: 'there must be a comma before it',
  PropertyNameExpected: 'the comma before it is one too many, or a name is missing',
  ValueExpected: 'the comma before it is one too many, or a text is missing',
  ColonExpected: 'there must be a colon before it',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'nothing can follow the last }',
  InvalidCommentToken: 'comments can’t stand here',
};

/** A name that its group already has: JSON takes the last one and says nothing. */
function secondOfName({ type, children = [] }: Node): Node | undefined {
  const names = type === 'object' ? children.flatMap((property) => property.children?.[0] ?? []) : [];
  const seen = new Set<unknown>();
  const again = names.find(({ value }) => seen.size === seen.add(value).size);
  return again ?? children.map(secondOfName).find((found) => found !== undefined);
}

/** Several times the size of all our words, and of a large photo. */
const MOST_BYTES = { words: 200_000, photo: 60_000_000 };

/** @throws WordsError if it isn't a file, which may not end, or too large to be read */
async function checkKind(path: string, what: keyof typeof MOST_BYTES): Promise<void> {
  const found = await stat(path);
  if (!found.isFile())
    throw new WordsError(`${shortPath(path)} isn’t a file. Take it away, or put the file there.`);
  const most = MOST_BYTES[what];
  if (found.size > most)
    throw new WordsError(
      `${shortPath(path)} has ${(found.size / 1e6).toFixed(1)} MB, and can have ${most / 1e6} MB at most.`,
    );
}

/** @throws WordsError if the file isn't UTF-8; names the line */
export async function readText(path: string): Promise<string> {
  await checkKind(path, 'words');
  const bytes = await readFile(path);
  // What an editor saves as “Unicode” has a zero beside each Latin letter.
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString().replace(/^\uFEFF/, '');
  const lines = bytes.toString('latin1').split('\n');
  const line = lines.findIndex((one) => one.includes('\0') || !isUtf8(Buffer.from(one, 'latin1'))) + 1;
  throw new WordsError(
    `${shortPath(path)}, line ${line}, has letters that aren’t UTF-8, and would show as “�”. Open the file in your editor, and save it with the encoding UTF-8.`,
  );
}

/** In one step, so that a crash leaves the old words or the new. */
export async function writeOwn(wordsDir: string, own: Words): Promise<void> {
  await replaceFile(join(wordsDir, WORDS_FILE), `${JSON.stringify(own, null, 2)}\n`);
}

/** The line of a field in the text of words.json, from 1; undefined if it isn't there. */
export function lineOf(text: string, keys: Keys, tree = parseTree(text)): number | undefined {
  const node = tree && findNodeAtLocation(tree, [...keys]);
  return node && text.slice(0, node.offset).split('\n').length;
}

/** Field by field in groups. A list or a text is the owner's whole. */
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

/** What's at the path, in words or in the owner's words. */
export function valueAt(words: unknown, keys: Keys): unknown {
  return keys.reduce(
    (value: unknown, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    words,
  );
}

/**
 * The owner's photo; undefined if there's none.
 *
 * @throws WordsError that tells the owner what's wrong
 */
export async function photoFile(wordsDir: string): Promise<string | undefined> {
  const names = await founderFiles(wordsDir);
  const [name] = names;
  if (!name) return undefined;
  if (names.length > 1)
    throw new WordsError(
      `There are several photos in ${shortPath(wordsDir)}: ${names.join(' and ')}. Keep the one to show, and remove the other.`,
    );
  await checkKind(join(wordsDir, name), 'photo');
  return join(wordsDir, name);
}

/** All the owner's files, but those that the system, an editor or a restore that was broken off puts beside them. */
export async function ownFiles(wordsDir: string): Promise<string[]> {
  const entries = await readdir(wordsDir, { withFileTypes: true }).catch(unlessMissing([]));
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  return names.filter((name) => !/^\.|~$|\.unfinished$|^(Thumbs\.db|desktop\.ini)$/i.test(name)).sort();
}

/** The owner's photo: any `founder.…`, in any format. More than one is a mistake. */
export async function founderFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(unlessMissing([]));
  return names.filter((name) => /^founder\.(?!ts$|json$)[^.~]+$/i.test(name)).sort();
}

function unlessMissing<Instead>(instead: Instead) {
  return (error: NodeJS.ErrnoException): Instead => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
}

/** A value that the page can't take. */
export interface Fault {
  /** Where, from the name of the part on. */
  path: Keys;
  /** What's wrong, as the end of a sentence: “must be a whole number”. */
  problem: string;
}

/** More would only be read once the first ones are mended. */
const MOST_FAULTS = 20;

/**
 * The owner's words, and all of the page with them laid over those that came with the project.
 *
 * @param content those that came with the project
 * @throws WordsError that lists what's wrong for the owner, each fault with its file, line and field
 */
export async function checkedWords(
  wordsDir: string,
  content: string = CONTENT,
): Promise<{ own: Words; words: Words }> {
  const parts = await readParts(content);
  const { own, text } = await readOwn(wordsDir);
  const file = shortPath(join(wordsDir, WORDS_FILE));
  const tree = parseTree(text);
  const found = faultsIn(parts, own);
  const faults = found.slice(0, MOST_FAULTS).map(({ path, problem }) => {
    const [name = ''] = path;
    const part = parts.get(String(name));
    // A missing field has no line; the group or list that it's missing from has.
    const from = path
      .map((_, at) => path.slice(0, path.length - at))
      .find((keys) => lineOf(text, keys, tree));
    const isOwn = !part || isFrom(own, path);
    const location = isOwn
      ? `${file}${from ? `, line ${lineOf(text, from, tree)}` : ''}`
      : shortPath(join(content, part.file));
    return `${location}: ${fieldName(path, { [name]: layOver(part?.ours, own[name]) })} ${problem}`;
  });
  if (found.length > MOST_FAULTS) faults.push(`… and ${found.length - MOST_FAULTS} more`);
  const photos = await founderFiles(wordsDir);
  for (const name of await ownFiles(wordsDir)) {
    if (![WORDS_FILE, DRAFT_FILE, HISTORY_FILE, ...photos].includes(name))
      faults.push(stranger(name, wordsDir));
  }
  for (const name of await founderFiles(content))
    faults.push(
      `${shortPath(join(content, name))}: your photo belongs in ${shortPath(wordsDir)}. Move it there.`,
    );
  if (faults.length > 0) {
    const lines = faults.map((fault) => `  ${fault}`).join('\n');
    throw new WordsError(`Something’s wrong in the words of the page:\n\n${lines}`);
  }
  return { own, words: laidOver(parts, own) };
}

/** All words of the page, by part. */
export const laidOver = (parts: ReadonlyMap<string, Part>, own: Words): Words =>
  Object.fromEntries([...parts].map(([name, { ours }]) => [name, layOver(ours, own[name])]));

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
