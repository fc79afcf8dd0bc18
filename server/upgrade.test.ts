import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newPostgresDatabase } from '../tests/postgres.ts';
import { runSql } from '../tests/postgres-server.ts';
import { type DatabaseSetting, openDatabase } from './database.ts';
import { migrations } from './migrations.ts';
import { START, temporaryFolder } from './open-test-service.ts';
import { createStore } from './store.ts';

const ROOT = join(import.meta.dirname, '..');
/** Databases as they were left behind, each named after the last migration that it had seen. */
const EARLIER = join(ROOT, 'tests/earlier-schemas');
const SQL = join(ROOT, 'supabase/migrations');

const sqliteSchemas = Object.keys(migrations).slice(0, -1);
const postgresSchemas = readdirSync(SQL)
  .filter((name) => name.endsWith('.sql'))
  .toSorted()
  .slice(0, -1);

async function sqliteOf(schema: string): Promise<DatabaseSetting> {
  const file = join(temporaryFolder(), 'contact.db');
  copyFileSync(join(EARLIER, `${schema}.db`), file);
  return { engine: 'sqlite', file };
}

async function postgresOf(schema: string): Promise<DatabaseSetting> {
  const url = await newPostgresDatabase();
  const seen = postgresSchemas.slice(0, postgresSchemas.indexOf(schema) + 1);
  for (const name of seen) await runSql(url, readFileSync(join(SQL, name), 'utf8'));
  await runSql(url, readFileSync(join(EARLIER, schema), 'utf8'));
  return { engine: 'postgres', url };
}

test('there is a database of every schema but the present one', () => {
  const missing = [...sqliteSchemas.map((name) => `${name}.db`), ...postgresSchemas].filter(
    (name) => !existsSync(join(EARLIER, name)),
  );
  expect(missing).toEqual([]);
});

test.each([
  ...sqliteSchemas.map((schema) => ['sqlite', schema] as const),
  ...postgresSchemas.map((schema) => ['postgres', schema] as const),
])('on %s, a database of the schema %s is brought up to date and loses nothing', async (engine, schema) => {
  const setting = await (engine === 'sqlite' ? sqliteOf(schema) : postgresOf(schema));
  const database = await openDatabase(setting);
  onTestFinished(() => database.close());
  const { db } = database;
  const rows = await db.selectFrom('contact_message').selectAll().orderBy('received_at').execute();
  expect(
    rows.map(({ name, email, message, state, failures, last_error, sent_at }) => ({
      name,
      email,
      message,
      state,
      failures,
      last_error,
      sent_at,
    })),
  ).toEqual([
    {
      name: 'Ana Souza',
      email: 'ana@example.org',
      message: 'Our stock is never where it should be.',
      state: 'sent',
      failures: 0,
      last_error: null,
      sent_at: START + 1500,
    },
    {
      name: '山田 👩🏽‍🔧',
      email: 'yamada@example.org',
      message: 'Žluťoučký\n\n محمد',
      state: 'waiting',
      failures: 1,
      last_error: 'retry smtp-451',
      sent_at: null,
    },
    {
      name: 'Refused',
      email: 'refused@example.org',
      message: 'Set aside',
      state: 'set_aside',
      failures: 1,
      last_error: 'refused smtp-550',
      sent_at: null,
    },
    {
      name: 'Bot',
      email: 'bot@example.org',
      message: 'Buy!',
      state: 'spam',
      failures: 0,
      last_error: null,
      sent_at: null,
    },
  ]);
  if (schema !== '0001-contact-message') {
    expect(await db.selectFrom('daily_count').selectAll().orderBy('what').execute()).toEqual([
      { day: '2026-11-21', what: 'message', count: 3 },
      { day: '2026-11-21', what: 'visit', count: 40 },
    ]);
    expect(await db.selectFrom('last_done').selectAll().execute()).toEqual([{ what: 'digest', at: START }]);
  }

  // And it goes on as if nothing had been: what waited is mailed at its time, what came is known.
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
});
