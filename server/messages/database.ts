import type Sqlite from 'better-sqlite3';
import type { Compilable, Expression, Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { StoreError } from './store-error.ts';
import type { Tables } from './table.ts';

export type Written<Row> = { rows: Row[]; changes: number };

type Common = {
  db: Kysely<Tables>;
  /** So many milliseconds from now. On Postgres by its own clock: instances may disagree, or stall before their change. */
  now: (ms: number) => Expression<number>;
  /**
   * Runs changes in one transaction, and resolves once they're on disk, on SQLite in the file that's in place. Waits some
   * seconds for another program. Returns what the last one returns, and how many rows it touched.
   */
  write<Row>(...changes: [...before: Compilable[], last: Compilable<Row>]): Promise<Written<Row>>;
  /** Within how many hours the page promises an answer. Asked each time, since it may be published anew. */
  replyHours: () => number;
  /** Where the messages are, for people to read; no credentials. */
  location: string;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type SqliteDatabase = Common & {
  engine: 'sqlite';
  sqlite: Sqlite.Database;
  /** Whether the open file, its log and the log's index are still those in place; if not, nothing more is written. */
  isInPlace(): boolean;
  /** Brings what's in the log to the file. Says whether it's empty now, as it isn't while others read an older state. */
  emptyLog(): boolean;
};

export type PostgresDatabase = Common & { engine: 'postgres'; pool: Pool };

export type Database = SqliteDatabase | PostgresDatabase;

export type DatabaseOptions = {
  /** False: the tables are taken as they are. */
  migrate?: boolean;
  /** The most to Postgres. Defaults to 10, like `pg` itself. */
  connections?: number;
  replyHours?: () => number;
  /**
   * Called if the database can't be used yet at the start. A Postgres that's down is tried again at each use; what stands
   * in for a SQLite file on a full disk takes nothing, and is in place until there's room.
   */
  onAway?: ((fault: StoreError) => void) | undefined;
};
