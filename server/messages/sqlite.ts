import { chmodSync, closeSync, existsSync, openSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { type Compilable, type CompiledQuery, Kysely, SqliteDialect } from 'kysely';
import { USUAL_REPLY_HOURS } from '../../contract/promise.ts';
import type { DatabaseOptions, SqliteDatabase, Written } from './database.ts';
import { isFileDamaged } from './file-check.ts';
import { migrate } from './migrate.ts';
import { codeOf, StoreError } from './store-error.ts';
import { makeFolder, sync } from './sync.ts';
import type { Tables } from './table.ts';

/** How long a change waits for another program. */
const BUSY_MS = 5_000;
const BUSY_PAUSE_MS = 20;
const CORRUPT = /^SQLITE_(NOTADB|CORRUPT)/;

/** The files SQLite writes to: the database, its log (`-wal`) and the log's index (`-shm`). */
type Files = { database: string; log: string; index: string };

type Opened = {
  sqlite: Database.Database;
  /** The file's path without symbolic links; SQLite keeps the other two beside it. */
  path: string;
  files: Files;
};

/**
 * Opens (or creates) the database file and brings its tables up to date. Several processes may share it: SQLite
 * serializes their changes, and `busy_timeout` waits for the others. So the desk can run beside the server, and
 * accidentally starting a second server does no harm.
 */
export async function openSqliteFile(
  file: string,
  { replyHours = () => USUAL_REPLY_HOURS }: DatabaseOptions = {},
): Promise<SqliteDatabase> {
  const { sqlite, path, files } = await openFile(file);
  const closed = new AbortController();
  let isDamaged = false;
  let checking: Promise<unknown> = Promise.resolve();

  const isInPlace = () => isSame(filesAt(file, path), files);

  /** SQLite keeps writing to a file that was deleted or moved, which the next start wouldn't find. */
  function confirmPlace(): void {
    if (!isInPlace()) throw new StoreError(moved(file));
    if (isDamaged) throw new StoreError(damaged(file));
  }

  function leave(): void {
    const found = filesAt(file, existsSync(file) ? realpathSync(file) : path);
    const isOther = found.database !== files.database;
    try {
      // Its log is gone or won't be found again, so the file has to be complete without it, wherever it is now.
      if (isOther || found.log !== files.log) writeLogBack(sqlite, file);
    } catch (error) {
      // Nothing more can be had from a damaged one.
      if (!CORRUPT.test(codeOf(error))) throw error;
    }
    // SQLite would take the old file's log for the new one's, and overwrite its pages.
    if (isOther && found.log === files.log) rmSync(`${path}-wal`, { force: true });
  }

  function run<Row>({ sql, parameters }: CompiledQuery<Row>): Written<Row> {
    const statement = sqlite.prepare<unknown[], Row>(sql);
    if (!statement.reader) return { rows: [], changes: statement.run(...parameters).changes };
    const rows = statement.all(...parameters);
    return { rows, changes: rows.length };
  }

  /** SQLite's own wait for another program would block the process, pages and checks included. */
  async function transact<Result>(change: () => Result): Promise<Result> {
    for (const startedAt = performance.now(); ; ) {
      try {
        return transactNow(change);
      } catch (error) {
        if (CORRUPT.test(codeOf(error))) {
          isDamaged = true;
          throw explain(error, file);
        }
        if (!/^SQLITE_BUSY/.test(codeOf(error)) || performance.now() - startedAt >= BUSY_MS) throw error;
      }
      await wait(BUSY_PAUSE_MS);
    }
  }

  function transactNow<Result>(change: () => Result): Result {
    confirmPlace();
    sqlite.pragma('busy_timeout = 0');
    try {
      sqlite.exec('begin immediate');
      const result = change();
      sqlite.exec('commit');
      confirmPlace();
      return result;
    } finally {
      if (sqlite.inTransaction) sqlite.exec('rollback');
      sqlite.pragma(`busy_timeout = ${BUSY_MS}`);
    }
  }

  const db = new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: {
        prepare: (sql) => sqlite.prepare(sql),
        // Kysely calls this only if it has ever used the file, which is closed below.
        close: () => undefined,
      },
    }),
  });
  return {
    engine: 'sqlite',
    db,
    sqlite,
    transact,
    location: file,
    replyHours,
    write: async <Row>(query: Compilable<Row>) => {
      const compiled = query.compile();
      return transact(() => run(compiled));
    },
    isInPlace,
    leave() {
      try {
        leave();
      } catch (error) {
        throw error instanceof StoreError ? error : explain(error, file);
      }
    },
    async findDamage() {
      const found = isFileDamaged(path, closed.signal);
      checking = found;
      isDamaged ||= await found;
      return isDamaged ? damaged(file) : undefined;
    },
    async close() {
      closed.abort();
      await checking;
      await db.destroy();
      sqlite.close();
    },
  };
}

async function openFile(file: string): Promise<Opened> {
  let sqlite: Database.Database | undefined;
  try {
    makePrivate(file);
    const id = idOf(file);
    sqlite = new Database(file);
    // FULL, because the usual NORMAL can lose the last commits in a power failure, and visitors have been told those
    // messages are saved.
    sqlite.pragma(`busy_timeout = ${BUSY_MS}`);
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    // Overwrites deleted messages with zeros.
    sqlite.pragma('secure_delete = ON');
    await bringUpToDate(sqlite, file);
    const path = realpathSync(file);
    const files = filesAt(file, path);
    if (files.database !== id) throw new StoreError(`The database ${file} was replaced while it was opened.`);
    return { sqlite, path, files };
  } catch (error) {
    sqlite?.close();
    throw error instanceof StoreError ? error : explain(error, file);
  }
}

/** `path` is the file's path without symbolic links. */
function filesAt(file: string, path: string): Files {
  return { database: idOf(file), log: idOf(`${path}-wal`), index: idOf(`${path}-shm`) };
}

/** Stays the same while anyone has the file open, whatever its name. */
function idOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : 'none';
}

function isSame(one: Files, other: Files): boolean {
  return one.database === other.database && one.log === other.log && one.index === other.index;
}

/** A checkpoint. Another reader may keep the log from being emptied. */
function writeLogBack(sqlite: Database.Database, file: string): void {
  sqlite.pragma('busy_timeout = 0');
  const [{ log, checkpointed }] = sqlite.pragma('wal_checkpoint(TRUNCATE)') as [
    { log: number; checkpointed: number },
  ];
  sqlite.pragma(`busy_timeout = ${BUSY_MS}`);
  if (log !== checkpointed)
    throw new StoreError(`${moved(file)} Another program reads the old one, which must end first.`);
}

/**
 * Creates the file before SQLite does, so no other user of the machine can ever read it. An existing file isn't opened:
 * closing it would drop all the locks this process holds on it.
 */
function makePrivate(file: string): void {
  makeFolder(dirname(file));
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  sync(dirname(realpathSync(file)));
}

/** No second process can be in its transaction. If it fails, the file is closed, which rolls it back. */
async function bringUpToDate(sqlite: Database.Database, file: string): Promise<void> {
  sqlite.exec('begin immediate');
  await migrate({
    engine: 'sqlite',
    location: file,
    ask: (query) => sqlite.prepare<[], { name: string }>(query).all(),
    run: (text) => sqlite.exec(text),
  });
  sqlite.exec('commit');
}

function moved(file: string): string {
  return `The database ${file} is no longer the file that the server opened: it was moved, deleted or replaced. What a moved one holds is still in it: stop the site and move it back.`;
}

function damaged(file: string): string {
  return `The database ${file} is damaged, or is no SQLite database. Put a backup in its place, or move it away to begin with an empty one.`;
}

function explain(error: unknown, file: string): StoreError {
  const code = codeOf(error);
  const because = (sentence: string) => new StoreError(sentence, { cause: error });
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN)/.test(code)) {
    return because(
      `Messages cannot be stored: ${file} cannot be written (${code}). Give this user the right to write to the folder ${dirname(file)}, or point DATABASE_URL elsewhere.`,
    );
  }
  if (CORRUPT.test(code)) return because(damaged(file));
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return because(
      `The database ${file} is held by another program (${code}). End that program, then start again.`,
    );
  }
  if (/^(ENOSPC|SQLITE_FULL)/.test(code))
    return because(`Messages cannot be stored: the disk of ${file} is full.`);
  return because(`The database ${file} cannot be opened${code && ` (${code})`}.`);
}
