import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
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
    const copied = await snapshot.execute((source) => readContents(source, copy.db));
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
    const copied = await readContents(backup.db, target);
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

/** A statement takes a limited number of values, some thousands at the least. */
const AT_ONCE = 200;

/**
 * Reads everything, a few hundred messages in memory at a time. The columns are named, so that a row lists its values
 * in the same order from either engine.
 *
 * @param from a transaction that sees one state all the time, or a database that nobody writes to
 * @param to gets a copy; its tables are empty
 */
async function readContents(from: Kysely<Tables>, to?: Kysely<Tables>): Promise<Contents> {
  const hash = createHash('sha256');
  const add = (table: keyof Tables, rows: object[]) => {
    for (const row of rows) hash.update(`${JSON.stringify([table, ...Object.values(row)])}\n`);
  };
  let messages = 0;
  for (let last: string | undefined = ''; last !== undefined; ) {
    const rows = await from
      .selectFrom('contact_message')
      .select(COLUMNS)
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    add('contact_message', rows);
    if (rows.length > 0) await to?.insertInto('contact_message').values(rows).execute();
    messages += rows.length;
    last = rows.at(-1)?.id;
  }
  // A few rows a day: some thousands in the longest of lives.
  const counts = await from
    .selectFrom('daily_count')
    .select(['day', 'what', 'count'])
    .orderBy('day')
    .orderBy('what')
    .execute();
  add('daily_count', counts);
  for (let start = 0; start < counts.length; start += AT_ONCE) {
    const rows = counts.slice(start, start + AT_ONCE);
    await to?.insertInto('daily_count').values(rows).execute();
  }
  const done = await from.selectFrom('last_done').select(['what', 'at']).orderBy('what').execute();
  add('last_done', done);
  if (done.length > 0) await to?.insertInto('last_done').values(done).execute();
  return { messages, digest: hash.digest('hex') };
}
