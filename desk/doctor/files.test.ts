import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/open-test-service.ts';
import { checkDisk, judgeSpace } from './disk.ts';
import { checkFileModes } from './file-rights.ts';

const GB = 1024 ** 3;

test.each([
  [5 * GB, 1e6, 'ok: 5 GB free'],
  [GB, 1e6, 'ok: 1 GB free'],
  [GB - 1, 1e6, 'look: Only 1023 MB free'],
  [0.1 * GB, 1e6, 'look: Only 102 MB free'],
  [0.09 * GB, 1e6, 'wrong: Only 92 MB free'],
  [5 * GB, 12, 'wrong: Only 12 more files fit'],
])('%i bytes and %i files free is %s', (bytes, names, expected) => {
  const { verdict, found } = judgeSpace({ folder: '/data', bytes, names });
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
    const [finding] = await checkFileModes([db, join(folder, 'missing')], {
      mailFolder: mails,
      secrets: [env],
    });
    return [finding?.verdict, finding?.found, finding?.todo];
  };
  expect(await check()).toEqual(['ok', expect.any(String), undefined]);

  chmodSync(mails, 0o755);
  expect(await check()).toEqual(['look', expect.stringContaining('can list'), `Type: chmod 700 ${mails}`]);

  chmodSync(env, 0o644);
  expect(await check()).toEqual([
    'look',
    `Other users of this machine can read the passwords in ${env}.`,
    `Type: chmod 600 ${env} && chmod 700 ${mails}`,
  ]);

  chmodSync(mail, 0o640);
  chmodSync(db, 0o644);
  expect(await check()).toEqual([
    'wrong',
    `Other users of this machine can read ${db}, the mails in ${mails}.`,
    `Type: chmod 600 ${db} ${env} && chmod 700 ${mails} && chmod 600 ${mails}/*`,
  ]);

  // A closed folder guards what is in it.
  chmodSync(mails, 0o700);
  for (const file of [db, env]) chmodSync(file, 0o600);
  expect((await check())[0]).toBe('ok');
});
