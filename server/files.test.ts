import { fsyncSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../tests/support/service.ts';
import { replaceFile } from './files.ts';

vi.mock('node:fs', { spy: true });

test('a power cut takes away neither a file nor a folder that was made for it: the folder above each new one is synced', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'mine/earlier-photos/one.jpg');
  await replaceFile(file, 'a photo');
  expect(readFileSync(file, 'utf8')).toBe('a photo');
  const opened = vi.mocked(openSync).mock.calls.map(([path]) => path);
  expect(opened).toEqual(expect.arrayContaining([folder, join(folder, 'mine'), dirname(file)]));
  expect(fsyncSync).toHaveBeenCalledTimes(opened.length);
});
