import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDesk, runDesk } from '../tests/support/desk/desk-process.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../docs/desk.md'), 'utf8');
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
};

test('asked for its version, the desk names what it runs on, whatever the settings', async () => {
  const { out } = await runDesk(temporaryFolder(), ['--version']);
  expect(out).toBe(`blueprint-operations-site ${version}\nNode ${process.versions.node}\nDatabase SQLite\n`);
  const wrong = await runDesk(temporaryFolder(), ['--version'], { env: { PORT: 'a' } });
  expect(wrong).toMatchObject({ code: 0, err: '' });
});

test('every command has a help of its own and a place in the guide, and needs neither right settings nor a database for it', async () => {
  const folder = temporaryFolder();
  const env = { DATABASE_URL: 'nonsense' };
  const { out } = await runDesk(folder, ['--help'], { env });
  const commands = [...out.matchAll(/^ {2}([a-z][a-z-]+) .*/gm)].map(([, name = '']) => name);
  expect(commands).toContain('list');
  const helps = await Promise.all(commands.map((name) => runDesk(folder, [name, '--help'], { env })));
  for (const [index, { code, out: help, err }] of helps.entries()) {
    expect({ code, err }).toEqual({ code: 0, err: '' });
    if (commands[index] === 'help') continue;
    expect(help).toMatch(new RegExp(`^Usage: npm run desk -- ${commands[index]}[ |]`));
    expect(GUIDE, 'docs/desk.md tells of it').toMatch(new RegExp(`npm run desk (-- )?${commands[index]}\\b`));
  }
});

test.each([
  [['lst'], /unknown command 'lst'\n\(Did you mean list\?\)/],
  [['list', '--stat', 'spam'], /unknown option '--stat'/],
  [['list', '--state', 'lost'], /Allowed choices are waiting, delivered, set-aside, spam/],
  [['list', '--since', '2026-02-31'], /Give a time such as 7d/],
  [['list', '--limit', '0'], /Give a whole number, 1 or more/],
  [['list', 'everything'], /too many arguments/],
  [['restore'], /missing required argument 'file'/],
])('%j is wrong usage: exit code 2, and what is right', async (args, words) => {
  const { code, out, err } = await runDesk(temporaryFolder(), args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(words);
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
  expect(gone.err).toMatch(/^No Postgres server answers at 127\.0\.0\.1:1\/contact \(ECONNREFUSED\)\./);
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
