import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
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

test('words that were written are read again, with any letters, and stand one below the other', async () => {
  const folder = temporaryFolder();
  const own = { hero: { headline: 'Où « ça » 🚚 coince ?' } };
  await writeOwn(folder, own);
  expect(await readOwn(folder)).toEqual({
    own,
    text: '{\n  "hero": {\n    "headline": "Où « ça » 🚚 coince ?"\n  }\n}\n',
  });
});

test('the photo is any founder file but data, of two neither is guessed, and what a system or editor leaves isn’t the owner’s', async () => {
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
  ['61 MB', (path: string) => writeFileSync(path, Buffer.alloc(61e6)), /61\.0 MB, and can have (0\.2|60) MB/],
  ['a pipe', (path: string) => void execFileSync('mkfifo', [path]), /isn’t a file/],
  ['a folder', (path: string) => void mkdirSync(path), /isn’t a file/],
])('words or a photo that are %s are refused by size and kind, unread', async (_, make, said) => {
  const folder = temporaryFolder();
  for (const name of [WORDS_FILE, 'founder.jpg']) make(join(folder, name));
  await expect(checkedWords(folder)).rejects.toThrow(said);
  await expect(photoFile(folder)).rejects.toThrow(said);
});
