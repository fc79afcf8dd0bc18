import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { compareHistory, readHistory } from '../../messages/migrations.ts';
import type { Tables } from '../../messages/table.ts';
import { type Queue, readQueue } from './queue.ts';

/**
 * What was found in a database. Where looking failed, the parts after it are missing.
 */
export type Look = {
  /** Why it cannot be opened: SQLite's code. */
  failed?: string;
  /** `ok`, or the first thing that is broken. */
  integrity?: string;
  /** Steps of the tables' history that it lacks, and that this program does not know. */
  missing?: readonly string[];
  unknown?: readonly string[];
  /** Why it takes no writes. */
  notWritable?: string;
  queue?: Queue;
};

/**
 * Looks at a database file without bringing its tables up to date, as opening it for the server would, nor
 * its rights. SQLite works in the thread that asks, for as long as a large file or another program's lock
 * takes; so this is a program of its own, which can be ended.
 */
export async function lookAtSqlite(file: string, now: number): Promise<Look> {
  const look: Look = {};
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { fileMustExist: true, timeout: 5_000 });
    look.integrity = String(sqlite.pragma('integrity_check(1)', { simple: true }));
    if (look.integrity !== 'ok') return look;
    const opened = sqlite;
    const history = await readHistory('sqlite', (query) => opened.prepare<[], { name: string }>(query).all());
    const { missing, unknown } = compareHistory('sqlite', history);
    Object.assign(look, { missing, unknown });
    if (missing.length > 0 || unknown.length > 0) return look;
    try {
      sqlite
        .prepare(
          'insert into store_check (id, checked_at) values (1, ?) on conflict do update set checked_at = ?',
        )
        .run(now, now);
    } catch (error) {
      look.notWritable = codeOf(error);
    }
    look.queue = await readQueue({
      db: new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) }),
    });
  } catch (error) {
    look.failed = codeOf(error);
  } finally {
    sqlite?.close();
  }
  return look;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

if (import.meta.main) {
  const [file = '', now = '0'] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await lookAtSqlite(file, Number(now))));
}
