import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { about } from './check.ts';
import { report } from './report.ts';

const mail = about('messages', 'mail-server', 'Mail server');
const page = about('mine', 'page', 'The page');
const placeholder = about('mine', 'placeholders', 'Still to do');

const FINE = [mail.ok('It answers.'), page.ok('It is built.')];
const TO_LOOK_AT = [...FINE, placeholder.look('A photo is missing.', 'Put one there.')];
const WRONG = [...TO_LOOK_AT, mail.wrong('It refuses.', 'Correct SMTP_URL.')];

test('each question is answered by the worst of its own lines', () => {
  const text = stripVTControlCharacters(report(WRONG));
  expect(text).toContain('Will I get my messages?  Not at the moment.\n');
  expect(text).toContain('Is this site mine yet?  Not quite.\n');
  expect(text).not.toContain('Are they safe?');
  expect(text).toMatch(/\n1 wrong, 1 to look at, 2 well\.\n$/);
  expect(stripVTControlCharacters(report(FINE))).toMatch(
    /messages\? {2}Yes\.\n[\s\S]*mine yet\? {2}Yes\.\n[\s\S]*\n2 well\.\n$/,
  );
});

test('no line is wider than the terminal, and what is broken goes on below its beginning', () => {
  const long = mail.wrong('It says no. '.repeat(20), 'Ask it again. '.repeat(20));
  const lines = stripVTControlCharacters(report([long]))
    .trimEnd()
    .split('\n')
    .slice(3, -2);
  expect(lines.length).toBeGreaterThan(5);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(lines.slice(1).filter((line) => line !== '' && !line.startsWith(' '.repeat(22)))).toEqual([]);
});

test('what a server says in its own words cannot move the cursor', () => {
  const text = report([mail.wrong('It says \u001b[2J\u0007.', 'Ask.')]);
  for (const character of ['\u001b[2J', '\u0007']) expect(text).not.toContain(character);
});
