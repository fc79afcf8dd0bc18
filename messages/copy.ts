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
 * Copies a database, even while it's being written to, and compares the copy with it.
 *
 * @param file becomes a SQLite database, whatever the source engine
 * @returns how many messages the file holds
 */
export async function backUp({ db, engine }: Database, file: string): Promise<number> {
  const copy = await openSqlite(file);
  try {
    const transaction = db.transaction();
    // One snapshot throughout. SQLite has no other isolation level, and no syntax for it.
    const snapshot = engine === 'postgres' ? transaction.setIsolationLevel('repeatable read') : transaction;
    const copied = await snapshot.execute((source) => readContents(source, copy.db));
    const verdict = copy.sqlite.pragma('integrity_check(1)', { simple: true });
    const found = await readContents(copy.db);
    if (verdict !== 'ok' || found.digest !== copied.digest) {
      throw new StoreError(
        'The copy differs from the database, so it was thrown away. Is the disk all right?',
      );
    }
    // A single file with no log beside it, so it can be moved and opened anywhere.
    copy.sqlite.pragma('journal_mode = DELETE');
    return found.messages;
  } finally {
    await copy.close();
  }
}

/** `held`: how many messages the database already holds. If it holds any, nothing is restored. */
export type Restored = { messages: number; waiting: number } | { held: number };

/** Fills an empty database from a backup and compares the two. */
export async function restore({ db, engine }: Database, backup: Database): Promise<Restored> {
  return db.transaction().execute(async (target) => {
    // Makes a server on the target wait to take or mail messages until they're all there.
    if (engine === 'postgres') await sql`lock table contact_message in exclusive mode`.execute(target);
    const held = await countMessages({ db: target });
    if (held > 0) return { held };
    // A server that has only just started may have noted something.
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

/**
 * Opens a copy: a backup from an older version gets migrated first, and the original must stay as it is.
 *
 * @param name how errors name the file
 */
export async function withBackup<T>(
  file: string,
  name: string,
  use: (backup: Database) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'));
  try {
    const copy = join(folder, 'backup.db');
    await copyFile(file, copy);
    // Someone may have copied a live database by hand, along with its log, as they should.
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${copy}-wal`);
    const backup = await openSqlite(copy).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      throw new StoreError(
        `${name} is no backup that this version can read: ${error.message.replaceAll(copy, name)}`,
      );
    });
    try {
      if (backup.sqlite.pragma('quick_check(1)', { simple: true }) !== 'ok')
        throw new StoreError(`${name} is damaged, so nothing was restored.`);
      return await use(backup);
    } finally {
      await backup.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What's worth keeping in a database. Two with the same digest hold the same data. */
type Contents = { messages: number; digest: string };

/** A statement takes a limited number of values: a few thousand at least. */
const AT_ONCE = 200;

/**
 * Reads everything, with a few hundred messages in memory at a time. The columns are named so that both engines list a
 * row's values in the same order.
 *
 * @param from a snapshot transaction, or a database nobody is writing to
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
  const done = await from.selectFrom('last_done').select(['what', 'at']).orderBy('what').execute();
  add('last_done', done);
  if (done.length > 0) await to?.insertInto('last_done').values(done).execute();
  return { messages, digest: hash.digest('hex') };
}
