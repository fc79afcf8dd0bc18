import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { explain } from './command.ts';

test('a full disk or machine is reported as that, not as missing rights, whatever ran out of room', async () => {
  const full = await writeFile('/dev/full', 'x').catch((error) => error);
  const copied = Object.assign(new Error('no space'), { code: full.code, path: 'page/favicon.ico' });
  const stored = Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
  for (const error of [full, copied, stored]) expect(explain(error)).toMatch(/^The disk is full \(\w+\)\./);
  const started = Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE', path: process.execPath });
  expect(explain(started)).toMatch(/too busy to start this .*EMFILE.*Try again/);
});
