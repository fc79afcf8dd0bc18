import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type Insertable, Kysely, SqliteDialect, sql } from 'kysely';
import type { Database, SqliteDatabase } from './database.ts';
import { openSqlite } from './open.ts';
import { countMessages, countUnsent } from './queries.ts';
import { codeOf, StoreError } from './store-error.ts';
import type { MessageTable, Tables } from './table.ts';

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
    const columns = columnsOf(copy);
    const copied = await inSnapshot(database, (source) =>
      readContents(source, columns, { to: copy.db, onProgress }),
    );
    const onCompared = (messages: number) => onProgress?.(messages, copied.messages);
    const found = await readContents(copy.db, columns, { onProgress: onCompared });
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
  backup: SqliteDatabase,
  onProgress?: Reading['onProgress'],
): Promise<Restored> {
  const columns = columnsOf(backup);
  return db.transaction().execute(async (target) => {
    // Makes a server on the target wait to take or mail messages until they're all there.
    if (engine === 'postgres') await sql`lock table contact_message in exclusive mode`.execute(target);
    const held = await countMessages({ db: target });
    if (held > 0) return { held };
    // A server that has only just started may have noted something.
    await target.deleteFrom('last_done').execute();
    const copied = await readContents(backup.db, columns, { to: target, onProgress });
    const onCompared = (done: number) => onProgress?.(done, copied.messages);
    const { messages, digest } = await readContents(target, columns, { onProgress: onCompared });
    if (digest !== copied.digest) {
      throw new StoreError(
        'What arrived differs from the backup, so nothing was restored. Is the disk all right?',
      );
    }
    const { waiting } = await countUnsent({ db: target });
    return { messages, waiting };
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
  use: (backup: SqliteDatabase) => Promise<T>,
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

async function openChecked(copy: string): Promise<SqliteDatabase> {
  const file = new Sqlite(copy);
  try {
    // Opening it would make them.
    if (file.pragma('table_info(contact_message)', { simple: true }) === undefined)
      throw new StoreError('It has no messages in it.');
  } catch (error) {
    // Whoever opens it says so.
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error))) throw error;
  } finally {
    file.close();
  }
  const backup = await openSqlite(copy);
  try {
    if (backup.sqlite.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new StoreError('It is damaged.');
    await readContents(backup.db, columnsOf(backup), { check: checkIds });
    return backup;
  } catch (error) {
    await backup.close();
    throw error;
  }
}

/** An id gets into file names and mails' headers, and a backup may be another's, made to do harm. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MESSAGE_ID = /^<[!-;=?-~]{3,900}>$/;

/** Types and states are checked by the tables that the rows go to. */
function checkIds(rows: readonly Insertable<MessageTable>[]): void {
  if (!rows.every(({ id, message_id }) => ID.test(id) && MESSAGE_ID.test(message_id)))
    throw new StoreError('It holds a message with an id that none can have.');
}

type Columns = (keyof MessageTable)[];

const columnsOf = ({ sqlite }: SqliteDatabase) =>
  sqlite.prepare("select name from pragma_table_info('contact_message')").pluck().all() as Columns;

/** What's worth keeping in a database. Two with the same digest hold the same data. */
type Contents = { messages: number; digest: string };

type Reading = {
  /** Gets a copy; its tables are empty. */
  to?: Kysely<Tables>;
  /** Throws if a message isn't one of ours. */
  check?: (rows: readonly Insertable<MessageTable>[]) => void;
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
async function readContents(
  from: Kysely<Tables>,
  columns: Columns,
  { to, check, onProgress }: Reading,
): Promise<Contents> {
  const hash = createHash('sha256');
  async function take<Table extends keyof Tables>(table: Table, rows: Insertable<Tables[Table]>[]) {
    for (const row of rows) hash.update(`${JSON.stringify([table, ...Object.values(row)])}\n`);
    if (rows.length > 0) await to?.insertInto(table).values(rows).execute();
    // Until Node gets a turn, it keeps the memory of all that SQLite has handed it.
    await turn();
  }
  let messages = 0;
  for (let last: string | undefined = ''; last !== undefined; ) {
    const rows = await from
      .selectFrom('contact_message')
      .select(columns)
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    check?.(rows);
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
