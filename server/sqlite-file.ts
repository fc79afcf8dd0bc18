import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { type Compilable, Kysely, SqliteDialect } from 'kysely';
import type { SqliteDatabase, Tables } from './database.ts';
import { createGroupCommit } from './group-commit.ts';
import { migrate } from './migrations.ts';
import { StoreError } from './store-error.ts';

/**
 * Opens (or makes) the database file and brings its tables up to date.
 *
 * Several processes may open one file: each change is one statement or one transaction that SQLite
 * serialises, and `busy_timeout` waits for the other's. So the owner can look into the database, and
 * a second server by mistake does no harm.
 */
export async function openSqliteFile(file: string): Promise<SqliteDatabase> {
  let sqlite: Database.Database | undefined;
  try {
    makePrivate(file);
    sqlite = new Database(file);
    // FULL, since WAL's usual NORMAL may lose the last commits when the power fails, and a visitor
    // has been told that those messages are kept.
    sqlite.pragma('busy_timeout = 5000');
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    // A deleted message is overwritten with zeros.
    sqlite.pragma('secure_delete = ON');
    const verdict = sqlite.pragma('quick_check(1)', { simple: true });
    if (verdict !== 'ok') throw new StoreError(damaged(file));
    await bringUpToDate(sqlite, file);
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
    return withGroupCommit(db, sqlite, file);
  } catch (error) {
    sqlite?.close();
    throw error instanceof StoreError ? error : explain(error, file);
  }
}

function withGroupCommit(db: Kysely<Tables>, sqlite: Database.Database, file: string): SqliteDatabase {
  const { write: share, flush } = createGroupCommit(sqlite);
  return {
    engine: 'sqlite',
    db,
    sqlite,
    share,
    place: file,
    clock: Date.now,
    write: <Row>(query: Compilable<Row>) => {
      const { sql, parameters } = query.compile();
      return share(() => {
        const statement = sqlite.prepare<unknown[], Row>(sql);
        if (!statement.reader) return { rows: [], changes: statement.run(...parameters).changes };
        const rows = statement.all(...parameters);
        return { rows, changes: rows.length };
      });
    },
    async close() {
      flush();
      await db.destroy();
      sqlite.close();
    },
  };
}

/** Made before SQLite makes it, so that at no moment another user of the machine could read it. */
function makePrivate(file: string): void {
  const made = mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // A folder that was there before may be shared for reasons of its own; ours is `data/`.
  if (made) chmodSync(dirname(file), 0o700);
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

/** SQLite undoes a half-done migration with its transaction, in which a second process can't be. */
async function bringUpToDate(sqlite: Database.Database, file: string): Promise<void> {
  sqlite.exec('begin immediate');
  try {
    await migrate({
      engine: 'sqlite',
      place: file,
      ask: (query) => sqlite.prepare<[], { name: string }>(query).all(),
      run: (text) => sqlite.exec(text),
    });
    sqlite.exec('commit');
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec('rollback');
    throw error;
  }
}

const damaged = (file: string): string =>
  `The database ${file} is damaged, or is no SQLite database. Put a backup in its place, or move it away to begin with an empty one.`;

function explain(error: unknown, file: string): StoreError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const because = (sentence: string) => new StoreError(sentence, { cause: error });
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN)/.test(code)) {
    return because(
      `Messages cannot be stored: ${file} cannot be written (${code}). Give this user the right to write to the folder ${dirname(file)}, or point DATABASE_URL elsewhere.`,
    );
  }
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return because(damaged(file));
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return because(
      `The database ${file} is held by another program (${code}). End that program, then start again.`,
    );
  }
  if (/^(ENOSPC|SQLITE_FULL)/.test(code))
    return because(`Messages cannot be stored: the disk of ${file} is full.`);
  return because(`The database ${file} cannot be opened${code && ` (${code})`}.`);
}
