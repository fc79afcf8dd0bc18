import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type Insertable, Kysely, SqliteDialect, sql } from 'kysely';
import type { Database } from './database.ts';
import { openSqlite } from './open.ts';
import { countByState, countMessages } from './queries.ts';
import { StoreError } from './store-error.ts';
import { checkRows, checkTables } from './strange-rows.ts';
import { COLUMNS, type Tables } from './table.ts';

/**
 * Copies a database, even while it's being written to, and compares the copy with it.
 *
 * @param file becomes a SQLite database, whatever the source engine
 * @returns how many messages the file holds
 */
export async function backUp(
  database: Database,
  file: string,
  onProgress?: Reading['onProgress'],
): Promise<number> {
  const copy = await openSqlite(file);
  try {
    // One file with no log beside it, so it can be moved and opened anywhere. Whoever gives it its name syncs it, once
    // instead of for each batch.
    copy.sqlite.pragma('journal_mode = MEMORY');
    copy.sqlite.pragma('synchronous = OFF');
    const copied = await inSnapshot(database, (source) => readContents(source, { to: copy.db, onProgress }));
    const onCompared = (messages: number) => onProgress?.(messages, copied.messages);
    const found = await readContents(copy.db, { onProgress: onCompared });
    if (found.digest !== copied.digest) {
      throw new StoreError(
        'The copy differs from the database, so it was thrown away. Is the disk all right?',
      );
    }
    return found.messages;
  } finally {
    await copy.close();
  }
}

/** One state of the database throughout. On SQLite through a connection of its own, so that others go on writing. */
async function inSnapshot<T>(database: Database, read: (source: Kysely<Tables>) => Promise<T>): Promise<T> {
  if (database.engine === 'postgres')
    return database.db.transaction().setIsolationLevel('repeatable read').execute(read);
  const reader = new Sqlite(database.sqlite.name, { readonly: true, fileMustExist: true });
  const source = new Kysely<Tables>({ dialect: new SqliteDialect({ database: reader }) });
  try {
    return await source.transaction().execute(read);
  } finally {
    await source.destroy();
  }
}

/** `held`: how many messages the database already holds. If it holds any, nothing is restored. */
export type Restored = { messages: number; waiting: number } | { held: number };

/** Fills an empty database from a backup and compares the two. */
export async function restore(
  { db, engine }: Database,
  backup: Database,
  onProgress?: Reading['onProgress'],
): Promise<Restored> {
  return db.transaction().execute(async (target) => {
    // Makes a server on the target wait to take or mail messages until they're all there.
    if (engine === 'postgres') await sql`lock table contact_message in exclusive mode`.execute(target);
    const held = await countMessages({ db: target });
    if (held > 0) return { held };
    // A server that has only just started may have noted something.
    await target.deleteFrom('last_done').execute();
    const copied = await readContents(backup.db, { to: target, onProgress });
    const onCompared = (done: number) => onProgress?.(done, copied.messages);
    const { messages, digest } = await readContents(target, { onProgress: onCompared });
    if (digest !== copied.digest) {
      throw new StoreError(
        'What arrived differs from the backup, so nothing was restored. Is the disk all right?',
      );
    }
    const { waiting } = await countByState({ db: target });
    return { messages, waiting: waiting.count };
  });
}

/**
 * Opens a backup once all that's in it was checked. One from an older version gets migrated.
 *
 * @param copy a file that may be changed
 * @param name how errors name the backup
 * @throws {StoreError} if it's from a newer version, damaged, or has something in it that this program wouldn't write
 */
export async function withBackup<T>(
  copy: string,
  name: string,
  use: (backup: Database) => Promise<T>,
): Promise<T> {
  const backup = await openChecked(copy).catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(
      `${name} is no backup that this version can read: ${error.message.replaceAll(copy, name)}`,
    );
  });
  try {
    return await use(backup);
  } finally {
    await backup.close();
  }
}

async function openChecked(copy: string): Promise<Database> {
  checkTables(copy);
  const backup = await openSqlite(copy);
  try {
    if (backup.sqlite.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new StoreError('It is damaged.');
    await readContents(backup.db, { check: checkRows });
    return backup;
  } catch (error) {
    await backup.close();
    throw error;
  }
}

/** What's worth keeping in a database. Two with the same digest hold the same data. */
type Contents = { messages: number; digest: string };

type Reading = {
  /** Gets a copy; its tables are empty. */
  to?: Kysely<Tables>;
  check?: (table: string, rows: object[]) => void;
  /** Gets how many messages have been read, and of how many once that's known, when they're compared. */
  onProgress?: ((messages: number, all?: number) => void) | undefined;
};

/** A statement takes a limited number of values: a few thousand at least. */
const AT_ONCE = 200;

/**
 * Reads everything, with a few hundred messages in memory at a time. The columns are named so that both engines list a
 * row's values in the same order.
 *
 * @param from a snapshot transaction, or a database nobody is writing to
 */
async function readContents(from: Kysely<Tables>, { to, check, onProgress }: Reading): Promise<Contents> {
  const hash = createHash('sha256');
  async function take<Table extends keyof Tables>(table: Table, rows: Insertable<Tables[Table]>[]) {
    check?.(table, rows);
    for (const row of rows) hash.update(`${JSON.stringify([table, ...Object.values(row)])}\n`);
    if (rows.length > 0) await to?.insertInto(table).values(rows).execute();
    // Until Node gets a turn, it keeps the memory of all that SQLite has handed it.
    await turn();
  }
  let messages = 0;
  for (let last: string | undefined = ''; last !== undefined; ) {
    const rows = await from
      .selectFrom('contact_message')
      .select(COLUMNS)
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    await take('contact_message', rows);
    messages += rows.length;
    onProgress?.(messages);
    last = rows.at(-1)?.id;
  }
  await take(
    'last_done',
    await from.selectFrom('last_done').select(['what', 'at']).orderBy('what').execute(),
  );
  return { messages, digest: hash.digest('hex') };
}
