import { expect, test } from 'vitest';
import { readSettings, SettingsError } from '../../settings/settings.ts';
import { faultsOf } from './settings.ts';

test('every faulty setting is a finding that leads to its field, and none repeats a password', () => {
  let error: unknown;
  try {
    readSettings({ PORT: 'a', CONTACT_EMAIL: 'b', SMTP_URL: 'http://user:hunter2@host', MAIL_PER_HOUR: '7' });
  } catch (thrown) {
    error = thrown;
  }
  const findings = faultsOf(error as SettingsError);
  expect(findings.map(({ verdict, link }) => `${verdict} ${link}`).toSorted()).toEqual(
    ['CONTACT_EMAIL', 'PORT', 'SMTP_URL'].map((name) => `wrong /desk/settings#${name}`),
  );
  expect(JSON.stringify(findings)).not.toContain('hunter2');
  expect(faultsOf(new SettingsError([], 'It can’t be read.'))).toMatchObject([
    { verdict: 'wrong', found: 'It can’t be read.' },
  ]);
});
