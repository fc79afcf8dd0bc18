import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY } from '../contract/time.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { EARLIER, keepEarlierFiles, remake } from './folder.ts';

const START = Date.UTC(2026, 10, 21);

/** Builds after one another of these files; each has the one before to keep files from. */
function builds() {
  const root = temporaryFolder();
  let last = 'none';
  return {
    async next(now: number, ...paths: string[]) {
      const before = join(root, last);
      last = `build ${readdirSync(root).length}`;
      for (const path of paths) {
        mkdirSync(dirname(join(root, last, path)), { recursive: true });
        writeFileSync(join(root, last, path), path);
      }
      await keepEarlierFiles(before, join(root, last), now);
      return readdirSync(join(root, last), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== EARLIER)
        .map(({ name }) => name)
        .toSorted();
    },
  };
}

test('scripts, styles, fonts and drawings of an earlier build stay for 30 days, packed ones too, and nothing else', async () => {
  const { next } = builds();
  const asked = ['a-1.js', 'a-1.js.br', 'a-1.js.gz', 'b-1.css', 'c-1.woff2', 'drawings-1/d.svg'];
  const paths = [...asked, 'photo-1.webp', 'share-1.png'].map((path) => `assets/${path}`);
  const kept = ['a-1.js', 'a-1.js.br', 'a-1.js.gz', 'b-1.css', 'c-1.woff2', 'd.svg'];
  await next(START, ...paths, 'index.html');
  expect(await next(START + DAY, 'assets/a-2.js')).toEqual([...kept, 'a-2.js'].toSorted());
  // Each from when it was no longer part of the page.
  expect(await next(START + 30 * DAY, 'assets/a-3.js')).toEqual([...kept, 'a-2.js', 'a-3.js'].toSorted());
  expect(await next(START + 31 * DAY, 'assets/a-3.js')).toEqual(['a-2.js', 'a-3.js']);
  expect(await next(START + 60 * DAY, 'assets/a-3.js')).toEqual(['a-3.js']);
});

test('a page takes the place of the one before, or of none, once it’s whole; if it can’t, that one stays; of others, only what a kill left is cleared up', async () => {
  const root = temporaryFolder();
  const page = join(root, 'dist');
  const make = (words: string) =>
    remake(page, async (fresh) => {
      mkdirSync(fresh);
      writeFileSync(join(fresh, 'index.html'), words);
    });
  for (const name of ['first', 'second']) {
    await make(name);
    expect(readFileSync(join(page, 'index.html'), 'utf8')).toBe(name);
    expect(readdirSync(root)).toEqual(['dist']);
  }
  // It can be moved away, and then there's nothing to move in.
  await expect(remake(page, async () => undefined)).rejects.toThrow(/ENOENT/);
  expect(readFileSync(join(page, 'index.html'), 'utf8')).toBe('second');
  expect(readdirSync(root)).toEqual(['dist']);

  const names = ['dist.new-1', 'dist.old-2', 'dist.new-3', 'dist.news', 'distant.new-4'];
  for (const name of names) mkdirSync(join(root, name));
  for (const name of names.filter((one) => one !== 'dist.new-3')) utimesSync(join(root, name), 0, 0);
  await make('third');
  expect(readdirSync(root).toSorted()).toEqual(['dist', 'dist.new-3', 'dist.news', 'distant.new-4']);
});
