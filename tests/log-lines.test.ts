import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (pattern: string, exclude: RegExp) =>
  globSync(pattern, { cwd: ROOT })
    .filter((path) => !exclude.test(path))
    .map((path) => ({ path, source: readFileSync(join(ROOT, path), 'utf8') }));

const ROOMS = '{contract,server,settings,supabase}/**/*.ts';
const SOURCES = read(ROOMS, /\.test\.ts$/);
const TESTS = read(`{${ROOMS},tests/**/*.test.ts}`, /(?<!\.test)\.ts$|log-lines\.test\.ts$/)
  .map(({ source }) => source)
  .join('\n');

/** A text that the code passes on by another name, and the words that stand for it. */
const ELSEWHERE: Record<string, string[]> = {
  'server/outbox/trouble.ts: text': [
    'could not be mailed for',
    'waited for up to',
    'set aside',
    'VISITORS ARE TURNED AWAY',
    'messages are saved again',
    'your mail server refuses the user name or password in IMAP_URL',
    'your mail server sends far more than the site asked of your mailbox',
  ],
};

/** The arguments of each call that logs a warning or an error: from its parenthesis to the one that closes it. */
function argumentsOfCalls(source: string): string[] {
  return [...source.matchAll(/\blog(?:\.(?:warn|error|fatal)|\[[^\]]+\])\(/g)].map(({ 0: call, index }) => {
    const from = index + call.length;
    let depth = 1;
    let at = from;
    for (; depth > 0; at += 1) depth += source[at] === '(' ? 1 : source[at] === ')' ? -1 : 0;
    return source.slice(from, at - 1);
  });
}

/** The longest part of the line's text that's the same each time. */
function wordsOf(args: string): string | undefined {
  const text = /(['`"])((?:(?!\1)[\s\S])+)\1,?\s*$/.exec(args)?.[2];
  const parts = text?.split(/\$\{[^}]*\}/).map((part) => part.trim());
  return parts?.toSorted((a, b) => b.length - a.length)[0];
}

const LINES = SOURCES.flatMap(({ path, source }) =>
  argumentsOfCalls(source).flatMap((args) => {
    const words = wordsOf(args);
    const name = `${path}: ${args.split(',').at(-1)?.trim()}`;
    return (words ? [words] : (ELSEWHERE[name] ?? [`(no words known for ${name})`])).map((said) => ({
      path,
      source,
      said,
    }));
  }),
);

test('each warning and error that the owner may read is quoted by a test that provokes it', () => {
  let quoted = TESTS;
  // Longest first, so a line isn't taken for quoted where only a longer one is that begins like it.
  const all = [...new Set(LINES.map(({ said }) => said))].toSorted((a, b) => b.length - a.length);
  const missing = all.filter((said) => {
    const before = quoted;
    quoted = quoted.replaceAll(said, '');
    return quoted === before;
  });
  expect(missing).toEqual([]);
});

test('the words given for a text from elsewhere stand in the source', () => {
  expect(LINES.filter(({ source, said }) => !source.includes(said))).toEqual([]);
  expect(LINES.length).toBeGreaterThan(35);
});
