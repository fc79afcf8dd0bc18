import { chmodSync, closeSync, existsSync, openSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type Compilable, type CompiledQuery, Kysely, SqliteDialect, sql } from 'kysely';
import { makeFolder, sync } from '../files.ts';
import type { DatabaseOptions, SqliteDatabase, Written } from './database.ts';
import { migrate } from './migrate.ts';
import { codeOf, DatabaseAway, isDiskFull, StoreError } from './store-error.ts';
import type { Tables } from './table.ts';

/** How long a change waits for another program. */
const BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 20;
const IN_MEMORY = ':memory:';
/** For opening the file, and a few messages. */
const ROOM = 1024 * 1024;
const CORRUPT = /SQLITE_(NOTADB|CORRUPT)/;
/** A file up to this size is read whole before it's used, which takes a tenth of a second. */
const MOST_READ = 64 * 1024 * 1024;

/** Several processes may share the file, since SQLite serializes their changes: the desk's, and a second server does no harm. */
export async function openSqlite(
  file: string,
  { migrate: shouldMigrate = true, onAway }: DatabaseOptions = {},
): Promise<SqliteDatabase> {
  /** Why nothing is written. */
  let fault: StoreError | undefined;
  const sqlite = await openFile(file, shouldMigrate).catch((error: unknown) => {
    if (!onAway || !(error instanceof DatabaseAway)) throw error;
    onAway(error);
    fault = error;
    return openFile(IN_MEMORY, true);
  });
  const isAway = fault !== undefined;
  const path = existsSync(file) ? realpathSync(file) : file;
  const opened = filesAt(file, path);
  if (!isAway && statSync(path).size <= MOST_READ && !isSound(sqlite)) fault = damaged(file);

  const isInPlace = () => (isAway ? !hasRoom(path) : filesAt(file, path) === opened);

  /** SQLite keeps writing to a file that was deleted or moved, which the next start wouldn't find. */
  function confirmPlace(): void {
    if (fault) throw fault;
    if (!isInPlace())
      throw new StoreError(
        `The database ${file} is no longer the file that the server opened: it was moved, deleted or replaced. What a moved one holds is still in it: stop the site and move it back.`,
      );
  }

  /** SQLite's own wait for another program would block the process, pages and checks included. */
  async function write<Row>(...changes: readonly Compilable[]): Promise<Written<Row>> {
    const compiled = changes.map((change) => change.compile());
    for (const startedAt = performance.now(); ; await wait(BUSY_PAUSE_MS)) {
      confirmPlace();
      try {
        const written = withoutWaiting(() => sqlite.transaction(() => compiled.map(run<Row>)).immediate());
        confirmPlace();
        return written.at(-1) ?? { rows: [], changes: 0 };
      } catch (error) {
        if (CORRUPT.test(codeOf(error))) fault = explain(error, file);
        if (fault) throw fault;
        if (!/^SQLITE_BUSY/.test(codeOf(error)) || performance.now() - startedAt >= BUSY_MS) throw error;
      }
    }
  }

  function run<Row>({ sql: text, parameters }: CompiledQuery): Written<Row> {
    const statement = sqlite.prepare<unknown[], Row>(text);
    if (!statement.reader) return { rows: [], changes: statement.run(...parameters).changes };
    const rows = statement.all(...parameters);
    return { rows, changes: rows.length };
  }

  function withoutWaiting<Result>(work: () => Result): Result {
    sqlite.pragma('busy_timeout = 0');
    try {
      return work();
    } finally {
      sqlite.pragma(`busy_timeout = ${BUSY_MS}`);
    }
  }

  function emptyLog(): boolean {
    try {
      const isBusy = withoutWaiting(() => sqlite.pragma('wal_checkpoint(TRUNCATE)', { simple: true })) !== 0;
      // SQLite doesn't sync it, since to it an emptied log is as good as a full one.
      if (!isBusy) sync(`${path}-wal`);
      return !isBusy;
    } catch (error) {
      // There's nothing more to get from a damaged one.
      if (CORRUPT.test(codeOf(error))) return true;
      throw explain(error, file);
    }
  }

  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
  const close = async () => void sqlite.close();
  return {
    ...{ engine: 'sqlite', db, sqlite, location: file, write, isInPlace, emptyLog },
    now: (ms) => sql.val(Date.now() + ms),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function openFile(file: string, shouldMigrate: boolean): Promise<Sqlite.Database> {
  let sqlite: Sqlite.Database | undefined;
  try {
    if (file !== IN_MEMORY) makePrivate(file);
    sqlite = new Sqlite(file);
    sqlite.pragma(`busy_timeout = ${BUSY_MS}`);
    sqlite.pragma('journal_mode = WAL');
    // The usual NORMAL can lose the last commits in a power failure, and visitors have been told those are saved.
    sqlite.pragma('synchronous = FULL');
    // Overwrites deleted messages with zeros.
    sqlite.pragma('secure_delete = ON');
    if (shouldMigrate) await bringUpToDate(sqlite, file);
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw error instanceof StoreError ? error : explain(error, file);
  }
}

export const isSound = (sqlite: Sqlite.Database) =>
  sqlite.pragma('quick_check(1)', { simple: true }) === 'ok';

function hasRoom(file: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize > ROOM;
}

// What SQLite writes to: the file, and its log and the log's index beside its path without symbolic links. Each keeps its
// inode while anyone has it open, whatever its name.
function filesAt(file: string, path: string): string {
  const ids = [file, `${path}-wal`, `${path}-shm`].map((name) => {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.dev}:${found.ino}` : 'none';
  });
  return ids.join(' ');
}

/** Made before SQLite would, so that no other user can ever read it. An existing one isn't opened: closing it drops our locks. */
function makePrivate(file: string): void {
  const named = join(file, 'contact.db');
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new StoreError(`DATABASE_URL names a folder, ${file}. Add the name of a file: ${named}`);
  makeFolder(dirname(file));
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  sync(dirname(realpathSync(file)));
}

/** No second process can be in its transaction. If it fails, the file is closed, which rolls it back. */
async function bringUpToDate(sqlite: Sqlite.Database, file: string): Promise<void> {
  sqlite.exec('begin immediate');
  const ask = (query: string) => sqlite.prepare<[], { name: string }>(query).all();
  await migrate({ engine: 'sqlite', location: file, ask }, (text) => sqlite.exec(text));
  sqlite.exec('commit');
}

const damaged = (file: string, cause?: unknown) =>
  new StoreError(
    `The database ${file} is damaged, or isn’t a SQLite database. Put a backup in its place, or move it away to begin with an empty one.`,
    { cause },
  );

function explain(cause: unknown, file: string): StoreError {
  const code = codeOf(cause);
  if (CORRUPT.test(code)) return damaged(file, cause);
  if (isDiskFull(cause)) return new DatabaseAway(`The disk of ${file} is full.`, { cause });
  let words = `The database ${file} cannot be opened${code && ` (${code})`}.`;
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN)/.test(code))
    words = `Messages cannot be stored: ${file} cannot be written (${code}). Give this user the right to write to the folder ${dirname(file)}, or point DATABASE_URL elsewhere.`;
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    words = `The database ${file} is held by another program (${code}). End that program, then start again.`;
  return new StoreError(words, { cause });
}
