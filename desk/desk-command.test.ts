import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestDesk, runDesk } from '../tests/support/desk/desk-process.ts';
import { temporaryFolder } from '../tests/support/service.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../docs/desk.md'), 'utf8');
test('the help lists every command, and the guide covers each one, whatever the settings', async () => {
  const env = { DATABASE_URL: 'nonsense' };
  const { out, err } = await runDesk(temporaryFolder(), ['list', '--help'], { env });
  expect(err).toBe('');
  const commands = [...out.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name = '']) => name);
  expect(commands).toEqual(['open', 'list', 'doctor', 'export', 'backup', 'restore']);
  for (const name of commands) expect(GUIDE).toMatch(new RegExp(`npm run desk (-- )?${name}\\b`));
});

test.each([
  [['constructor'], /There’s no command constructor\./],
  [['list', '--state', 'spam'], /Unknown option '--state'/],
  [['list', 'everything'], /Unexpected argument 'everything'/],
  [['restore'], /Name a backup/],
])('%j is wrong usage: exit code 2, and what’s right', async (args, words) => {
  const { code, out, err } = await runDesk(temporaryFolder(), args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(words);
  expect(err).toContain('npm run desk help');
});

const DATABASE_URL = 'postgres://somebody:hunter2@127.0.0.1:1/contact';

test.each([
  ['wrong settings', { PORT: 'a', CONTACT_EMAIL: 'b' }, /2 settings are wrong.*CONTACT_EMAIL.*PORT/s],
  ['a database that isn’t there', {}, /There is no database at .*contact\.db: the server creates it/],
  ['a place it can’t look at', { DATABASE_URL: `file:./${'a'.repeat(300)}` }, /cannot be read .*TOOLONG/],
  ['a database that’s silent', { DATABASE_URL }, /^The Postgres server at .*:1.contact does not answer/],
])('for %s, there’s a sentence and no stack trace, and nothing is created', async (_, env, words) => {
  const folder = temporaryFolder();
  const { code, out, err } = await runDesk(folder, ['list'], { env });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(words);
  expect(err).not.toMatch(/hunter2|\n {4}at /);
  expect(readdirSync(folder)).toEqual([]);
});

test('an output that finds no room is a reported failure', async () => {
  const stdout = openSync('/dev/full', 'w');
  const { add, run } = await openTestDesk('sqlite');
  await add();
  for (const command of [['list'], ['list', '--json'], ['export', '--csv']]) {
    const { code, err } = await run(command, { stdout });
    expect([command, code, err]).toEqual([command, 1, 'The output cannot be written (ENOSPC).\n']);
  }
  closeSync(stdout);
});
