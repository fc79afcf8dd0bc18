import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packages } from '../site/content/packages.ts';
import { temporaryFolder } from '../tests/support/service.ts';
import {
  checkedWords,
  founderFiles,
  isGroup,
  layOver,
  onlyOwn,
  ownFiles,
  photoFile,
  readParts,
  WORDS_FILE,
  type Words,
} from './words.ts';

const name = fc.constantFrom('hero', 'headline', 'items', 'facts', 'label');
/** Few values, so that some are the same as ours. */
const leaf = fc.oneof(fc.constantFrom<unknown>('', 'a', 'b', 1499, true, false, null), fc.string());
const { words } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    tie('words'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  words: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})) as { words: fc.Arbitrary<Words> };

function repeats(ours: unknown, own: unknown): boolean {
  if (isGroup(ours) && isGroup(own))
    return Object.entries(own).some(([key, inner]) => key in ours && repeats(ours[key], inner));
  return JSON.stringify(ours) === JSON.stringify(own);
}

test('only what differs from ours is kept, so that an update’s texts come through elsewhere, and laid over ours it gives the same words', () => {
  fc.assert(
    fc.property(words, words, (ours, changes) => {
      const shown = layOver<Words>(ours, changes);
      const own = onlyOwn(ours, shown);
      expect(layOver<Words>(ours, own)).toEqual(shown);
      expect(own !== undefined && repeats(ours, own)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test('the photo is any founder file but data, neither of two is guessed, and leftovers of a system or editor aren’t the owner’s', async () => {
  const folder = temporaryFolder();
  for (const file of ['.DS_Store', 'words.json~', 'Thumbs.db', 'founder.jpg.unfinished', 'founder.json'])
    writeFileSync(join(folder, file), '');
  writeFileSync(join(folder, 'Founder.HEIC'), '');
  mkdirSync(join(folder, 'earlier-photos'));
  expect(await ownFiles(folder)).toEqual(['Founder.HEIC', 'founder.json']);
  expect(await founderFiles(folder)).toEqual(['Founder.HEIC']);
  writeFileSync(join(folder, 'founder.png'), '');
  await expect(photoFile(folder)).rejects.toThrow(/Founder\.HEIC and founder\.png.*remove the other/);
  expect(await founderFiles(join(folder, 'none'))).toEqual([]);
});

test.each([
  ['too large', (path: string) => writeFileSync(path, Buffer.alloc(6e7 + 1)), /60,001 kB.* (200|60,000) kB/],
  ['a pipe', (path: string) => void execFileSync('mkfifo', [path]), /isn’t a file/],
  ['a folder', (path: string) => void mkdirSync(path), /isn’t a file/],
  ['a link to itself', (path: string) => symlinkSync(path, path), /can’t be read \(ELOOP\)/],
])('words or a photo that are %s are refused by size and kind, unread', async (_, make, said) => {
  const folder = temporaryFolder();
  for (const name of [WORDS_FILE, 'founder.jpg']) make(join(folder, name));
  await expect(checkedWords(folder)).rejects.toThrow(said);
  await expect(photoFile(folder)).rejects.toThrow(said);
});

async function report(words?: string | Buffer, ...others: string[]): Promise<string> {
  const folder = temporaryFolder();
  if (words !== undefined) writeFileSync(join(folder, 'words.json'), words);
  for (const name of others) writeFileSync(join(folder, name), '');
  return checkedWords(folder).then(
    () => '',
    ({ message }: Error) => message.replaceAll(`${folder}/`, ''),
  );
}

test('nothing is wrong with ours, with few words of the owner’s, or with a copy of all of ours', async () => {
  expect(await report()).toBe('');
  expect(await report('{ "founder": { "name": "Sam" }, "site": { "language": "Fr-CA" } }')).toBe('');
  const all = Object.fromEntries([...(await readParts())].map(([name, { ours }]) => [name, ours]));
  expect(await report(JSON.stringify(all), 'history.json', 'founder.png', '.DS_Store')).toBe('');
});

test.each([
  ['a missing comma', '{\n"hero": {\n"kicker": "a"\n"lead": "b"\n}\n}', 4, '"lead": "b"'],
  ['a comment', '{\n// mine\n"hero": {}\n}', 2, '// mine'],
  ['curly quotes', '{\n"hero": {\n"kicker": “a”\n}\n}', 3, '“a”'],
  ['a list instead of a group', '[]', 1, '[]'],
] as const)('JSON that somebody wrote by hand is refused by its line: %s', async (_, text, line, at) => {
  for (const ends of [text, `\uFEFF${text.replaceAll('\n', '\r\n')}`])
    expect(await report(ends)).toContain(`words.json, line ${line}, can’t be read at “${at}`);
});

test('a file whose letters are in Latin-1, or Windows’ “Unicode”, is refused', async () => {
  const texts = [Buffer.from('{ "brand": "É" }', 'latin1'), Buffer.from('\uFEFF{ "hero": {} }', 'utf16le')];
  for (const text of texts) expect(await report(text)).toContain('words.json has letters that aren’t UTF-8');
});

const POPULAR = packages.items.map((item) => ({ ...item, popular: true }));

const MISTAKES: [line: string, said?: RegExp][] = [
  ['{ "mission": {},', /mission isn’t a part of the page\.$/],
  ['"replyHours": "24", "hero": {', /replyHours must be a whole number.*but is "24"$/],
  ['"headlin": "a",', /hero → headlin .*misspelled\? If an update/],
  ['"lead": " ",', /hero → lead is empty$/],
  // As a translator might write it
  ['"kicker": "D’ici {réponse}",', /hero → kicker has \{réponse\}; only \{country\}/],
  // It would push the button out of sight.
  [`"headline": "${'A long one '.repeat(6)}",`, /hero → headline can have 60 characters at most/],
  ['"lettering": {'],
  ['"pack": "Упак" } }, "contactForm": {', /hero → lettering → pack .*drawings/],
  ['"button": "Write to {country}" }, "packages": {', /contactForm → button has \{country\}; words in/],
  [`"items": ${JSON.stringify(POPULAR)} },`, /packages → items can have one popular package at most$/],
  // A list is all the owner's.
  ['"questions": { "items": ['],
  ['{ "question": "Why?" },', /questions → items → 1 → answer is missing$/],
  ['{ "question": "How?", "answer": "So." } ] }, "terms": {'],
  // It isn't filled in.
  ['"on": true } }', /terms → on .*\[/],
];

test('all mistakes are named at once, each with its line and field, and nothing else; of thousands, only the first ones', async () => {
  const [, , ...told] = (await report(MISTAKES.map(([line]) => line).join('\n'))).split('\n');
  const expected = MISTAKES.flatMap(([, said], at) =>
    said ? [expect.stringMatching(`^  words\\.json, line ${at + 1}: ${said.source}`)] : [],
  );
  expect(told).toEqual(expect.arrayContaining(expected));
  expect(told).toHaveLength(expected.length);
  const many = await report(`{"questions": {"items": [${Array(95_000).fill(0)}]}}`);
  expect(many.split('\n')).toHaveLength(22);
});
