import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe as describeTests, expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { checkDisk, judgeSpace } from './disk-space.ts';
import { describe, openEnvFile, openToOthers } from './file-rights.ts';

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

test('messages that others can read are named, with the command that closes them', async () => {
  const folder = temporaryFolder();
  const mails = join(folder, 'mail');
  const [db = '', mail = ''] = ['contact.db', 'mail/1.eml'].map((name) => join(folder, name));
  mkdirSync(mails, { mode: 0o700 });
  for (const file of [db, mail]) writeFileSync(file, 'x', { mode: 0o600 });
  const check = async () => {
    const { verdict, found, todo } = describe(
      await openToOthers([db, join(folder, 'missing')], mails),
      undefined,
    );
    return [verdict, found, todo];
  };
  expect(await check()).toEqual(['ok', expect.any(String), undefined]);

  chmodSync(mails, 0o755);
  expect((await check())[0], 'the names of files tell nothing').toBe('ok');

  chmodSync(mail, 0o640);
  chmodSync(db, 0o644);
  expect(await check()).toEqual([
    'wrong',
    `Other users of this machine can read ${db}, ${mails}.`,
    `Type: chmod -R go= '${db}' '${mails}'`,
  ]);

  // A private folder protects its files.
  chmodSync(mails, 0o700);
  chmodSync(db, 0o600);
  expect((await check())[0]).toBe('ok');
});

describeTests('a .env with a password', () => {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const ofServer = { uid, gid };
  /** Owned by another user than this one, as far as the check can see. */
  const another = { uid: uid + 1, gid };

  async function closeFor(
    mode: number,
    server: typeof ofServer | undefined,
    text = 'SMTP_URL=smtps://a:b@c',
  ) {
    const folder = temporaryFolder();
    const path = join(folder, '.env');
    writeFileSync(path, `${text}\n`);
    chmodSync(path, mode);
    return (await openEnvFile(folder, server))?.close.replaceAll(path, '.env');
  }

  test('may be read by the group that the server runs as, and no advice locks the server out', async () => {
    expect(await closeFor(0o640, another)).toBeUndefined();
    expect(await closeFor(0o640, undefined)).toBeUndefined();
    expect(await closeFor(0o644, another)).toBe(`chgrp ${gid} '.env' && chmod 640 '.env'`);
    expect(await closeFor(0o640, { ...another, gid: gid + 1 })).toBe(
      `chgrp ${gid + 1} '.env' && chmod 640 '.env'`,
    );
    expect(await closeFor(0o644, undefined)).toMatch(/^chgrp GROUP '\.env' && chmod 640 '\.env' \(GROUP is/);
    expect(await closeFor(0o640, ofServer)).toBe("chmod go= '.env'");
    expect(await closeFor(0o600, ofServer)).toBeUndefined();
  });

  test.each([
    ['SMTP_URL=smtps://a:b@c', true],
    ['DATABASE_URL=postgres://a:b@c/d', true],
    ['SWEEP_SECRET=abcdefghijklmnopqrstuvwxyz', true],
    ['ALERT_WEBHOOK_URL=https://hooks.example/secret', true],
    ['SMTP_URL=smtp://127.0.0.1', false],
    ['DATABASE_URL=file:./data/contact.db\nPORT=1', false],
  ])('is one with %s: %s', async (text, isSecret) => {
    expect((await closeFor(0o644, ofServer, text)) !== undefined).toBe(isSecret);
  });
});
