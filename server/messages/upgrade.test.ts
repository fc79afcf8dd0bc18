import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { DatabaseSetting } from '../../settings/checks.ts';
import { START, temporaryFolder } from '../../tests/support/open-test-service.ts';
import { newPostgresDatabase } from '../../tests/support/postgres.ts';
import { runSql } from '../../tests/support/postgres-server.ts';
import { countUnanswered } from './counts.ts';
import { migrations } from './migrations.ts';
import { openDatabase } from './open.ts';
import { eachMessage } from './queries.ts';
import { createStore } from './store.ts';
import { COLUMNS } from './table.ts';
import { answersOf, messageTimes } from './unanswered.ts';

const EARLIER = join(import.meta.dirname, '../../tests/earlier-schemas');
const earlier = (ending: string) =>
  readdirSync(EARLIER)
    .filter((name) => name.endsWith(ending))
    .toSorted();

type Engine = 'sqlite' | 'postgres';

/** In the order in which they came. */
const FIXTURES = [
  '01a1fc24-7b5e-7429-abc4-659443c39f9d',
  '01a1fc24-7b67-7268-b9ea-c6a0cd30826b',
  '01a1fc24-7b68-725b-9f9a-8894674035b4',
] as const;

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

test.each(SCHEMAS)(
  'on %s, a database of the schema %s is brought up to date and loses nothing',
  async (engine, schema) => {
    const database = await openDatabase(await databaseOf(engine, schema));
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

const DAY = 86_400_000;

test.each(['sqlite', 'postgres'] as const)(
  'on %s, an upgrade takes only what came in the last seven days for unanswered',
  async (engine) => {
    const setting = await databaseOf(engine, '20261121000006_sent_before');
    // The migration goes by the database's clock.
    const move = (id: string, daysAgo: number) =>
      `update contact_message set received_at = ${Date.now() - daysAgo * DAY} where id = '${id}'`;
    const [answered, waiting, aside] = FIXTURES;
    const changes = [move(answered, 7.1), move(waiting, 6.9), move(aside, 400)];
    if (setting.engine === 'postgres') for (const change of changes) await runSql(setting.url, change);
    else {
      const sqlite = new Sqlite(setting.file);
      sqlite.exec(changes.join(';'));
      sqlite.close();
    }
    const unanswered = async () => {
      const database = await openDatabase(setting);
      const ids: string[] = [];
      for await (const { id } of eachMessage(database, { unanswered: true }, 'oldest first')) ids.push(id);
      const times = answersOf(await messageTimes(database, 0), Date.now());
      await database.close();
      return { ids, times };
    };
    const expected = { ids: [waiting], times: { answeredInTime: 0, answersDue: 1, medianAnswerMs: null } };
    expect(await unanswered()).toEqual(expected);
    if (setting.engine === 'postgres') {
      // `supabase db push` runs a file again that the server has run.
      const { file } = migrations('postgres').find(({ name }) => name.endsWith('_answered_at')) ?? {};
      await runSql(setting.url, move(waiting, 8));
      await runSql(setting.url, readFileSync(file ?? '', 'utf8'));
    }
    expect(await unanswered()).toEqual(expected);

    // An older version that goes on with the database stores messages that wait.
    const database = await openDatabase(setting);
    onTestFinished(() => database.close());
    const copied = COLUMNS.filter(
      (name) => !['id', 'message_id', 'idempotency_key', 'answered_at'].includes(name),
    );
    await sql`insert into contact_message (id, message_id, ${sql.raw(copied.join(', '))})
      select 'new', 'new', ${sql.raw(copied.join(', '))} from contact_message where id = ${waiting}`.execute(
      database.db,
    );
    expect(await countUnanswered(database, Date.now())).toMatchObject({ unanswered: 2 });
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
