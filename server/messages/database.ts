import type Sqlite from 'better-sqlite3';
import type { Compilable, Expression, Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { StoreError } from './store-error.ts';
import type { Tables } from './table.ts';

export type Written<Row> = { rows: Row[]; changes: number };

/** A time this many milliseconds from now, for a statement. */
export type Now = (ms: number) => Expression<number>;

type Common = {
  db: Kysely<Tables>;
  /**
   * What's due and when a lease ends. Instances may disagree on the time, or stall between reading their clock and making
   * the change, so on Postgres it's the database's.
   */
  now: Now;
  /**
   * Runs changes in one transaction, and resolves once they're on disk, on SQLite in the file that's in place. Waits some
   * seconds for another program. `rows` is what the last one's `returning` clause names; `changes` is how many rows it
   * touched.
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
  /**
   * Brings what's in the log to the file, and empties the log. Others read and write meanwhile, and one that reads an older
   * state keeps it from being emptied. Says whether it is.
   *
   * @throws {StoreError}
   */
  emptyLog(): boolean;
};

export type PostgresDatabase = Common & {
  engine: 'postgres';
  pool: Pool;
};

export type Database = SqliteDatabase | PostgresDatabase;

export type DatabaseOptions = {
  /** False: the tables are taken as they are. */
  migrate?: boolean;
  /** The most to Postgres. Defaults to 10, like `pg` itself. */
  connections?: number;
  /** Defaults to the usual. */
  replyHours?: () => number;
  /**
   * Called with the reason if the database can't be used yet at the start. A Postgres that's down is tried again at each
   * use; what stands in for a SQLite file on a full disk takes nothing, and is in place until there's room.
   */
  onAway?: ((fault: StoreError) => void) | undefined;
};
