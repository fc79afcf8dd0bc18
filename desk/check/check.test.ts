import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../settings/settings.ts';
import { CHECKS, runCheck } from './check.ts';
import { judgeSpace } from './disk.ts';
import { report } from './doctor.ts';
import { about, type Context, headline } from './finding.ts';

const CONTEXT: Context = {
  settings: readSettings({}),
  now: 0,
  ownUrl: 'http://127.0.0.1:8080',
  sendTest: false,
  database: () => Promise.reject(new Error('Nobody asked')),
};
test('a check that throws is reported without the words of the error', async () => {
  const failing = () => Promise.reject(Object.assign(new Error('secret words'), { code: 'ENOENT' }));
  expect(await runCheck('domain', failing, CONTEXT)).toMatchObject([
    { id: 'domain', verdict: 'wrong', found: 'This couldn’t be checked: ENOENT.' },
  ]);
});

test('every check is in the guide', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/desk.md'), 'utf8');
  expect(Object.keys(CHECKS).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

const server = about('mail-server', 'Mail server');
const address = about('address', 'Public address');

test('all is well only if nothing is to be looked at, and what a server says cannot move the cursor', () => {
  const fine = [server.ok('It answers.'), address.ok('It is shown.')];
  expect(headline(fine)).toBe('All is well.');
  expect(headline([...fine, address.look('It leads on.', 'Take the last one.')])).toBe('1 thing to look at.');
  const wrong = [...fine, server.wrong('It says \u001b[2J.', 'Ask.', '/desk/settings#SMTP_URL')];
  expect(report(wrong)).toBe(
    'ok     Mail server: It answers.\nok     Public address: It is shown.\nwrong  Mail server: It says \uFFFD[2J.\n       → Ask.\n\n1 thing is wrong.\n',
  );
});

test.each([
  [1024, 'ok', '1 GB free.'],
  [1023.9, 'look', 'Only 1023 MB free.'],
  [92, 'wrong', 'Only 92 MB free. Once it’s full, messages can’t be saved.'],
])('%i MB free is %s', (megabytes, verdict, found) => {
  expect(judgeSpace(megabytes * 1024 ** 2)).toMatchObject({ verdict, found });
});
