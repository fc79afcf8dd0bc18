import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Tables } from '../messages/table.ts';
import { COLUMNS } from '../messages/table.ts';

/** What a database holds that is worth keeping. Two with the same digest hold the same. */
export type Contents = { messages: number; digest: string };

type Batch =
  | { table: 'contact_message'; rows: Selectable<Tables['contact_message']>[] }
  | { table: 'daily_count'; rows: Tables['daily_count'][] }
  | { table: 'last_done'; rows: Tables['last_done'][] };

/** A statement takes a limited number of values, some thousands at the least. */
const AT_ONCE = 200;

/**
 * Copies everything, a few hundred rows in memory at a time.
 *
 * @param from a transaction that sees one state all the time, or a database that nobody writes to
 * @param to holds the tables and nothing in them
 */
export async function copyContents(from: Kysely<Tables>, to: Kysely<Tables>): Promise<Contents> {
  return pass(from, async (batch) => {
    // One statement for each table, since the type of the rows goes with it.
    if (batch.table === 'contact_message') await to.insertInto(batch.table).values(batch.rows).execute();
    else if (batch.table === 'daily_count') await to.insertInto(batch.table).values(batch.rows).execute();
    else await to.insertInto(batch.table).values(batch.rows).execute();
  });
}

export async function readContents(db: Kysely<Tables>): Promise<Contents> {
  return pass(db, async () => undefined);
}

async function pass(db: Kysely<Tables>, each: (batch: Batch) => Promise<void>): Promise<Contents> {
  const hash = createHash('sha256');
  let messages = 0;
  for await (const batch of batches(db)) {
    for (const row of batch.rows) hash.update(`${JSON.stringify([batch.table, ...Object.values(row)])}\n`);
    if (batch.table === 'contact_message') messages += batch.rows.length;
    await each(batch);
  }
  return { messages, digest: hash.digest('hex') };
}

/**
 * All messages in the order of their ids. The columns are named, so that a row lists its values in the same
 * order from either engine.
 */
async function* messageBatches(db: Kysely<Tables>): AsyncGenerator<Selectable<Tables['contact_message']>[]> {
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('contact_message')
      .select(COLUMNS)
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    if (rows.length > 0) yield rows;
    if (rows.length < AT_ONCE) return;
    last = rows.at(-1)?.id ?? last;
  }
}

async function* batches(db: Kysely<Tables>): AsyncGenerator<Batch> {
  for await (const rows of messageBatches(db)) yield { table: 'contact_message', rows };
  // A few rows a day: some thousands in the longest of lives.
  const counts = await db
    .selectFrom('daily_count')
    .select(['day', 'what', 'count'])
    .orderBy('day')
    .orderBy('what')
    .execute();
  for (let start = 0; start < counts.length; start += AT_ONCE)
    yield { table: 'daily_count', rows: counts.slice(start, start + AT_ONCE) };
  const done = await db.selectFrom('last_done').select(['what', 'at']).orderBy('what').execute();
  if (done.length > 0) yield { table: 'last_done', rows: done };
}
