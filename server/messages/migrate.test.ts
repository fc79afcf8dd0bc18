import { readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ENGINES, type Engine, newDatabase, openAt } from '../../tests/support/database/new-database.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { START } from '../../tests/support/service.ts';
import type { Database } from './database.ts';

const schemaOf04 = (engine: Engine) =>
  readFileSync(`tests/support/database/schema-0.4.${engine}.sql`, 'utf8');

const ROWS = `insert into contact_message (id, received_at, name, email, message, state, attempts, next_attempt_at, failures,
  first_failure_at, last_error, sent_at, message_id, content_hash, idempotency_key, sent_before, held_for, seen_at, listed_at, answered_at) values
  ('01a1fc24-7b5e-7429-abc4-659443c39f9d', 1795262400000, 'Ana Souza', 'ana@example.org', 'Our stock is lost.', 'sent', 1,
    1795262401000, 0, null, null, 1795262401500, '<1@example.com>', 'hash 1', null, 0, null, 1795262400000, null, 0),
  ('01a1fc24-7b67-7268-b9ea-c6a0cd30826b', 1795262400001, '山田 👩🏽‍🔧', 'yamada@example.org', 'Žluťoučký

 محمد', 'waiting', 1,
    1795262410006, 1, 1795262400006, 'retry smtp-451', null, '<2@example.com>',
    '1pGGk0I88cbKgJ5falMzidsqXujz6WOgFxwd_Ysapbo', 'arnx6499M4j0-dWG9m6Z_VQIDfLERvDlhmiwnAihbdA', 1, null, 1795262400001, null, null),
  ('01a1fc24-7b68-725b-9f9a-8894674035b4', 1795262400002, 'Refused', 'refused@example.org', 'Set aside', 'set_aside', 1,
    1795262401007, 1, null, 'refused smtp-550', null, '<3@example.com>', 'hash 3', null, 2, null, 1795262400002, null, null),
  ('01a1fc24-7b68-7cfa-9870-9f57db01c715', 1795262400003, 'Bot', 'bot@example.org', 'Buy!', 'spam', 0,
    1795262400003, 0, null, null, null, '<4@example.com>', 'hash 4', null, 3, 'trap', 1795262400003, 1795262400004, null);
insert into last_done (what, at) values ('suspected spam', 1795262400000);`;

async function run(url: string, text: string): Promise<void> {
  if (url.startsWith('postgres:')) await runSql(url, text);
  else new Sqlite(url.replace('file:', '')).exec(text).close();
}

async function columnsAndIndexes(database: Database) {
  const columns = (await database.db.introspection.getTables()).flatMap((table) =>
    table.columns.map(({ name, dataType, isNullable }) => [table.name, name, dataType, isNullable].join()),
  );
  const indexes: { sql: string | null }[] =
    database.engine === 'postgres'
      ? (await database.pool.query("select indexdef as sql from pg_indexes where schemaname = 'public'")).rows
      : database.sqlite.prepare("select sql from sqlite_schema where type = 'index'").all();
  return [...columns, ...indexes.map(({ sql }) => sql?.replace(/\s+/g, ' '))].toSorted();
}

test.each(ENGINES)('on %s, a version 0.4 database is migrated in one step, without loss', async (engine) => {
  const url = await newDatabase(engine);
  await run(url, schemaOf04(engine) + ROWS);
  const database = await openAt(url);
  const fresh = await openAt(await newDatabase(engine));
  expect(await columnsAndIndexes(database)).toEqual(await columnsAndIndexes(fresh));
  const { db } = database;
  const rows = await db.selectFrom('contact_message').selectAll().orderBy('received_at').execute();
  expect(
    rows.map((row) => [row.name, row.message, row.state, row.failures, row.last_error, row.sent_at]),
  ).toEqual([
    ['Ana Souza', 'Our stock is lost.', 'sent', 0, null, START + 1500],
    ['山田 👩🏽‍🔧', 'Žluťoučký\n\n محمد', 'waiting', 1, 'retry smtp-451', null],
    ['Refused', 'Set aside', 'set_aside', 1, 'refused smtp-550', null],
    ['Bot', 'Buy!', 'spam', 0, null, null],
  ]);
  expect(rows.map((row) => [row.held_for, row.answered_at, row.opened_at])).toEqual([
    // What came before answers were tracked is answered, and what she was mailed isn't new to her.
    [null, START, START + 1500],
    [null, null, null],
    [null, null, null],
    ['trap', null, START + 4],
  ]);
  const notes = await db.selectFrom('last_done').selectAll().execute();
  expect(notes).toEqual([{ what: 'suspected spam', at: START }]);

  const store = createStore(database);
  expect(await store.claim(START + 10_005, 1000)).toBeUndefined();
  const claimed = await store.claim(START + 10_006, 1000);
  expect(claimed).toMatchObject({ message_id: '<2@example.com>', attempts: 2 });
  const again = { name: '山田 👩🏽‍🔧', email: 'yamada@example.org', message: 'Žluťoučký\n\n محمد' };
  const twin = await store.add(again, { now: START + 60_000, idempotencyKey: 'k1' });
  expect(twin).toEqual({ id: rows[1]?.id, duplicate: true });
  await openAt(url);
});

test.each(ENGINES)('on %s, what’s from before 0.4, or newer and incompatible, is refused', async (engine) => {
  const [older, newer] = [await newDatabase(engine), await newDatabase(engine)];
  await run(older, `${schemaOf04(engine)} delete from compatible_migration where name > '20261123000000'`);
  await expect(openAt(older)).rejects.toThrow(/is from a version before 0\.4.* Start version 0\.4/);
  // It's left as it was.
  await run(older, 'insert into mail_folder select 1, 1, 1');
  await openAt(newer);
  await run(newer, "insert into compatible_migration (name) values ('9998_later')");
  await openAt(newer);
  await run(newer, "insert into contact_migration (name) values ('9999_later')");
  await expect(openAt(newer)).rejects.toThrow(/newer version.*\(9999_later\)/);
});

test('ten instances that start at once on Postgres migrate it one after another', async () => {
  const url = await newDatabase('postgres');
  await Promise.all(Array.from({ length: 10 }, () => openAt(url)));
});

test('a Supabase project shows none of the tables to its visitors', async () => {
  const url = await newDatabase('postgres');
  const roles = ['anon', 'authenticated'];
  for (const role of roles) {
    // Roles belong to the server, so another test may be creating it.
    await runSql(url, `create role ${role}`).catch(() => undefined);
    await runSql(url, `alter default privileges in schema public grant all on tables to ${role}`);
  }
  await openAt(url);
  const tables = await runSql<{ name: string; locked: boolean }>(
    url,
    "select relname as name, relrowsecurity as locked from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  expect(tables.length).toBeGreaterThan(5);
  expect(tables.filter(({ locked }) => !locked)).toEqual([]);
  for (const [role, { name }] of roles.flatMap((role) => tables.map((table) => [role, table] as const))) {
    const read = runSql(url, `set role ${role}; select count(*) from ${name}`);
    await expect(read, `${role} reads ${name}`).rejects.toThrow('permission denied');
  }
});
