import { readFileSync } from 'node:fs';
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

const LAST_OF_0_4 = '20261123020000_perhaps_answered';

/** What a database of version 0.4 held. */
const ROWS = `insert into contact_message (id, received_at, name, email, message, state, attempts, next_attempt_at, failures,
  first_failure_at, last_error, sent_at, message_id, content_hash, idempotency_key, sent_before, held_for, seen_at) values
  ('01a1fc24-7b5e-7429-abc4-659443c39f9d', 1795262400000, 'Ana Souza', 'ana@example.org', 'Our stock is lost.', 'sent', 1,
    1795262401000, 0, null, null, 1795262401500, '<1@example.com>', 'hash 1', null, 0, null, 1795262400000),
  ('01a1fc24-7b67-7268-b9ea-c6a0cd30826b', 1795262400001, '山田 👩🏽‍🔧', 'yamada@example.org', 'Žluťoučký

 محمد', 'waiting', 1,
    1795262410006, 1, 1795262400006, 'retry smtp-451', null, '<2@example.com>',
    '1pGGk0I88cbKgJ5falMzidsqXujz6WOgFxwd_Ysapbo', 'arnx6499M4j0-dWG9m6Z_VQIDfLERvDlhmiwnAihbdA', 1, null, 1795262400001),
  ('01a1fc24-7b68-725b-9f9a-8894674035b4', 1795262400002, 'Refused', 'refused@example.org', 'Set aside', 'set_aside', 1,
    1795262401007, 1, null, 'refused smtp-550', null, '<3@example.com>', 'hash 3', null, 2, null, 1795262400002),
  ('01a1fc24-7b68-7cfa-9870-9f57db01c715', 1795262400003, 'Bot', 'bot@example.org', 'Buy!', 'spam', 0,
    1795262400003, 0, null, null, null, '<4@example.com>', 'hash 4', null, 3, 'trap', 1795262400003);
insert into last_done (what, at) values ('suspected spam', 1795262400000);`;

async function databaseOf(engine: 'sqlite' | 'postgres'): Promise<DatabaseSetting> {
  const steps = migrations(engine).filter(({ name }) => name <= LAST_OF_0_4);
  const texts = [...steps.map(({ file }) => readFileSync(file, 'utf8')), ROWS];
  if (engine === 'postgres') {
    const url = await newPostgresDatabase();
    for (const text of texts) await runSql(url, text);
    return { engine, url };
  }
  const file = join(temporaryFolder(), 'contact.db');
  const sqlite = new Sqlite(file);
  for (const text of texts) sqlite.exec(text);
  sqlite.close();
  return { engine, file };
}

test.each(['sqlite', 'postgres'] as const)(
  'on %s, a database of version 0.4 is brought up to date and loses nothing',
  async (engine) => {
    const database = await openDatabase(await databaseOf(engine));
    onTestFinished(() => database.close());
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
    expect(await db.selectFrom('last_done').selectAll().execute()).toEqual([
      { what: 'suspected spam', at: START },
    ]);

    // And it carries on as if nothing had happened: waiting messages are mailed on time, and repeats are recognized.
    const store = createStore(database, { mailDomain: 'example.com' });
    expect(await store.claim(START + 10_005, 1000)).toBeUndefined();
    const waiting = await store.claim(START + 10_006, 1000);
    expect(waiting).toMatchObject({
      id: rows[1]?.id,
      messageId: '<2@example.com>',
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
