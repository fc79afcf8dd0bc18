import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { linesOf } from '../../tests/support/desk/run-check.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { readWhatCan, settings } from './settings.ts';

function projectFolder(env: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), env);
  return folder;
}

test('every faulty setting is a finding, and the others can still be used', () => {
  const root = projectFolder('PORT=a\nCONTACT_EMAIL=b\nSMTP_URL=http://user:hunter2@host\nMAIL_PER_HOUR=7\n');
  const { settings: read, faulty, findings } = readWhatCan(root);
  expect(faulty.toSorted()).toEqual(['CONTACT_EMAIL', 'PORT', 'SMTP_URL']);
  expect(findings.map(({ verdict, link }) => `${verdict} ${link}`)).toContain(
    'wrong /desk/settings#SMTP_URL',
  );
  expect(findings).toHaveLength(3);
  expect(read).toMatchObject({ port: 8080, mailPerHour: 7, mail: { via: 'folder' } });
  expect(JSON.stringify(findings)).not.toContain('hunter2');
});

test('a .env that can’t be read is reported, and the environment is still looked at', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, '.env'));
  vi.stubEnv('MAIL_PER_HOUR', '7');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { settings: read, findings } = readWhatCan(root);
  expect(findings).toMatchObject([{ verdict: 'wrong', found: expect.stringContaining('(EISDIR)') }]);
  expect(read.mailPerHour).toBe(7);
});

test('settings without a fault are one line, beside the one that says whether anything would alert her', async () => {
  const { findings } = readWhatCan(projectFolder('PORT=1'));
  const check = (ALERT_WEBHOOK_URL: string) =>
    linesOf(settings, { ALERT_WEBHOOK_URL }, { settingsFindings: findings });
  expect(await check('')).toEqual([
    'settings ok: All of them can be read.',
    expect.stringMatching(/^alarm look: /),
  ]);
  const [, alerted] = await check('https://hooks.example/secret');
  expect(alerted).toMatch(/^alarm ok: [^/]*$/);
});
