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

test('messages and passwords that all on the machine can read are named, with the command that closes them', async () => {
  const folder = temporaryFolder();
  const [database = '', env = ''] = ['contact.db', '.env'].map((name) => join(folder, name));
  writeFileSync(database, 'x', { mode: 0o644 });
  writeFileSync(env, 'PORT=1\n', { mode: 0o644 });
  const check = () => checkRights([database, `${database}-wal`], folder);
  expect(await check()).toMatchObject({
    verdict: 'look',
    todo: expect.stringContaining(`go= '${database}'`),
  });
  writeFileSync(env, 'SMTP_URL=smtps://a:b@c\n');
  expect((await check()).todo).toContain(`chmod go= '${database}' '${env}'`);
  for (const file of [database, env]) chmodSync(file, 0o600);
  expect(await check()).toMatchObject({ verdict: 'ok' });
});
