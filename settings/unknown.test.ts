import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { readSettings } from './settings.ts';
import { unknownSettings } from './unknown.ts';

function toldOf(env: string): string[] {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), env);
  return unknownSettings(folder);
}

test('what’s no setting, or has no =, is said, but not what other programs read, nor a password in a broken line', () => {
  const others = 'TZ=America/Toronto\nNODE_ENV=production\nPGPASSWORD=x\nHTTPS_PROXY=y\nSMTP_PORT=1\n';
  expect(toldOf(`GREETING=hello\n${others}`)).toEqual([
    'GREETING in .env isn’t a setting, so it changes nothing. .env.example lists every setting.',
  ]);
  expect(toldOf('CONTACT_EMAIL: me@example.com\nSMTP_URL smtps://me:hunter2@host?a=b\nPORT = 1\n')).toEqual([
    'CONTACT_EMAIL in .env has no = after its name, so it changes nothing.',
    'SMTP_URL in .env has no = after its name, so it changes nothing.',
  ]);
  expect(toldOf('PORT=1\n# CONTACT_EMIAL=x\n')).toEqual([]);
  expect(unknownSettings(temporaryFolder())).toEqual([]);
});

test.each(['', ':/etc/localtime', 'Nowhere/Bad'])('with TZ=%s the time is in UTC, and that’s said', (TZ) => {
  vi.stubEnv('TZ', TZ);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(readSettings({}).timeZone).toBe('UTC');
  expect(toldOf('PORT=1\n')).toEqual([expect.stringMatching(/ UTC\. Set TIME_ZONE\.$/)]);
  expect(toldOf('TIME_ZONE=America/Toronto\n')).toEqual([]);
});
