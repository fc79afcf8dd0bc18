import { Buffer, isUtf8 } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import type { GenericSchema } from 'valibot';
import { USUAL_REPLY_HOURS } from '../contract/promise.ts';
import { refusals as english } from '../contract/refusal-sentences.ts';
import { PROJECT_ROOT, shortPath } from '../settings/settings.ts';

// The only place where the owner's words (WORDS_DIR) are laid over those that came with the project (site/content).
// Doesn't need the build tools, since the doctor also asks where only the server is installed.

/** The words that came with the project, each file with its shape. */
export const CONTENT = join(PROJECT_ROOT, 'site/content');

/** What a file exports, by name. */
export type Words = Record<string, unknown>;

/** The name of a file of words, such as `hero.ts`, from its path in the project. */
export function contentFile(path: string): string | undefined {
  const name = relative(CONTENT, path);
  return /^[\w-]+\.ts$/.test(name) ? name : undefined;
}

/**
 * The owner's version of a file, if there is one.
 *
 * @throws NotUtf8
 */
export async function ownSource(wordsDir: string, file: string): Promise<string | undefined> {
  const path = join(wordsDir, file);
  const bytes = await readFile(path).catch(unlessMissing(undefined));
  if (!bytes) return undefined;
  // What an editor saves as “Unicode” has a zero beside each Latin letter.
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString();
  const lines = bytes.toString('latin1').split('\n');
  const line = lines.findIndex((text) => text.includes('\0') || !isUtf8(Buffer.from(text, 'latin1'))) + 1;
  throw new NotUtf8(
    `${shortPath(path)}, line ${line}, has letters that aren’t UTF-8, and would show as “�”. Open the file in your editor, and save it with the encoding UTF-8.`,
  );
}

/** An owner's file has another encoding; the message says which file, and what to do. */
export class NotUtf8 extends Error {}

/**
 * The words in an owner's file. It's only data, and may be a copy of one of ours from any version: imports, types and
 * the shape at its end are skipped, so a later version can change them.
 *
 * @param path how errors name the file
 * @throws an Error with the line in its stack if it can't be read
 */
export function wordsIn(source: string, path: string): Words {
  const script = withoutShape(source)
    .replace(/^\uFEFF/, '')
    .replace(/^import\s[^;]*;/gm, (lines) => lines.replace(/[^\n]/g, ''))
    .replace(/^export const (\w+)\s*(?::[^=]*)?=/gm, 'var $1 =');
  // What a copy of ours takes from its imports.
  const words: Words = Object.create({ USUAL_REPLY_HOURS, english });
  runInNewContext(script, words, { filename: path });
  return words;
}

/** Up to the comment that ends the words in each of our files. */
export function withoutShape(source: string): string {
  return source.replace(/^\/\* For the build[\s\S]*/m, '');
}

/** Ours as they are on disk now. Node caches modules, hence the changing address. */
export function importContent(
  file: string,
  content: string = CONTENT,
): Promise<Words & { shape?: Record<string, GenericSchema> }> {
  return import(`${pathToFileURL(join(content, file)).href}?at=${process.hrtime.bigint()}`);
}

/** A file's words as the page shows them. check-content.ts names the mistakes in them. */
export async function readWords(file: string, wordsDir: string, content: string = CONTENT): Promise<Words> {
  const { shape: _, ...ours } = await importContent(file, content);
  const source = await ownSource(wordsDir, file);
  return source === undefined ? ours : layOver(ours, wordsIn(source, file));
}

/** Field by field in groups. A list or a text is the owner's whole. */
export function layOver<Ours>(ours: Ours, own: unknown): Ours;
export function layOver(ours: unknown, own: unknown): unknown {
  if (own === undefined) return ours;
  if (!isGroup(ours) || !isGroup(own)) return own;
  const names = new Set([...Object.keys(ours), ...Object.keys(own)]);
  return Object.fromEntries([...names].map((name) => [name, layOver(ours[name], own[name])]));
}

export function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All the owner's files, but those that the system, an editor or a restore that was broken off puts beside them. */
export async function ownFiles(wordsDir: string): Promise<string[]> {
  const names = await readdir(wordsDir).catch(unlessMissing<string[]>([]));
  return names.filter((name) => !/^\.|~$|\.unfinished$|^(Thumbs\.db|desktop\.ini)$/i.test(name)).sort();
}

/** The owner's photo: any `founder.…`, in any format. More than one is a mistake. */
export async function founderFiles(folder: string): Promise<string[]> {
  return (await ownFiles(folder)).filter((name) => /^founder\.(?!ts$)[^.]+$/i.test(name));
}

function unlessMissing<Instead>(instead: Instead) {
  return (error: NodeJS.ErrnoException): Instead => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
}
