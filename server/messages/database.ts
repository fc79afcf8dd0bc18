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
  /** In one transaction, on disk once it resolves, on SQLite in the file that's in place. Returns what the last change did. */
  write<Row>(...changes: [...before: Compilable[], last: Compilable<Row>]): Promise<Written<Row>>;
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
  /** Moves what's in the log to the file. Returns whether it's empty now: not while others read an older state. */
  emptyLog(): boolean;
};

export type PostgresDatabase = Common & { engine: 'postgres'; pool: Pool };

export type Database = SqliteDatabase | PostgresDatabase;

export type DatabaseOptions = {
  /** False: the tables are taken as they are. */
  migrate?: boolean;
  /** The most connections to Postgres. Defaults to 10, as in `pg` itself. */
  connections?: number;
  /** If it can't be used yet. Postgres is tried at each use; a full disk's stand-in takes nothing, in place till there's room. */
  onAway?: ((fault: StoreError) => void) | undefined;
};
