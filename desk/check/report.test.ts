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
  const text = report(WRONG);
  expect(text).toContain('Will I get my messages? Not at the moment.\n');
  expect(text).toContain('  wrong  Mail server: It refuses.\n         → Correct SMTP_URL.\n');
  expect(text).toContain('Is this site mine yet? Not quite.\n');
  expect(text).not.toContain('Are they safe?');
  expect(text).toMatch(/\n1 wrong, 1 to look at, 2 well\.\n$/);
  expect(report(FINE)).toMatch(/messages\? Yes\.\n[\s\S]*mine yet\? Yes\.\n/);
});

test('what a server says in its own words cannot move the cursor', () => {
  const text = report([mail.wrong('It says \u001b[2J\u0007.', 'Ask.')]);
  for (const character of ['\u001b[2J', '\u0007']) expect(text).not.toContain(character);
});
