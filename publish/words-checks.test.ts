import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { NO_WORDS } from '../tests/support/site/test-site.ts';
import { checkedWords, readParts, valueAt } from './words.ts';

/**
 * A copy of the page's words for a test to edit, with what they import.
 *
 * @returns the folder of the words
 */
function copyContent(folder: string): string {
  for (const path of ['site/content', 'site/ui/shape.ts', 'site/drawings', 'contract', 'package.json']) {
    cpSync(join(PROJECT_ROOT, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'site/content');
}

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const FILE = 'words.json';
const write = (text: string | Buffer, file = FILE) => writeFileSync(join(folder, file), text);

/** What the build says about the owner's folder. */
const report = (wordsDir = folder, content?: string) =>
  checkedWords(wordsDir, content).then(
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

/** A line with a mistake, and what is said of it. */
const UNREADABLE: [mistake: string, text: string, line: number, said: RegExp][] = [
  ['a missing comma', '{\n"hero": {\n"kicker": "a"\n"lead": "b"\n}\n}', 4, /“"lead"”: there must be a comma/],
  ['a comment', '{\n// mine\n"hero": {}\n}', 2, /“\/\/ mine”: comments can’t/],
  ['an unclosed brace', '{\n"hero": {\n"kicker": "a"\n}', 4, /at its end: a } is missing/],
  ['curly quotes', '{\n"hero": {\n"kicker": “a”\n}\n}', 3, /straight quotes/],
  ['a quote that isn’t closed', '{\n"hero": {\n"kicker": "a,\n"lead": "b"\n}\n}', 3, /must end on the line/],
  [
    'a price with a comma',
    '{\n"packages": { "items": [{ "price": 2,499 }] }\n}',
    2,
    /comma before it is one/,
  ],
  ['a backslash', '{\n"hero": { "kicker": "C:\\d" }\n}', 2, /write \\\\ for each \\/],
  ['a field that stands twice', '{"hero": {\n"lead": "a",\n"lead": "b" }}', 3, /“lead” for the second time/],
];

test.each(UNREADABLE)('is named with its line: %s', async (_, text, line, said) => {
  for (const ends of [text, `\uFEFF${text.replaceAll('\n', '\r\n')}`]) {
    write(ends);
    const told = await report();
    expect(told).toContain(`${folder}/${FILE}, line ${line}, `);
    expect(told).toMatch(said);
  }
});

test('a file that is a list instead of a group is refused', async () => {
  write('[]');
  expect(await report()).toBe(`${folder}/${FILE} must be one group in braces: { … }.`);
});

test.each([
  ['Latin-1', '{\n"hero": { "kicker": "Opérations" }\n}', 'latin1', 2],
  ['Windows’ “Unicode”', '\uFEFF{ "hero": {} }', 'utf16le', 1],
] as const)('a file whose letters are in %s is refused by line', async (_, text, encoding, line) => {
  write(Buffer.from(text, encoding));
  expect(await report()).toContain(`${folder}/${FILE}, line ${line}, has letters that aren’t UTF-8`);
});

const SECOND = '21: “price” of the 2nd entry of “items” (“The Optimization Blueprint”) of “packages”';

/** What the owner wrote, the line and field that are named, and what is said of it. */
const REFUSED: [mistake: string, text: string | Promise<string>, location: string, said: RegExp][] = [
  ['a part like no other', '{\n"mission": {}\n}', '2: “mission”', /isn’t a part of the page\.$/],
  [
    'an unknown field',
    '{"hero": {\n"headlin": "a" }}',
    '2: “headlin” of “hero”',
    /misspelled\? If an update/,
  ],
  [
    'a number in quotes',
    packagesWith(([first, second, ...others]) => [first, { ...second, price: '2499' }, ...others]),
    SECOND,
    /must be a whole number.*but is "2499"$/,
  ],
  ['an empty text', '{"hero": {\n"lead": " " }}', '2: “lead” of “hero”', /is empty$/],
  [
    'a place where none can be filled',
    '{"contactForm": {\n"button": "Write to {country}" }}',
    '2: “button” of “contactForm”',
    /has \{country\}; words in braces can’t/,
  ],
  [
    'a headline that pushes the button out of sight',
    `{"hero": {\n"headline": "${'A long one '.repeat(6)}" }}`,
    '2: “headline” of “hero”',
    /can have 60 characters at most/,
  ],
  ['a single package', packagesWith(([first]) => [first]), '3: “items” of “packages”', /at least 2 entries$/],
  [
    'two popular packages',
    packagesWith((items) => items.map((item) => ({ ...item, popular: true }))),
    '3: “items” of “packages”',
    /can have one popular package at most$/,
  ],
  [
    'an entry without one of its fields, since a list is the owner’s whole',
    '{"questions": {"items": [\n{ "question": "Why?" },\n{ "question": "How?", "answer": "So." }\n]}}',
    '2: “answer” of the 1st entry of “items” (“Why?”) of “questions”',
    /is missing$/,
  ],
  [
    'lettering in Cyrillic',
    '{"hero": { "lettering": {\n"stock": "Склад" }}}',
    '2: “stock” of “lettering” of “hero”',
    /has “С”, and .*A to Z/,
  ],
  [
    'a link to a part that isn’t there',
    '{"footer": { "links": [\n{ "label": "Map", "id": "map" }] }}',
    '2: “id” of the 1st entry of “links” (“Map”) of “footer”',
    /must be the id of a part: hero-banner, /,
  ],
  [
    'an address without its beginning',
    '{"footer": {"legal": {"privacy": {\n"href": "www.rivera-ops.ca" }}}}',
    '2: “href” of “privacy” of “legal” of “footer”',
    /whole address that begins with https/,
  ],
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

test.each(['word.json', 'prices.xlsx'])(
  'a file that the page would never show is named: %s',
  async (file) => {
    write('{}');
    write('', file);
    expect(await report()).toContain(
      `  ${folder}/${file} isn’t a file of the page, so nothing in it would show. Words are in words.json; a photo is called founder.jpg.`,
    );
  },
);

test('all mistakes are named at once, those of ours by our file', async () => {
  const content = copyContent(join(folder, 'ours'));
  const hero = join(content, 'hero.ts');
  writeFileSync(hero, readFileSync(hero, 'utf8').replace("kicker: '", "kicker: '{nothing} "));
  writeFileSync(join(content, 'founder.jpg'), '');
  write('{\n"hero": {\n"lead": ""\n},\n"other": {}\n}');
  const told = await report(folder, content);
  expect(told.split('\n').slice(2)).toEqual([
    expect.stringContaining(`  ${folder}/${FILE}, line 5: “other” isn’t a part`),
    expect.stringMatching(/^ {2}\S+\/site\/content\/hero\.ts: “kicker” of “hero” has \{nothing\}/),
    `  ${folder}/${FILE}, line 3: “lead” of “hero” is empty`,
    `  ${join(content, 'founder.jpg')}: your photo belongs in ${folder}. Move it there.`,
  ]);
});
