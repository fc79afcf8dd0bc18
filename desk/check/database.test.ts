import { statSync, truncateSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { DAY, MINUTE } from '../../contract/time.ts';
import { noteDelivered } from '../../server/messages/claims.ts';
import { deliveredWith } from '../../server/messages/last-done.ts';
import { inspectDatabase } from '../../server/messages/open.ts';
import { setTold } from '../../server/messages/owner.ts';
import { readSettings } from '../../settings/settings.ts';
import { idOf, insertRows, openWith, rowAt } from '../../tests/support/database/message-rows.ts';
import { newPostgresDatabase, openAt } from '../../tests/support/database/new-database.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { linesOf } from '../../tests/support/desk/run-check.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { START } from '../../tests/support/service.ts';
import { database as databaseCheck, messages } from './database.ts';
import { checkBackup } from './disk.ts';
import type { Check } from './finding.ts';
import { mailOut } from './mail-out.ts';
import { testMail } from './test-mail.ts';

const SENT = { state: 'sent', sent_at: START } as const;
const SPAM = { state: 'spam', held_for: 'trap' } as const;
const WELL = 'queue ok: None is waiting to be mailed, and none is set aside that you haven’t seen.';

/** The lines of all checks that read the database; fails if any of its content shows up in them. */
async function check(at: string, now = START, change: Record<string, string> = {}): Promise<string[]> {
  const env = { ...change, DATABASE_URL: at.includes('://') ? at : `file:${at}` };
  const report = inspectDatabase(readSettings(env), { now });
  const lines: string[] = [];
  for (const each of [databaseCheck, messages, checkBackup])
    lines.push(...(await linesOf(each, env, { now, database: () => report })));
  expect(lines.join()).not.toMatch(/Ana Souza|ana@example\.org|stock/);
  return lines;
}

const queueAt = async (...args: Parameters<typeof check>) =>
  (await check(...args)).filter((line) => line.startsWith('queue '));

test('a whole, writable, empty database is fine, as is a backup for a week; one from the future doesn’t count', async () => {
  const database = await openWith([]);
  const { location: file } = database;
  const none = 'backup look: None has been made here yet.';
  const all = [`database ok: ${file} can be read and written.`, WELL, none];
  expect(await check(file), 'while the server has it open').toEqual(all);
  await database.db.insertInto('last_done').values({ what: 'backup', at: START }).execute();
  const backupAt = async (now: number) => (await check(file, now)).at(-1);
  expect(await backupAt(START + 7 * DAY)).toBe('backup ok: The last one is 7 days old.');
  expect(await backupAt(START + 7 * DAY + MINUTE)).toBe('backup look: The last one is 7 days old.');
  expect(await backupAt(START - DAY)).toBe(none);
});

test('for a Supabase project, what it hasn’t done is found, and where to fix it; having none of its messages here is no finding', async () => {
  const project = { VITE_SUPABASE_URL: 'https://abcdefgh.supabase.co' };
  const { location: file } = await openWith([]);
  expect((await check(file, START, project))[0]).toMatch(/^database look: .* messages to abcdefgh/);
  const url = await newPostgresDatabase();
  const { db } = await openAt(url);
  const env = { ...project, DATABASE_URL: 'postgres://u:p@db.abcdefgh.supabase.co/postgres' };
  const found = async (check: Check, now: number) => {
    const database = () => inspectDatabase(readSettings({ DATABASE_URL: url }), { now });
    const [first] = await check({ settings: readSettings(env), now, ownUrl: '', sendTest: false, database });
    return `${first?.verdict}: ${first?.found} ${first?.todo}`;
  };
  expect(await found(mailOut, START)).toMatch(/^wrong: .* yet .* Go through “Retries”/);
  await db.insertInto('last_done').values({ what: 'swept', at: START }).execute();
  expect(await found(mailOut, START + MINUTE)).toMatch(/^ok: .* 1 min ago\./);
  expect(await found(mailOut, START + 2 * DAY)).toMatch(/^wrong: .* for 2 days /);
  const failed = { attempts: 1, failures: 1, first_failure_at: START, last_error: 'retry smtp-451' };
  await db.insertInto('contact_message').values(rowAt(0, failed)).execute();
  expect(await found(messages, START + DAY)).toMatch(/^wrong: .* Correct SMTP_URL and MAIL_FROM .* project/);
});

test('a waiting message is fine at first, needs a look if its mail failed or others go out first, and otherwise is wrong after 15 minutes', async () => {
  const database = await openWith([{}]);
  const after = async (minutes: number) =>
    (await queueAt(database.location, START + minutes * MINUTE)).join();
  expect(await after(1)).toBe('queue ok: 1 message is waiting to be mailed, the oldest from 1 min ago.');
  expect(await after(15)).toBe('queue wrong: 1 message is waiting to be mailed, the oldest from 15 min ago.');
  await noteDelivered(database, deliveredWith(readSettings({})), START);
  expect(await after(15)).toMatch(/^queue look:/);
  const failed = { attempts: 1, failures: 1, first_failure_at: START, last_error: 'retry smtp-451' };
  await database.db.updateTable('contact_message').set(failed).execute();
  expect(await after(1)).toBe(
    'queue look: 1 message is waiting to be mailed, the oldest from 1 min ago: the mail server put it off (code 451).',
  );
  expect(await after(16)).toMatch(/^queue wrong: .*put it off/);
});

test('set-aside messages are wrong, and hide neither waiting ones nor each other', async () => {
  const aside = { state: 'set_aside', last_error: 'refused smtp-550' } as const;
  const later = { ...aside, received_at: START + 10 * MINUTE };
  const { location } = await openWith([aside, later, { received_at: START + 20 * MINUTE }, SPAM]);
  expect(await queueAt(location, START + DAY)).toEqual([
    'queue wrong: 2 messages are set aside, the oldest from 24 h ago: the mail server refuses it (code 550). Nothing is lost.',
    'queue wrong: 1 message is waiting to be mailed, the oldest from 23 h ago.',
    'queue look: 1 message is held as spam, the oldest from 24 h ago.',
  ]);
});

test('what is held, set aside, or mailed and not marked as answered in time, is found until she has opened it', async () => {
  const database = await openWith([SENT, SPAM, { state: 'set_aside', opened_at: START }]);
  const { location: file } = database;
  const held = 'queue look: 1 message is held as spam, the oldest from';
  expect(await queueAt(file, START + DAY - MINUTE)).toEqual([`${held} 23 h ago.`]);
  const late = 'queue look: 1 message is not marked as answered in time, the oldest from 24 h ago.';
  expect(await queueAt(file, START + DAY)).toEqual([`${held} 24 h ago.`, late]);
  expect(await queueAt(file, START + DAY, { REMINDERS: 'off' })).toEqual([`${held} 24 h ago.`]);
  await setTold(database, 'opened', [idOf(1)], START);
  expect(await queueAt(file, START + DAY)).toEqual([late]);
  await setTold(database, 'opened', [idOf(0)], START);
  expect(await queueAt(file, START + DAY)).toEqual([WELL]);
});

test('a mail server that takes a test and refuses what visitors write is found, until she has opened the message', async () => {
  const database = await openWith([]);
  const account = { SMTP_URL: 'smtps://me:secret@smtp.example.com', CONTACT_EMAIL: 'owner@example.com' };
  const env = { ...account, DATABASE_URL: `file:${database.location}` };
  const check = async (change = {}) => {
    const lines = [messages, testMail].map((each) => linesOf(each, { ...env, ...change }));
    return (await Promise.all(lines)).flat();
  };
  const none = 'delivered look: With these settings, your mail server hasn’t accepted an email yet.';
  expect(await check()).toEqual([WELL, none]);
  await noteDelivered(database, deliveredWith(readSettings(env)), START - MINUTE);
  const some = 'delivered ok: With these settings, your mail server accepted an email 1 min ago.';
  expect((await check())[1]).toBe(some);
  for (const change of [
    { SMTP_URL: 'smtps://you:secret@smtp.example.com' },
    { MAIL_FROM: 'site@example.com' },
    { CONTACT_EMAIL: 'other@example.com' },
  ])
    expect((await check(change))[1]).toBe(none);

  await insertRows(database, [{ ...SENT, last_error: 'refused smtp-554' }]);
  expect(await check()).toEqual([
    'queue wrong: The words of 1 message could not be mailed to you: the mail server refuses it (code 554). Nothing is lost.',
    some,
  ]);
  await setTold(database, 'opened', [idOf(0)], START);
  expect(await check()).toEqual([WELL, some]);
});

test('a file that has lost its middle is damaged', async () => {
  const database = await openWith(Array.from({ length: 50 }, () => ({ message: 'x'.repeat(2000) })));
  const { location: file } = database;
  await database.close();
  truncateSync(file, statSync(file).size - 3 * 4096);
  expect((await check(file))[0]).toContain(`database wrong: The database ${file} is damaged`);
});

test('tables of another version are left as they are, whether newer or older', async () => {
  const { location: file } = await openWith([]);
  const other = await untilEnd(new Sqlite(file));
  other.exec("insert into compatible_migration (name) values ('9998-later')");
  expect((await check(file))[0]).toMatch(/^database ok: /);
  other.exec("insert into contact_migration (name) values ('9999-later')");
  expect((await check(file))[0]).toMatch(/^database wrong: .*newer version/);
  other.exec(`delete from contact_migration;
    insert into compatible_migration (name) values ('20261123020000_perhaps_answered')`);
  expect(await check(file)).toEqual([expect.stringMatching(/^database look: .*older version/)]);
  expect(other.prepare('select count(*) from contact_migration').pluck().get()).toBe(0);
  other.exec('delete from compatible_migration');
  expect((await check(file))[0]).toMatch(/^database wrong: .*before 0\.4/);
});

test('a database that takes no writes is wrong, and still says what waits in it', async () => {
  const { location: file } = await openWith([{}]);
  const other = await untilEnd(new Sqlite(file));
  other.exec("create trigger refuse before insert on last_done begin select raise(abort, 'no'); end");
  const lines = await check(file);
  expect(lines[0]).toMatch(/^database wrong: .*can’t be written \(SQLITE_CONSTRAINT_TRIGGER\)/);
  expect(lines[1]).toMatch(/^queue ok: 1 message is waiting/);
});

test('a Postgres database is checked in the same way, and isn’t migrated either', async () => {
  const url = await newPostgresDatabase();
  expect(await check(url)).toEqual([expect.stringMatching(/^database look: Postgres .* older version/)]);
  const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  await expect.poll(() => runSql(url, `select ${others}`)).toEqual([]);
  expect(await runSql(url, "select to_regclass('contact_message') as made")).toEqual([{ made: null }]);

  const database = await openAt(url);
  await insertRows(database, [{}]);
  await database.db.insertInto('last_done').values({ what: 'backup', at: START }).execute();
  expect(await check(url, START + 20 * MINUTE)).toEqual([
    expect.stringMatching(/^database ok: Postgres at 127\.0\.0\.1:\d+\/test_\w+ can be read and written\.$/),
    'queue wrong: 1 message is waiting to be mailed, the oldest from 20 min ago.',
    'backup ok: The last one is 20 min old.',
  ]);
});
