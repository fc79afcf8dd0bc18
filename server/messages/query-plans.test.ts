import { type CompiledQuery, createQueryId } from 'kysely';
import { expect, test } from 'vitest';
import { HOUR } from '../../contract/time.ts';
import { insertRows } from '../../tests/support/database/message-rows.ts';
import { ENGINES, newDatabase, openAt } from '../../tests/support/database/new-database.ts';
import { createStore, type Store } from '../../tests/support/database/open-store.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { MESSAGE } from '../../tests/support/service.ts';
import type { Database, PostgresDatabase, SqliteDatabase } from './database.ts';
import { eraseMessages } from './erase.ts';
import { setSeen } from './owner.ts';
import * as queries from './queries.ts';
import { isAnswered, isFrom, isIn, isOld, isUnanswered, STATES } from './table.ts';

const DELIVERED = 20_000;
const PER_HOUR = 200;
/** These statements use the database's clock. */
const NOW = Date.now();

/** A message each second for the past few hours. Then runs the ANALYZE that Postgres would get to on its own. */
async function fill(database: Database, state: 'sent' | 'waiting' = 'sent'): Promise<void> {
  const rows = Array.from({ length: DELIVERED }, (_, index) => {
    const received_at = NOW - 2 * HOUR - index * 1000;
    const isSent = state === 'sent' && { sent_at: received_at, answered_at: NOW };
    const times = { received_at, seen_at: NOW - 2 * HOUR, next_attempt_at: 0 };
    return { state, attempts: 1, ...times, ...isSent };
  });
  await insertRows(database, rows);
  if (database.engine === 'postgres') await database.pool.query('analyze contact_message');
}

async function statementsOf(
  database: Database,
  work: (store: Store, database: Database) => Promise<unknown>,
) {
  const made: CompiledQuery[] = [];
  const db = database.db.withPlugin({
    transformQuery({ node }) {
      made.push(database.db.getExecutor().compileQuery(node, createQueryId()));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const same = { ...database, db };
  await work(createStore(same), same);
  return made;
}

type Plan = Record<string, unknown> & { Plans?: Plan[] };

/** All steps of the statement together look at few rows, kept or not. */
async function looksAtFew({ pool }: PostgresDatabase, { sql, parameters }: CompiledQuery): Promise<void> {
  const client = await pool.connect();
  await client.query('begin');
  const { rows } = await client.query(`explain (analyze, format json) ${sql}`, [...parameters]);
  await client.query('rollback');
  client.release();
  const sum = (plan: Plan): number =>
    (Number(plan['Actual Rows']) + Number(plan['Rows Removed by Filter'] ?? 0)) *
      Number(plan['Actual Loops']) +
    (plan.Plans ?? []).reduce((total, part) => total + sum(part), 0);
  expect(sum(rows[0]['QUERY PLAN'][0].Plan), sql).toBeLessThan(160);
}

/** SQLite doesn't say how many it looks at, only how it goes about it. */
function usesIndexes({ sqlite }: SqliteDatabase, { sql, parameters }: CompiledQuery): void {
  // Nearly all are delivered, so the first page of those ends soon in order of the ids.
  if (sql.includes("where state = 'sent' order by")) return;
  const steps = sqlite.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...parameters);
  const plan = steps.map(({ detail }) => detail).join('\n');
  // It may scan these indexes, which hold only what waits to be mailed or answered, what never was, or a page of what was.
  expect(plan).not.toMatch(
    /^SCAN contact_(?!.* contact_message_(next|due|replied|unanswered|unopened|unsent|untold)$)/m,
  );
  // In index order, so the oldest that's due, or that she has to look at, comes first.
  if (/^update|held_for.*"received_at" limit/.test(sql)) expect(plan).not.toContain('TEMP B-TREE');
  // By time for the last hour, since mail from every hour shares one state.
  if (sql.includes('sent_at >')) expect(plan).toMatch(/contact_message_sent \(sent_at>\?/);
}

/** What runs for each mail, each minute or each day, or shows a page of the desk. */
async function work(store: Store, database: Database): Promise<void> {
  await store.add(MESSAGE, { now: NOW });
  await store.claim(undefined, 1000, PER_HOUR);
  await store.nextDueAt();
  await store.counts();
  await queries.failingSince(database, NOW, NOW);
  await queries.countUnanswered(database, NOW);
  await queries.toRemind(database, NOW, 20);
  for (const delivered of [true, false]) await queries.unreported(database, NOW, { most: 50, delivered });
  await queries.unopened(database, 50);
  await queries.missed(database, NOW, 50);
  await queries.countAside(database);
  await setSeen(database, { since: NOW, now: NOW });
  await eraseMessages(database, isOld(1), '');
  await queries.pageOfMessages(database, { which: isUnanswered }, 'oldest first', { most: 50 });
  for (const which of [...STATES.map(isIn), isAnswered, isFrom('nobody@example.org')])
    await queries.pageOfMessages(database, { which }, 'newest first', { most: 50 });
}

test.each(ENGINES)('on %s, messages delivered long ago aren’t read for each mail or look', async (engine) => {
  const database = await openAt(await newDatabase(engine));
  await fill(database);
  const statements = await statementsOf(database, work);
  expect(statements.length).toBeGreaterThan(4);
  for (const statement of statements) {
    if (database.engine === 'postgres') await looksAtFew(database, statement);
    else usesIndexes(database, statement);
  }
});

test('on Postgres, the oldest of many due messages, or that there’s none, is found without reading the others', async () => {
  const url = await newDatabase('postgres');
  const database = await openAt(url);
  await fill(database, 'waiting');
  const isCheap = async (perHour: number) => {
    for (const statement of await statementsOf(database, (store) => store.claim(undefined, 1000, perHour)))
      await looksAtFew(database as PostgresDatabase, statement);
  };
  await isCheap(PER_HOUR);
  // On a connection of its own, since ours may take 4.5 s at most, however busy the machine is.
  await runSql(url, 'update contact_message set sent_before = 5');
  await isCheap(1);
});
