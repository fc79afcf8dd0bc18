import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { replaceFolder } from './folder.ts';

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
