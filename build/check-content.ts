import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { closestMatch } from 'leven';
import * as v from 'valibot';
import { type ESTree, parseSync } from 'vite';
import { shortPath } from '../settings/settings.ts';
import {
  CONTENT,
  founderFiles,
  importContent,
  isGroup,
  layOver,
  NotUtf8,
  ownFiles,
  ownSource,
  type Words,
  withoutShape,
  wordsIn,
} from './owners-words.ts';
import { siteSources } from './site-sources.ts';

/** How messages name `CONTENT`, also in a test's copy. */
const FOLDER = shortPath(CONTENT);

/**
 * @param wordsDir the owner's words
 * @param content those that came with the project
 * @throws an Error that lists every fault for the owner, with its file, line and field
 */
export async function checkContent(wordsDir: string, content: string = CONTENT): Promise<void> {
  const files = (await readdir(content)).filter((name) => name.endsWith('.ts'));
  const usedBy = await importsOfContent();
  const faults = [...usedBy.keys()]
    .filter((file) => !files.includes(file))
    .map(
      (file) =>
        `${FOLDER}/${file} is missing, and ${usedBy.get(file)} needs it. Copy it again from where you got the project.`,
    );
  for (const file of files) {
    if (usedBy.has(file)) faults.push(...(await faultsIn(file, wordsDir, content)));
    else faults.push(`${FOLDER}/${file} is not used by any part of the page; remove it.`);
  }
  const photos = await founderFiles(wordsDir);
  for (const name of await ownFiles(wordsDir))
    if (!files.includes(name) && !photos.includes(name)) faults.push(stranger(name, wordsDir, files));
  for (const name of await founderFiles(content))
    faults.push(`${FOLDER}/${name}: your photo now belongs in ${shortPath(wordsDir)}. Move it there.`);
  if (faults.length > 0) {
    throw new Error(
      `Something’s wrong in the words of the page:\n\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
}

function stranger(name: string, wordsDir: string, files: string[]): string {
  const known = [...files, `founder${extname(name)}`];
  const meant = closestMatch(name.replace(/\.txt$/i, ''), known, { maxDistance: 3 });
  const hint = meant
    ? `Did you mean ${meant}?`
    : `Files there have the same names as those in ${FOLDER}; a photo is called founder.jpg.`;
  return `${shortPath(join(wordsDir, name))} isn’t a file of the page, so nothing in it would show. ${hint}`;
}

/** The content files that the page uses, each with one of the files that import it. */
async function importsOfContent(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { path, text } of await siteSources()) {
    for (const [, file = ''] of text.matchAll(/ from '[./]+\/content\/([\w-]+\.ts)'/g)) found.set(file, path);
  }
  return found;
}

async function faultsIn(file: string, wordsDir: string, content: string): Promise<string[]> {
  const path = `${FOLDER}/${file}`;
  const source = await readFile(join(content, file), 'utf8');
  const module = await importContent(file, content).catch((error: Error) => unreadable(path, source, error));
  if (typeof module === 'string') return [module];
  const { shape, ...ours } = module;
  if (!shape) return [`${path} has no “shape” at its end. Copy it again from where you got the project.`];
  const ownPath = shortPath(join(wordsDir, file));
  const ownText = await ownSource(wordsDir, file).catch((error: unknown) => {
    if (error instanceof NotUtf8) return error;
    throw error;
  });
  if (ownText instanceof NotUtf8) return [ownText.message];
  const own = read(ownText ?? '', ownPath);
  if (typeof own === 'string') return [own];
  const lineOf = lineFinder(file, source);
  const ownLineOf = lineFinder(file, ownText ?? '');
  const faults = ownText === undefined ? [] : misplaced(file, ownText, ownPath, Object.keys(shape));
  for (const [name, expected] of Object.entries(shape)) {
    const value: unknown = layOver(ours[name], own[name]);
    for (const issue of v.safeParse(expected, value).issues ?? []) {
      const keys = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
      const isOwn = comesFrom(own[name], keys);
      const line = (isOwn ? ownLineOf : lineOf)(name, keys);
      faults.push(
        `${isOwn ? ownPath : path}${line ? `, line ${line}` : ''}: ${fieldName(name, keys, value)} ${problem(issue)}`,
      );
    }
  }
  return faults;
}

/** The words, or what's wrong with them. */
function read(source: string, path: string): Words | string {
  try {
    return wordsIn(source, path);
  } catch (error) {
    return unreadable(path, source, error as Error);
  }
}

/** What an owner's file says outside the names that the page knows, so it wouldn't show. */
function misplaced(file: string, source: string, path: string, names: string[]): string[] {
  const { program } = parseSync(file, withoutShape(source));
  const body = program.body.filter(({ type }) => type !== 'ImportDeclaration');
  const isKnown = (one: (typeof body)[number]) => exportedBy(one).some(({ name }) => names.includes(name));
  const places = names.map((name) => `export const ${name} = …`).join(' or ');
  if (!body.some(isKnown)) return [`${path} has no words that the page uses. Write them as: ${places}`];
  return body
    .filter((statement) => !isKnown(statement))
    .map(
      ({ start }) =>
        `${path}, line ${lineAt(source, start)}: this wouldn’t show anywhere. Write words as: ${places}`,
    );
}

/** Whether the owner's words have this field, or a list or text that it's in. */
function comesFrom(own: unknown, keys: Keys): boolean {
  const [key, ...rest] = keys;
  if (own === undefined || key === undefined || !isGroup(own)) return own !== undefined;
  return comesFrom(own[key], rest);
}

/** What's usually wrong with a line that can't be read, by what it looks like. */
const ADVICE: [line: RegExp, advice: string][] = [
  [/:\s*(?:\$|\d+[\s,.]+\d)/, 'Write only the digits of a number, without a sign, a comma or a space: 2499.'],
  [/[:[]\s*[‘’“”„«]/, "Put straight quotes around words: ' before them and ' after them."],
  [/'[^',]*[a-z]'[a-z]/i, 'An apostrophe inside the words ends them; write ’ there.'],
];

function unreadable(path: string, source: string, error: Error): string {
  // Node puts the line at the top of the stack for what it can't parse, and beside the file's name for the rest.
  const [, top, beside] = /^[^\n]*?:(\d+)\n|\.ts(?:\?at=\d+)?:(\d+)/.exec(error.stack ?? '') ?? [];
  const line = Number(top ?? beside ?? 0);
  const lines = source.split('\n');
  const found = ADVICE.find(([pattern]) => pattern.test(lines[line - 1] ?? ''));
  const advice = found?.[1] ?? 'Often a comma is missing at the end of the line above.';
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
    return 'is not a field of the page. Is its name misspelled? If an update has removed it, delete it.';
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
  return (name, keys) => {
    let node = exported(program, name);
    let at = node?.start;
    for (const key of keys) {
      const child = childOf(node, key);
      if (!child) break;
      at = child.at;
      node = plain(child.value);
    }
    return at === undefined ? undefined : lineAt(source, at);
  };
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}

function exported(program: ESTree.Program, name: string): ESTree.Expression | undefined {
  const found = program.body.flatMap(exportedBy).find((one) => one.name === name);
  return found?.value ? plain(found.value) : undefined;
}

/** What an `export const` gives a name to. */
function exportedBy(statement: ESTree.Program['body'][number]) {
  if (statement.type !== 'ExportNamedDeclaration') return [];
  if (statement.declaration?.type !== 'VariableDeclaration') return [];
  return statement.declaration.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier' ? [{ name: id.name, value: init }] : [],
  );
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
