import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { type Keys, lineFinder } from './content-lines.ts';
import { CONTENT } from './founder-file.ts';
import { siteSources } from './site-sources.ts';
import { ROOT } from './vite.ts';

/** @throws an Error that names every fault by file, line and field, in words for the page's owner */
export async function checkContent(folder: string = join(ROOT, CONTENT)): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
  const usedBy = await importsOfContent();
  const faults = [...usedBy.keys()]
    .filter((file) => !files.includes(file))
    .map(
      (file) =>
        `${CONTENT}/${file} is missing, and ${usedBy.get(file)} needs it; bring it back from where you have the project from.`,
    );
  for (const file of files) {
    const path = `${CONTENT}/${file}`;
    if (usedBy.has(file)) faults.push(...(await faultsIn(folder, file, path)));
    else faults.push(`${path} is not used by any part of the page; remove it.`);
  }
  if (faults.length > 0) {
    throw new Error(
      `The words of the page need a correction:\n\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
}

/** The files of words that the page is made of, each with one that imports it. */
async function importsOfContent(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { path, text } of await siteSources()) {
    for (const [, file = ''] of text.matchAll(/ from '[./]+\/content\/([\w-]+\.ts)'/g)) found.set(file, path);
  }
  return found;
}

async function faultsIn(folder: string, file: string, path: string): Promise<string[]> {
  // The address differs each time: an owner who edits while `npm run dev` runs wants the new text checked.
  const address = `${pathToFileURL(join(folder, file)).href}?at=${process.hrtime.bigint()}`;
  const module = await import(address).catch((error: Error) => unreadable(path, error));
  if (typeof module === 'string') return [module];
  if (!module.shape)
    return [`${path} has no “shape” at its end; bring it back from where you have the project from.`];
  const lineOf = lineFinder(file, await readFile(join(folder, file), 'utf8'));
  const faults: string[] = [];
  for (const [name, shape] of Object.entries<v.GenericSchema>(module.shape)) {
    const value: unknown = module[name];
    for (const issue of v.safeParse(shape, value).issues ?? []) {
      const keys = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
      const line = lineOf(name, keys);
      faults.push(
        `${path}${line ? `, line ${line}` : ''}: ${fieldName(name, keys, value)} ${problem(issue)}`,
      );
    }
  }
  return faults;
}

/** Node puts the line, and what stands on it, before the message in the stack. */
function unreadable(path: string, error: Error): string {
  const [, line, excerpt = ''] = /^[^\n]*?:(\d+)\n([\s\S]*?)\n\s*\n/.exec(error.stack ?? '') ?? [];
  const place = line ? `${path}, near line ${line}` : path;
  return `${place}, cannot be read (${error.message}). Often a comma is missing at the end of the line before, or an apostrophe stands inside the words: write ’ there.\n${excerpt.replace(/^/gm, '    ')}`;
}

/** “price” of the 2nd entry of “items” (“The Optimization Blueprint”) */
function fieldName(name: string, keys: Keys, value: unknown): string {
  const parts: string[] = [];
  for (let at = keys.length - 1; at >= 0; at -= 1) {
    const key = keys[at];
    if (typeof key !== 'number') {
      parts.push(`“${key}”`);
      continue;
    }
    const title = titleOf(keys.slice(0, at + 1).reduce(inside, value));
    parts.push(`the ${ordinal(key + 1)} entry of “${keys[at - 1] ?? name}”${title ? ` (“${title}”)` : ''}`);
    at -= 1;
  }
  return parts.join(' of ') || `“${name}”`;
}

function inside(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** What the owner knows an entry of a list by. */
function titleOf(value: unknown): string | undefined {
  return ['title', 'question', 'label']
    .map((key) => inside(value, key))
    .find((text) => typeof text === 'string');
}

function ordinal(number: number): string {
  const endings: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
  return `${number}${endings[new Intl.PluralRules('en', { type: 'ordinal' }).select(number)]}`;
}

function problem({ type, expected, received, message, input }: v.BaseIssue<unknown>): string {
  if (type === 'strict_object' && expected === 'never')
    return 'is not a field of the page; is its name misspelled?';
  if (input === undefined) return 'is missing';
  if (type === 'array' || type === 'strict_object' || type === 'strict_tuple') {
    return `must be ${expected === 'Array' ? 'a list' : 'a group of fields'}, but is ${received}`;
  }
  // Of a whole list there is nothing short to repeat.
  return typeof input === 'object' || received === undefined ? message : `${message}, but is ${received}`;
}
