import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { createStore } from '../../tests/support/database/open-store.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { migrations } from './migrate.ts';
import { openDatabase } from './open.ts';

const ENGINES = ['sqlite', 'postgres'] as const;
const SCHEMA_OF_0_4 = 'tests/support/database/schema-0.4';

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

/** An empty database, and a way to run SQL in it. */
async function newDatabase(engine: (typeof ENGINES)[number]) {
  if (engine === 'postgres') {
    const url = await newPostgresDatabase();
    return { setting: { engine, url }, run: (text: string) => runSql(url, text) };
  }
  const file = join(temporaryFolder(), 'contact.db');
  const run = async (text: string) => {
    const sqlite = new Sqlite(file);
    sqlite.exec(text);
    sqlite.close();
  };
  return { setting: { engine, file }, run };
}

async function open(setting: Parameters<typeof openDatabase>[0]) {
  const database = await openDatabase(setting);
  onTestFinished(() => database.close());
  return database;
}

async function columnsAndIndexes(database: Awaited<ReturnType<typeof openDatabase>>) {
  const tables = (await database.db.introspection.getTables()).map(({ name, columns }) => [
    name,
    columns.map((column) => [column.name, column.dataType, column.isNullable]).toSorted(),
  ]);
  const indexes =
    database.engine === 'postgres'
      ? (await database.pool.query("select indexdef as sql from pg_indexes where schemaname = 'public'")).rows
      : database.sqlite.prepare("select sql from sqlite_schema where type = 'index'").all();
  return {
    tables: tables.toSorted(),
    indexes: indexes.map(({ sql }) => sql?.replace(/\s+/g, ' ')).toSorted(),
  };
}

test.each(ENGINES)(
  'on %s, a database of version 0.4 is moved in one step and loses nothing',
  async (engine) => {
    const { setting, run } = await newDatabase(engine);
    await run(readFileSync(`${SCHEMA_OF_0_4}.${engine}.sql`, 'utf8') + ROWS);
    const database = await open(setting);
    expect(await columnsAndIndexes(database)).toEqual(
      await columnsAndIndexes(await open((await newDatabase(engine)).setting)),
    );
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
    expect(rows.map(({ held_for }) => held_for)).toEqual([null, null, null, 'trap']);
    expect(
      rows.map(({ answered_at }) => answered_at),
      'what came before anybody kept track of answers is answered',
    ).toEqual([START, null, null, null]);
    expect(
      rows.map(({ opened_at }) => opened_at),
      'what she was mailed is not new to her',
    ).toEqual([START + 1500, null, null, START + 4]);
    expect(await db.selectFrom('last_done').selectAll().execute()).toEqual([
      { what: 'suspected spam', at: START },
    ]);

    // And it carries on as if nothing had happened: waiting messages are mailed on time, and repeats are recognized.
    const store = createStore(database);
    expect(await store.claim(START + 10_005, 1000)).toBeUndefined();
    expect(await store.claim(START + 10_006, 1000)).toMatchObject({
      message_id: '<2@example.com>',
      attempts: 2,
    });
    const again = { name: '山田 👩🏽‍🔧', email: 'yamada@example.org', message: 'Žluťoučký\n\n محمد' };
    const twin = await store.add(again, { now: START + 60_000, idempotencyKey: 'k1' });
    expect(twin).toEqual({ id: rows[1]?.id, duplicate: true });
    // A second start finds nothing to do.
    await open(setting);
  },
);

test.each(ENGINES)(
  'on %s, a database from before 0.4 is refused with a sentence, and left as it is',
  async (engine) => {
    const { setting, run } = await newDatabase(engine);
    await run(
      readFileSync(`${SCHEMA_OF_0_4}.${engine}.sql`, 'utf8') +
        "delete from compatible_migration where name > '20261123000000'",
    );
    await expect(openDatabase(setting)).rejects.toThrow(/is from a version before 0\.4.* Start version 0\.4/);
    await run('insert into mail_folder select 1, 1, 1');
  },
);

test.each(ENGINES)(
  'on %s, a newer version’s step is refused by name, unless it is compatible',
  async (engine) => {
    const { setting, run } = await newDatabase(engine);
    await (await openDatabase(setting)).close();
    await run("insert into compatible_migration (name) values ('9998_later')");
    await open(setting);
    await run("insert into contact_migration (name) values ('9999_two'), ('9999_one')");
    await expect(openDatabase(setting)).rejects.toThrow(/newer version.*\(9999_one, 9999_two\)/);
  },
);

test('both engines run the same steps', () => {
  const names = (engine: (typeof ENGINES)[number]) => migrations(engine).map(({ name }) => name);
  expect(names('sqlite')).toEqual(names('postgres'));
  expect(names('sqlite').length).toBeGreaterThan(0);
  for (const { name, file } of ENGINES.flatMap(migrations))
    expect(readFileSync(file, 'utf8'), 'it records itself').toContain(`'${name}'`);
});
