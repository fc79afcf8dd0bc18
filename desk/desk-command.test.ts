import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDesk, runDesk } from '../tests/support/desk/desk-process.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../docs/desk.md'), 'utf8');
test('the help tells of every command, which has a place in the guide, and the version is said, whatever the settings', async () => {
  const env = { DATABASE_URL: 'nonsense' };
  const { out, err } = await runDesk(temporaryFolder(), ['list', '--help'], { env });
  expect(err).toBe('');
  const commands = [...out.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name = '']) => name);
  expect(commands).toEqual(['open', 'list', 'doctor', 'export', 'backup', 'restore']);
  expect((await runDesk(temporaryFolder(), ['--version'], { env })).out).toMatch(
    /^blueprint-operations-site \d/,
  );
  for (const name of commands) expect(GUIDE).toMatch(new RegExp(`npm run desk (-- )?${name}\\b`));
});

test.each([
  [['lst'], /There’s no command lst\./],
  [['constructor'], /There’s no command constructor\./],
  [['list', '--state', 'spam'], /Unknown option '--state'/],
  [['list', 'everything'], /Unexpected argument 'everything'/],
  [['restore'], /Name a backup/],
])('%j is wrong usage: exit code 2, and what is right', async (args, words) => {
  const { code, out, err } = await runDesk(temporaryFolder(), args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(words);
  expect(err).toContain('npm run desk help');
});

test('wrong settings are named all at once, and a database that is not there is not made', async () => {
  const folder = temporaryFolder();
  const wrong = await runDesk(folder, ['list'], { env: { PORT: 'a', CONTACT_EMAIL: 'b' } });
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(/2 settings are wrong[\s\S]*CONTACT_EMAIL[\s\S]*PORT/);
  for (let time = 0; time < 2; time += 1) {
    const { code, out, err } = await runDesk(folder, ['list']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/There is no database at .*contact\.db: the server makes it/);
  }
});

test('a database that doesn’t answer, or refuses a change, is reported in a sentence and not in a stack', async () => {
  // Nothing listens on this port.
  const gone = await runDesk(temporaryFolder(), ['list'], {
    env: { DATABASE_URL: 'postgres://somebody:hunter2@127.0.0.1:1/contact' },
  });
  expect(gone).toMatchObject({ code: 1, out: '' });
  expect(gone.err).toMatch(
    /^The Postgres server at 127\.0\.0\.1:1\/contact does not answer \(ECONNREFUSED\)\./,
  );
  expect(gone.err).not.toMatch(/hunter2|\n {4}at /);

  const { run, database } = await openTestDesk('sqlite');
  await sql`drop table contact_message`.execute(database.db);
  expect(await run(['list'])).toEqual({
    code: 1,
    out: '',
    err: 'The database couldn’t do it (SQLITE_ERROR). Try again; the server’s log may say more.\n',
  });
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
