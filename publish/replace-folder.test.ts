import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { replaceFolder } from './replace-folder.ts';

function folders() {
  const root = temporaryFolder();
  const make = (name: string) => {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'index.html'), name);
    return join(root, name);
  };
  const page = join(root, 'dist');
  return { root, make, page, shown: () => readFileSync(join(page, 'index.html'), 'utf8') };
}

test('a finished site takes the place of the one before, or of none, and nothing else is left', async () => {
  const { root, make, page, shown } = folders();
  await replaceFolder(make('first'), page);
  expect(shown()).toBe('first');
  await replaceFolder(make('second'), page);
  expect(shown()).toBe('second');
  expect(readdirSync(root)).toEqual(['dist']);
});

test('a site that can’t be put in its place leaves the one that was there', async () => {
  const { root, make, page, shown } = folders();
  await replaceFolder(make('first'), page);
  // It can be moved away, and then there's nothing to move in.
  await expect(replaceFolder(join(root, 'missing'), page)).rejects.toThrow(/ENOENT/);
  expect(shown()).toBe('first');
  expect(readdirSync(root)).toEqual(['dist']);
});
