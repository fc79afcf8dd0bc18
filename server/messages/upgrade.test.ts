import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { DatabaseSetting } from '../../settings/checks.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { migrations } from './migrations.ts';
import { openDatabase } from './open.ts';
import { createStore } from './store.ts';

const EARLIER = join(import.meta.dirname, '../../tests/earlier-schemas');
const earlier = (ending: string) =>
  readdirSync(EARLIER)
    .filter((name) => name.endsWith(ending))
    .toSorted();

type Engine = 'sqlite' | 'postgres';

/** SQLite files as left by versions before these migrations, and every schema since except today's. */
const SCHEMAS: [Engine, string][] = [
  ...earlier('.db').map((name): [Engine, string] => ['sqlite', name.slice(0, -'.db'.length)]),
  ...(['sqlite', 'postgres'] as const).flatMap((engine) =>
    migrations(engine)
      .slice(0, -1)
      .map(({ name }): [Engine, string] => [engine, name]),
  ),
];

/** The SQL that creates a database with that schema, plus typical contents. */
function sqlOf(engine: Engine, schema: string): string[] {
  const steps = migrations(engine).filter(({ name }) => name <= schema);
  const rows = earlier('.sql').findLast((name) => name <= `${schema}.sql`) ?? '';
  return [...steps.map(({ file }) => file), join(EARLIER, rows)].map((file) => readFileSync(file, 'utf8'));
}

async function databaseOf(engine: Engine, schema: string): Promise<DatabaseSetting> {
  if (engine === 'postgres') {
    const url = await newPostgresDatabase();
    for (const text of sqlOf(engine, schema)) await runSql(url, text);
    return { engine, url };
  }
  const file = join(temporaryFolder(), 'contact.db');
  if (earlier('.db').includes(`${schema}.db`)) copyFileSync(join(EARLIER, `${schema}.db`), file);
  else {
    const sqlite = new Sqlite(file);
    for (const text of sqlOf(engine, schema)) sqlite.exec(text);
    sqlite.close();
  }
  return { engine, file };
}

const LEFT = ['name', 'email', 'message', 'state', 'failures', 'last_error', 'sent_at'] as const;

test.each(SCHEMAS)(
  'on %s, a database of the schema %s is brought up to date and loses nothing',
  async (engine, schema) => {
    const database = await openDatabase(await databaseOf(engine, schema));
    onTestFinished(() => database.close());
    const { db } = database;
    const rows = await db.selectFrom('contact_message').selectAll().orderBy('received_at').execute();
    expect(rows.map((row) => LEFT.map((column) => row[column]))).toEqual([
      [
        'Ana Souza',
        'ana@example.org',
        'Our stock is never where it should be.',
        'sent',
        0,
        null,
        START + 1500,
      ],
      ['山田 👩🏽‍🔧', 'yamada@example.org', 'Žluťoučký\n\n محمد', 'waiting', 1, 'retry smtp-451', null],
      ['Refused', 'refused@example.org', 'Set aside', 'set_aside', 1, 'refused smtp-550', null],
      ['Bot', 'bot@example.org', 'Buy!', 'spam', 0, null, null],
    ]);
    // Before reasons were kept, there was but one.
    const reason = schema < '20261122000001' ? 'trap' : null;
    expect(rows.map(({ held_for }) => held_for)).toEqual([null, null, null, reason]);
    if (schema !== '0001-contact-message') {
      expect(await db.selectFrom('last_done').selectAll().execute()).toEqual([{ what: 'digest', at: START }]);
    }

    // And it carries on as if nothing had happened: waiting messages are mailed on time, and repeats are recognized.
    const store = createStore(database, { mailDomain: 'example.com', leaseClock: 'caller' });
    expect(await store.claim(START + 10_005, 1000)).toBeUndefined();
    const waiting = await store.claim(START + 10_006, 1000);
    expect(waiting).toMatchObject({
      id: rows[1]?.id,
      messageId: rows[1]?.message_id,
      attempts: 2,
      failures: 1,
    });
    const again = { name: '山田 👩🏽‍🔧', email: 'yamada@example.org', message: 'Žluťoučký\n\n محمد' };
    const twin = await store.add(again, { now: START + 60_000, idempotencyKey: 'k1' });
    expect(twin).toEqual({ id: rows[1]?.id, duplicate: true });
    const other = { ...again, message: 'Sent later' };
    expect(await store.add(other, { now: START + 60_000, idempotencyKey: 'k1' })).toMatchObject({
      duplicate: false,
    });
  },
);

test('version 0.1.0, which knows nothing of compatible migrations, can go back to a database of today', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const url = await newPostgresDatabase();
  await (await openDatabase({ engine: 'sqlite', file })).close();
  await (await openDatabase({ engine: 'postgres', url })).close();
  const sqlite = new Sqlite(file, { readonly: true });
  onTestFinished(() => void sqlite.close());
  // Version 0.1.0 refuses a database with any other name in these tables.
  expect(sqlite.prepare('select name from kysely_migration order by name').pluck().all()).toEqual([
    '0001-contact-message',
    '0002-daily-count-and-last-done',
    '0003-mails-of-the-last-hour',
  ]);
  expect(await runSql(url, 'select name from contact_migration order by name')).toEqual([
    { name: '20261121000000_contact_message' },
    { name: '20261121000001_sweep' },
    { name: '20261121000002_undelivered' },
  ]);
});
