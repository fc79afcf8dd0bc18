import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { checkRights, judgeSpace } from './disk.ts';

const GB = 1024 ** 3;

test.each([
  [GB, 'ok: 1 GB free'],
  [GB - 1, 'look: Only 1023 MB free'],
  [0.09 * GB, 'wrong: Only 92 MB free'],
])('%i bytes free is %s', (bytes, expected) => {
  const { verdict, found } = judgeSpace(bytes);
  expect(`${verdict}: ${found}`.startsWith(expected)).toBe(true);
});

test('passwords that others on the machine can read are named, with the command that closes them', async () => {
  const folder = temporaryFolder();
  const env = join(folder, '.env');
  writeFileSync(env, 'PORT=1\n', { mode: 0o644 });
  expect(await checkRights(folder)).toEqual([]);
  writeFileSync(env, 'SMTP_URL=smtps://a:b@c\n');
  const todo = expect.stringContaining(`chmod go= '${env}'`);
  expect(await checkRights(folder)).toMatchObject([{ verdict: 'look', todo }]);
  chmodSync(env, 0o600);
  expect(await checkRights(folder)).toMatchObject([{ verdict: 'ok' }]);
});
