import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import {
  checkedWords,
  founderFiles,
  isGroup,
  layOver,
  onlyOwn,
  ownFiles,
  photoFile,
  readOwn,
  WORDS_FILE,
  type Words,
  writeOwn,
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

/** Whether anything in `own` is as in `ours`. */
function repeats(ours: unknown, own: unknown): boolean {
  if (isGroup(ours) && isGroup(own))
    return Object.entries(own).some(([key, inner]) => key in ours && repeats(ours[key], inner));
  return JSON.stringify(ours) === JSON.stringify(own);
}

test('only what differs from ours is kept, and laid over ours it gives the same words again', () => {
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

test('an update’s new texts and fields come through wherever the owner has changed nothing', () => {
  fc.assert(
    fc.property(words, words, words, (ours, update, changes) => {
      const own = onlyOwn(ours, layOver<Words>(ours, changes));
      const after = layOver<Words>(update, own);
      for (const [key, now] of Object.entries(update))
        if (!isGroup(own) || !(key in own)) expect(after[key]).toEqual(now);
    }),
  );
});

test('words that were written are read again as they were, with any letters, and stand one below the other', async () => {
  await fc.assert(
    fc.asyncProperty(words, async (own) => {
      const folder = temporaryFolder();
      await writeOwn(folder, own);
      expect((await readOwn(folder)).own).toEqual(own);
    }),
    { numRuns: 50 },
  );
  const folder = temporaryFolder();
  await writeOwn(folder, { hero: { headline: 'Où « ça » coince ?' } });
  expect(readFileSync(join(folder, 'words.json'), 'utf8')).toBe(
    '{\n  "hero": {\n    "headline": "Où « ça » coince ?"\n  }\n}\n',
  );
});

test('the photo is any founder file but data, of two neither is guessed, and what a system or editor leaves isn’t the owner’s', async () => {
  const folder = temporaryFolder();
  for (const file of ['.DS_Store', 'words.json~', 'Thumbs.db', 'founder.jpg.unfinished', 'founder.json'])
    writeFileSync(join(folder, file), '');
  writeFileSync(join(folder, 'Founder.HEIC'), '');
  mkdirSync(join(folder, 'earlier-photos'));
  expect(await ownFiles(folder)).toEqual(['Founder.HEIC', 'founder.json']);
  expect(await founderFiles(folder)).toEqual(['Founder.HEIC']);
  // Of two, neither is guessed to be the right one.
  writeFileSync(join(folder, 'founder.png'), '');
  await expect(photoFile(folder)).rejects.toThrow(/Founder\.HEIC and founder\.png.*remove the other/);
  expect(await founderFiles(join(folder, 'none'))).toEqual([]);
});

test.each([
  [
    '30 MB',
    (path: string) => writeFileSync(path, `{"hero": {"headline": "${'a'.repeat(30e6)}"}}`),
    /30\.0 MB/,
  ],
  [
    'a hundred thousand entries',
    (path: string) => writeFileSync(path, JSON.stringify({ hero: { facts: Array(100_000).fill('a') } })),
    /0\.2 MB at most/,
  ],
  ['a pipe', (path: string) => void execFileSync('mkfifo', [path]), /isn’t a file/],
  ['a folder', (path: string) => void mkdirSync(path), /isn’t a file/],
])('words or a photo that are %s are refused by size and kind, unread', async (_, make, said) => {
  const folder = temporaryFolder();
  make(join(folder, WORDS_FILE));
  await expect(checkedWords(folder)).rejects.toThrow(said);
  if (`${said}`.includes('MB')) return;
  const other = temporaryFolder();
  make(join(other, 'founder.jpg'));
  await expect(photoFile(other)).rejects.toThrow(said);
});
