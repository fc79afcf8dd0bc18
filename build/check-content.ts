import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { type Keys, lineFinder } from './content-lines.ts';
import { FIGURES, PLACES, shapes } from './content-shape.ts';
import { CONTENT } from './founder-file.ts';
import { ROOT } from './vite.ts';

/** Something wrong with what one file exports. The problem continues a sentence that begins with the field. */
interface Fault {
  /** The way from the export to the field. */
  keys: Keys;
  problem: string;
}

/** @throws an Error that names every fault by file, line and field, in words for the page's owner */
export async function checkContent(folder: string = join(ROOT, CONTENT)): Promise<void> {
  const faults: string[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ts'))) {
    if (!shapes[file]) faults.push(`${CONTENT}/${file} is not used by any part of the page; remove it.`);
  }
  for (const [file, exports] of Object.entries(shapes)) {
    const path = `${CONTENT}/${file}`;
    // The address differs each time: an owner who edits while `npm run dev` runs wants the new text checked.
    const address = `${pathToFileURL(join(folder, file)).href}?at=${performance.now()}`;
    const module = await import(address).catch((error: Error) => {
      faults.push(unreadable(path, error));
    });
    if (!module) continue;
    const lineOf = lineFinder(file, await readFile(join(folder, file), 'utf8'));
    for (const [name, shape] of Object.entries(exports)) {
      const value: unknown = module[name];
      for (const { keys, problem } of [
        ...misshapen(shape, value),
        ...unknownPlaces(value, PLACES[file] ?? FIGURES),
      ]) {
        const line = lineOf(name, keys);
        faults.push(`${path}${line ? `, line ${line}` : ''}: ${fieldName(name, keys, value)} ${problem}`);
      }
    }
  }
  if (faults.length > 0) {
    throw new Error(
      `The words of the page need a correction:\n\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
}

function misshapen(shape: v.GenericSchema, value: unknown): Fault[] {
  const { issues = [] } = v.safeParse(shape, value);
  return issues.map((issue) => ({
    keys: (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key))),
    problem: problem(issue),
  }));
}

/** Node puts the line, and what stands on it, before the message in the stack. */
function unreadable(path: string, error: Error): string {
  if ('code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
    return `${path} is missing; bring it back from where you have the project from.`;
  }
  const [, line, excerpt = ''] = /^[^\n]*?:(\d+)\n([\s\S]*?)\n\s*\n/.exec(error.stack ?? '') ?? [];
  const place = line ? `${path}, near line ${line}` : path;
  return `${place}, cannot be read (${error.message}). Often a comma is missing at the end of the line before, or an apostrophe stands inside the words: write ’ there.\n${excerpt.replace(/^/gm, '    ')}`;
}

function unknownPlaces(value: unknown, known: readonly string[], keys: Keys = []): Fault[] {
  if (typeof value === 'string') {
    const help =
      known.length > 0 ? `only {${known.join('}, {')}} can stand here` : 'nothing is filled in here';
    return [...value.matchAll(/\{(\w+)\}/g)]
      .filter(([, place = '']) => !known.includes(place))
      .map(([place]) => ({ keys, problem: `holds ${place}; ${help}` }));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    unknownPlaces(inner, known, [...keys, Array.isArray(value) ? Number(key) : key]),
  );
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
