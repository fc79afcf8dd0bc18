import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY } from '../contract/time.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { type ByPath, keepEarlierFiles, replaceFolder } from './folder.ts';

const START = Date.UTC(2026, 10, 21);

test('scripts, styles, fonts and drawings of an earlier build stay for 30 days, packed ones too, and nothing else', async () => {
  const root = temporaryFolder();
  let before = 'none';
  let earlier: ByPath = {};
  /** What's in a build of these files, which has the one before to keep files from. */
  async function build(day: number, ...paths: string[]): Promise<string[]> {
    const folder = join(root, `day ${day}`);
    for (const path of paths) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), path);
    }
    earlier = await keepEarlierFiles(before, folder, earlier, START + day * DAY);
    before = folder;
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
  }
  const kept = ['a-1.js', 'a-1.js.br', 'a-1.js.gz', 'b-1.css', 'c-1.woff2', 'drawings-1/d.svg'];
  await build(0, ...[...kept, 'photo-1.webp', 'share-1.png'].map((path) => `assets/${path}`), 'index.html');
  const names = kept.map((path) => basename(path));
  expect(await build(1, 'assets/a-2.js')).toEqual([...names, 'a-2.js'].sort());
  // Each from when it was no longer part of the page.
  expect(await build(30, 'assets/a-3.js')).toEqual([...names, 'a-2.js', 'a-3.js'].sort());
  expect(await build(31, 'assets/a-3.js')).toEqual(['a-2.js', 'a-3.js']);
  expect(await build(60, 'assets/a-3.js')).toEqual(['a-3.js']);
});

test('a page takes the place of the one before, or of none, once it’s whole; if it can’t, that one stays; of others, only what a kill left is cleared up', async () => {
  const root = temporaryFolder();
  const page = join(root, 'dist');
  const make = (words: string) =>
    replaceFolder(page, async (fresh) => {
      mkdirSync(fresh);
      writeFileSync(join(fresh, 'index.html'), words);
    });
  for (const name of ['first', 'second']) {
    await make(name);
    expect(readFileSync(join(page, 'index.html'), 'utf8')).toBe(name);
    expect(readdirSync(root)).toEqual(['dist']);
  }
  const halfMade = async (fresh: string) => {
    mkdirSync(fresh);
    throw new Error('no room');
  };
  // Of nothing that was made, the move fails, once the page is out of its place.
  for (const fails of [halfMade, async () => undefined]) {
    await expect(replaceFolder(page, fails)).rejects.toThrow(/no room|ENOENT/);
    expect(readFileSync(join(page, 'index.html'), 'utf8')).toBe('second');
    expect(readdirSync(root)).toEqual(['dist']);
  }

  const names = ['dist.new-1', 'dist.old-2', 'dist.new-3', 'dist.news', 'distant.new-4'];
  for (const name of names) mkdirSync(join(root, name));
  for (const name of names.filter((one) => one !== 'dist.new-3')) utimesSync(join(root, name), 0, 0);
  await make('third');
  expect(readdirSync(root).toSorted()).toEqual(['dist', 'dist.new-3', 'dist.news', 'distant.new-4']);
});
