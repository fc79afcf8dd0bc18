import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import { openSqlite } from './open.ts';
import { countByState, countMessages } from './queries.ts';
import { StoreError } from './store-error.ts';
import { COLUMNS, type Tables } from './table.ts';

/**
 * Copies a database, also one that's written to meanwhile, and compares the copy with it.
 *
 * @param file becomes a SQLite database, whichever engine the other has
 * @returns how many messages the file holds
 */
export async function backUp({ db, engine }: Database, file: string): Promise<number> {
  const copy = await openSqlite(file);
  try {
    const transaction = db.transaction();
    // One state of the database all the time. SQLite knows no other isolation, and no word for it.
    const snapshot = engine === 'postgres' ? transaction.setIsolationLevel('repeatable read') : transaction;
    const copied = await snapshot.execute((source) => copyContents(source, copy.db));
    const verdict = copy.sqlite.pragma('integrity_check(1)', { simple: true });
    const found = await readContents(copy.db);
    if (verdict !== 'ok' || found.messages !== copied.messages || found.digest !== copied.digest) {
      throw new StoreError(
        'The copy differs from the database, so it was thrown away. Is the disk all right?',
      );
    }
    // One file alone, without a log beside it, that can be moved and opened anywhere.
    copy.sqlite.pragma('journal_mode = DELETE');
    return found.messages;
  } finally {
    await copy.close();
  }
}

/** `held`: how many messages the database holds already, into which nothing was restored therefore. */
export type Restored = { messages: number; waiting: number } | { held: number };

/** Fills an empty database from a backup, and compares the two. */
export async function restore({ db, engine }: Database, backup: Database): Promise<Restored> {
  return db.transaction().execute(async (target) => {
    // A server on the target that takes or mails a message waits until all are there.
    if (engine === 'postgres') await sql`lock table contact_message in exclusive mode`.execute(target);
    const held = await countMessages({ db: target });
    if (held > 0) return { held };
    // What a server that has just begun has counted is not worth more than the backup.
    await target.deleteFrom('daily_count').execute();
    await target.deleteFrom('last_done').execute();
    const copied = await copyContents(backup.db, target);
    const { messages, digest } = await readContents(target);
    if (digest !== copied.digest) {
      throw new StoreError(
        'What arrived differs from the backup, so nothing was restored. Is the disk all right?',
      );
    }
    const { waiting } = await countByState({ db: target }, ['waiting']);
    return { messages, waiting: waiting.count };
  });
}

/** Opens a copy, since a backup by an older version gets the tables of this one first, and must stay as it is. */
export async function withBackup<T>(file: string, use: (backup: Database) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'));
  try {
    const copy = join(folder, 'backup.db');
    await copyFile(file, copy);
    // Somebody may have copied a live database by hand, and its log with it as they should.
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${copy}-wal`);
    const backup = await openSqlite(copy).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      throw new StoreError(
        `${file} is no backup that this version can read: ${error.message.replaceAll(copy, file)}`,
      );
    });
    try {
      return await use(backup);
    } finally {
      await backup.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a database holds that is worth keeping. Two with the same digest hold the same. */
type Contents = { messages: number; digest: string };

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
async function copyContents(from: Kysely<Tables>, to: Kysely<Tables>): Promise<Contents> {
  return pass(from, async (batch) => {
    // One statement for each table, since the type of the rows goes with it.
    if (batch.table === 'contact_message') await to.insertInto(batch.table).values(batch.rows).execute();
    else if (batch.table === 'daily_count') await to.insertInto(batch.table).values(batch.rows).execute();
    else await to.insertInto(batch.table).values(batch.rows).execute();
  });
}

async function readContents(db: Kysely<Tables>): Promise<Contents> {
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
