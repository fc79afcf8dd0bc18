import { setImmediate as turn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database, SqliteDatabase } from './database.ts';
import { countMessages, countUnsent } from './queries.ts';
import { isSound, openSqlite } from './sqlite.ts';
import { codeOf, StoreError } from './store-error.ts';
import type { Message, Tables } from './table.ts';

/** Returns how many messages. Needs its own connection: what others did on it would join its transaction. */
export async function backUp(database: Database, file: string): Promise<number> {
  await using copy = await openSqlite(file);
  // No log beside it, so the file can be moved and opened anywhere. Whoever renames it into place syncs it.
  copy.sqlite.pragma('journal_mode = MEMORY');
  copy.sqlite.pragma('synchronous = OFF');
  // One state of the database throughout.
  const snapshot = database.db.transaction().setIsolationLevel('repeatable read');
  const messages = await snapshot.execute((source) => copyAll(source, copy.db, columnsOf(copy)));
  if (!isSound(copy.sqlite))
    throw new StoreError('The copy is damaged, so it was thrown away. Is the disk all right?');
  return messages;
}

/** A wrong column, type or state, or a missing value, in SQLite's or Postgres's codes. */
const UNFIT = /^(SQLITE_(ERROR|MISMATCH|CONSTRAINT.*)|2[23]...|42703)$/;
const NOT_RESTORED = 'Nothing was restored: the backup has something that this version’s tables can’t take';

/** Undefined if the database has messages. Restores none if `bringTheRest` fails, which is called once all are in place. */
export function restore({ db, engine }: Database, backup: SqliteDatabase, bringTheRest: () => Promise<void>) {
  return db.transaction().execute(async (target) => {
    // Makes a server on the target wait to take or mail messages, or note anything, until all is there.
    if (engine === 'postgres') {
      // Files are copied meanwhile, which may take a while.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(target);
      await sql`lock table contact_message, last_done in exclusive mode`.execute(target);
    }
    if ((await countMessages({ db: target })) > 0) return undefined;
    // A server that has only just started may have noted something.
    await target.deleteFrom('last_done').execute();
    const copied = copyAll(backup.db, target, columnsOf(backup), checkIds);
    const messages = await copied.catch((error: unknown) => {
      throw UNFIT.test(codeOf(error)) ? new StoreError(`${NOT_RESTORED} (${codeOf(error)}).`) : error;
    });
    await bringTheRest();
    const { waiting } = await countUnsent({ db: target });
    return { messages, waiting };
  });
}

/** Changes the file, if it's from an older version; a newer one's is refused. Errors name the backup `name`. */
export async function openBackup(copy: string, name: string): Promise<SqliteDatabase> {
  const unreadable = (why: string) =>
    new StoreError(`${name} isn’t a backup that this version can read: ${why.replaceAll(copy, name)}`);
  const backup = await openSqlite(copy).catch((error: unknown) => {
    throw error instanceof StoreError ? unreadable(error.message) : error;
  });
  if (isSound(backup.sqlite)) return backup;
  await backup.close();
  throw unreadable('It is damaged.');
}

type Columns = (keyof Message)[];

/** By name, since a later, compatible version may have added some. */
const columnsOf = ({ sqlite }: SqliteDatabase) =>
  sqlite.prepare("select name from pragma_table_info('contact_message')").pluck().all() as Columns;

/** An id gets into file names and mail headers, and a backup may come from someone who means harm. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MESSAGE_ID = /^<[!-;=?-~]{3,900}>$/;

/** The year 9999, before the last that a Date can have. */
const LAST_DAY = 253_370_764_800_000;

/** Types and states are checked by the tables that the rows go to. */
function checkIds(rows: readonly Message[]): void {
  const isOne = ({ id, message_id, received_at, reply_hours }: Message) =>
    ID.test(id) && MESSAGE_ID.test(message_id) && received_at < LAST_DAY && reply_hours < 10_000;
  if (!rows.every(isOne))
    throw new StoreError('Nothing was restored: the backup has a message with an impossible id or time.');
}

/** A statement takes a limited number of values: a few thousand at least. */
const AT_ONCE = 200;

/** Copies all that's worth keeping from a fixed snapshot into empty tables. Returns how many messages. */
async function copyAll(from: Kysely<Tables>, to: Kysely<Tables>, columns: Columns, check?: typeof checkIds) {
  const notes = await from.selectFrom('last_done').select(['what', 'at']).execute();
  if (notes.length > 0) await to.insertInto('last_done').values(notes).execute();
  let messages = 0;
  const next = from.selectFrom('contact_message').select(columns).orderBy('id').limit(AT_ONCE);
  for (let last = ''; ; ) {
    const rows = await next.where('id', '>', last).execute();
    const end = rows.at(-1);
    if (!end) return messages;
    check?.(rows);
    await to.insertInto('contact_message').values(rows).execute();
    last = end.id;
    messages += rows.length;
    // Until Node gets a turn, it keeps all the memory that SQLite has given it.
    await turn();
  }
}
