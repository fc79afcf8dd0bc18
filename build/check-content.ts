import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { type ESTree, parseSync } from 'vite';
import { CONTENT } from './founder-file.ts';
import { siteSources } from './site-sources.ts';
import { ROOT } from './vite.ts';

/** @throws an Error that lists every fault for the owner, with its file, line and field */
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

/** The content files that the page uses, each with one of the files that import it. */
async function importsOfContent(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { path, text } of await siteSources()) {
    for (const [, file = ''] of text.matchAll(/ from '[./]+\/content\/([\w-]+\.ts)'/g)) found.set(file, path);
  }
  return found;
}

async function faultsIn(folder: string, file: string, path: string): Promise<string[]> {
  // A new URL each time, since Node caches modules and the owner may edit while `npm run dev` is running.
  const address = `${pathToFileURL(join(folder, file)).href}?at=${process.hrtime.bigint()}`;
  const source = await readFile(join(folder, file), 'utf8');
  const module = await import(address).catch((error: Error) => unreadable(path, source, error));
  if (typeof module === 'string') return [module];
  if (!module.shape)
    return [`${path} has no “shape” at its end; bring it back from where you have the project from.`];
  const lineOf = lineFinder(file, source);
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

/** What's usually wrong with a line that can't be read, by what it looks like. */
const ADVICE: [line: RegExp, advice: string][] = [
  [/:\s*(?:\$|\d+[\s,.]+\d)/, 'Write a number alone, without a sign, a comma or a space in it: 2499.'],
  [/[:[]\s*[‘’“”„«]/, "Words stand between straight quotes, ' before them and ' after them."],
  [/'[^',]*[a-z]'[a-z]/i, 'An apostrophe inside the words ends them; write ’ there.'],
];

function unreadable(path: string, source: string, error: Error): string {
  // Node puts the line at the top of the stack for what it can't parse, and beside the file's name for the rest.
  const [, top, beside] = /^[^\n]*?:(\d+)\n|\.ts\?at=\d+:(\d+)/.exec(error.stack ?? '') ?? [];
  const line = Number(top ?? beside ?? 0);
  const lines = source.split('\n');
  const found = ADVICE.find(([pattern]) => pattern.test(lines[line - 1] ?? ''));
  const advice = found?.[1] ?? 'Often a comma is missing at the end of the line before.';
  const excerpt = lines.slice(Math.max(0, line - 2), line + 1).map((text) => `\n    ${text}`);
  return `${path}${line ? `, near line ${line}` : ''}, cannot be read. ${advice} (${error.message})${line ? excerpt.join('') : ''}`;
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

/** What the owner calls an entry of a list. */
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
  // A whole list or group would be too long to repeat.
  return typeof input === 'object' || type === 'raw_check' ? message : `${message}, but is ${received}`;
}

/** The path to a field: a name in each group, an index in each list. */
type Keys = readonly (string | number)[];

/**
 * Finds the line of a field in a content file.
 *
 * @returns the line, from 1; for a missing field, the line of the group it's missing from
 */
function lineFinder(file: string, source: string): (name: string, keys: Keys) => number | undefined {
  const { program } = parseSync(file, source);
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  return (name, keys) => {
    let node = exported(program, name);
    let at = node?.start;
    for (const key of keys) {
      const child = childOf(node, key);
      if (!child) break;
      at = child.at;
      node = plain(child.value);
    }
    return at === undefined ? undefined : lineAt(at);
  };
}

function exported(program: ESTree.Program, name: string): ESTree.Expression | undefined {
  const variables = program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' && statement.declaration?.type === 'VariableDeclaration'
      ? statement.declaration.declarations
      : [],
  );
  const found = variables.find(({ id }) => id.type === 'Identifier' && id.name === name);
  return found?.init ? plain(found.init) : undefined;
}

/** Without a TypeScript assertion, such as `as const`. */
function plain(value: ESTree.Expression): ESTree.Expression {
  return value.type === 'TSAsExpression' || value.type === 'TSSatisfiesExpression'
    ? plain(value.expression)
    : value;
}

function childOf(
  node: ESTree.Expression | undefined,
  key: string | number,
): { at: number; value: ESTree.Expression } | undefined {
  if (node?.type === 'ArrayExpression') {
    const entry = node.elements[Number(key)];
    return entry && entry.type !== 'SpreadElement' ? { at: entry.start, value: entry } : undefined;
  }
  if (node?.type !== 'ObjectExpression') return undefined;
  for (const property of node.properties) {
    if (property.type !== 'Property') continue;
    const name = property.key.type === 'Identifier' ? property.key.name : undefined;
    const quoted = property.key.type === 'Literal' ? property.key.value : undefined;
    if ((name ?? quoted) !== key) continue;
    const value = property.value as ESTree.Expression;
    // Text may start on the line after its field's name.
    return { at: value.type === 'Literal' ? value.start : property.start, value };
  }
  return undefined;
}
