import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { NO_WORDS } from '../tests/support/site/test-site.ts';
import { checkedWords, readParts, valueAt } from './words.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const FILE = 'words.json';
const write = (text: string | Buffer, file = FILE) => writeFileSync(join(folder, file), text);

/** What the build says about the owner's folder. */
const report = (wordsDir = folder) =>
  checkedWords(wordsDir).then(
    () => '',
    ({ message }: Error) => message,
  );

/** Our packages, changed. */
async function packagesWith(change: (items: Record<string, unknown>[]) => unknown): Promise<string> {
  const items = structuredClone(valueAt((await readParts()).get('packages')?.ours, ['items']));
  return JSON.stringify({ packages: { items: change(items as Record<string, unknown>[]) } }, null, 1);
}

test('nothing is wrong with ours, with few words of the owner’s, or with a copy of all of ours', async () => {
  expect(await report(NO_WORDS)).toBe('');
  write('{ "founder": { "name": "Sam Rivera" }, "replyTime": "soon", "brand": {} }');
  expect(await report()).toBe('');
  const all = [...(await readParts())].map(([name, { ours }]) => [name, ours]);
  write(JSON.stringify(Object.fromEntries(all)));
  for (const file of ['history.json', 'founder.png', '.DS_Store']) write('', file);
  expect(await report()).toBe('');
});

test.each([
  ['a missing comma', '{\n"hero": {\n"kicker": "a"\n"lead": "b"\n}\n}', 4, '"lead": "b"'],
  ['a comment', '{\n// mine\n"hero": {}\n}', 2, '// mine'],
  ['curly quotes', '{\n"hero": {\n"kicker": “a”\n}\n}', 3, '“a”'],
  ['a list instead of a group', '[]', 1, '[]'],
] as const)('JSON that somebody wrote by hand is refused by its line: %s', async (_, text, line, at) => {
  for (const ends of [text, `\uFEFF${text.replaceAll('\n', '\r\n')}`]) {
    write(ends);
    expect(await report()).toContain(`${folder}/${FILE}, line ${line}, can’t be read at “${at}`);
  }
});

test.each([
  ['Latin-1', '{\n"hero": { "kicker": "Opérations" }\n}', 'latin1'],
  ['Windows’ “Unicode”', '\uFEFF{ "hero": {} }', 'utf16le'],
] as const)('a file whose letters are in %s is refused', async (_, text, encoding) => {
  write(Buffer.from(text, encoding));
  expect(await report()).toContain(`${folder}/${FILE} has letters that aren’t UTF-8`);
});

const SECOND = '21: packages → items → 2 → price';

/** What the owner wrote, the line and field that are named, and what is said of it. */
const REFUSED: [mistake: string, text: string | Promise<string>, location: string, said: RegExp][] = [
  ['a part like no other', '{\n"mission": {}\n}', '2: mission', /isn’t a part of the page\.$/],
  ['an unknown field', '{"hero": {\n"headlin": "a" }}', '2: hero → headlin', /misspelled\? If an update/],
  [
    'a number in quotes',
    packagesWith(([first, second, ...others]) => [first, { ...second, price: '2499' }, ...others]),
    SECOND,
    /must be a whole number.*but is "2499"$/,
  ],
  ['an empty text', '{"hero": {\n"lead": " " }}', '2: hero → lead', /is empty$/],
  [
    'a place where none can be filled',
    '{"contactForm": {\n"button": "Write to {country}" }}',
    '2: contactForm → button',
    /has \{country\}; words in braces can’t/,
  ],
  [
    'a headline that pushes the button out of sight',
    `{"hero": {\n"headline": "${'A long one '.repeat(6)}" }}`,
    '2: hero → headline',
    /can have 60 characters at most/,
  ],
  ['a single package', packagesWith(([first]) => [first]), '3: packages → items', /at least 2 entries$/],
  [
    'two popular packages',
    packagesWith((items) => items.map((item) => ({ ...item, popular: true }))),
    '3: packages → items',
    /can have one popular package at most$/,
  ],
  [
    'an entry without one of its fields, since a list is the owner’s whole',
    '{"questions": {"items": [\n{ "question": "Why?" },\n{ "question": "How?", "answer": "So." }\n]}}',
    '2: questions → items → 1 → answer',
    /is missing$/,
  ],
  ['a legal page that isn’t filled in', '{"terms": {\n"on": true }}', '2: terms → on', /\[/],
];

test.each(REFUSED)(
  'is named with its line and field, and nothing else is: %s',
  async (_, text, location, said) => {
    write(await text);
    const [, , told = '', ...others] = (await report()).split('\n');
    expect(told).toContain(`  ${folder}/${FILE}, line ${location} `);
    expect(told).toMatch(said);
    expect(others).toEqual([]);
  },
);

test('all mistakes are named at once', async () => {
  write('{\n"hero": {\n"lead": ""\n},\n"other": {}\n}');
  const told = await report();
  expect(told.split('\n').slice(2)).toEqual([
    expect.stringContaining(`  ${folder}/${FILE}, line 5: other isn’t a part`),
    `  ${folder}/${FILE}, line 3: hero → lead is empty`,
  ]);
});
