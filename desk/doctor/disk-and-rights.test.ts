import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/open-test-service.ts';
import { checkDisk, judgeSpace } from './disk-space.ts';
import { checkFileRights } from './file-rights.ts';

const GB = 1024 ** 3;

test.each([
  [5 * GB, 'ok: 5 GB free'],
  [GB, 'ok: 1 GB free'],
  [GB - 1, 'look: Only 1023 MB free'],
  [0.1 * GB, 'look: Only 102 MB free'],
  [0.09 * GB, 'wrong: Only 92 MB free'],
])('%i bytes free is %s', (bytes, expected) => {
  const { verdict, found } = judgeSpace('/data', bytes);
  expect(`${verdict}: ${found}`.startsWith(expected)).toBe(true);
});

test('the disk is looked at before its folder is made, and once when it holds both', async () => {
  const folder = temporaryFolder();
  const findings = await checkDisk([join(folder, 'data'), join(folder, 'data/mail')]);
  expect(findings).toHaveLength(1);
  expect(findings[0]?.found).toMatch(/\d+ (MB|GB) free for .*\/data\.$/);
});

test('files that others can read are named, with the command that closes them', async () => {
  const folder = temporaryFolder();
  const mails = join(folder, 'mail');
  const [db = '', env = '', mail = ''] = ['contact.db', '.env', 'mail/1.eml'].map((name) =>
    join(folder, name),
  );
  mkdirSync(mails, { mode: 0o700 });
  for (const file of [db, env, mail]) writeFileSync(file, 'x', { mode: 0o600 });
  const check = async () => {
    const { verdict, found, todo } = await checkFileRights([db, join(folder, 'missing')], {
      mailFolder: mails,
      secrets: [env],
    });
    return [verdict, found, todo];
  };
  const can = 'Other users of this machine can read';
  expect(await check()).toEqual(['ok', expect.any(String), undefined]);

  chmodSync(mails, 0o755);
  expect((await check())[0], 'the names of files tell nothing').toBe('ok');

  chmodSync(env, 0o644);
  expect(await check()).toEqual(['look', `${can} ${env}.`, `Type: chmod -R go= '${env}'`]);

  chmodSync(mail, 0o640);
  chmodSync(db, 0o644);
  expect(await check()).toEqual([
    'wrong',
    `${can} ${db}, ${mails}, ${env}.`,
    `Type: chmod -R go= '${db}' '${mails}' '${env}'`,
  ]);

  // A private folder protects its files.
  chmodSync(mails, 0o700);
  for (const file of [db, env]) chmodSync(file, 0o600);
  expect((await check())[0]).toBe('ok');
});
