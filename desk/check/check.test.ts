import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesOf } from '../../tests/support/desk/run-check.ts';
import { CHECKS, report } from './check.ts';
import { judgeSpace } from './disk.ts';
import { about, headline } from './finding.ts';

test('a check that throws is reported without the words of the error', async () => {
  const failing = () => Promise.reject(Object.assign(new Error('secret words'), { code: 'ENOENT' }));
  expect(await linesOf(failing)).toEqual(['settings wrong: This couldn’t be checked: ENOENT.']);
});

test('every check is in the guide', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/desk.md'), 'utf8');
  expect(Object.keys(CHECKS).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

test('all is well only if nothing is to be looked at, and what a server says cannot move the cursor', () => {
  const { ok, look, wrong } = about('mail-server', 'Mail server');
  const fine = [ok('It answers.'), ok('It encrypts.')];
  expect(headline(fine)).toBe('All is well.');
  expect(headline([...fine, look('It is slow.', 'Ask.')])).toBe('1 thing to look at.');
  expect(report([...fine, wrong('It says \u001b[2J.', 'Ask.', '/desk/settings#SMTP_URL')])).toBe(
    'ok     Mail server: It answers.\nok     Mail server: It encrypts.\nwrong  Mail server: It says \uFFFD[2J.\n       → Ask.\n\n1 thing is wrong.\n',
  );
});

test.each([
  [1024, 'ok', '1 GB free.'],
  [1023.9, 'look', 'Only 1023 MB free.'],
  [92, 'wrong', 'Only 92 MB free. Once it’s full, messages can’t be saved.'],
])('%i MB free is %s', (megabytes, verdict, found) => {
  expect(judgeSpace(megabytes * 1024 ** 2)).toMatchObject({ verdict, found });
});
