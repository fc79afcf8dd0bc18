import type Sqlite from 'better-sqlite3';
import type { Compilable, Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { StoreError } from './store-error.ts';
import type { Tables } from './table.ts';

export type Written<Row> = { rows: Row[]; changes: number };

type Common = {
  db: Kysely<Tables>;
  /**
   * Runs one change, and resolves once it is on the disk. `rows` is what its `returning` names,
   * `changes` how many rows it touched. On SQLite it shares its commit with others of the same moment.
   * With a lock, changes under the same lock are made one after another, whichever instance makes them.
   */
  write<Row>(query: Compilable<Row>, options?: { lock?: string | undefined }): Promise<Written<Row>>;
  /** The time in milliseconds since 1970 on which all instances agree. */
  clock(): number;
  /** Where the messages are, for people; without credentials. */
  place: string;
  /** Set while a Postgres that was away at the start is waited for. Rejects if it's closed before. */
  pending?: Promise<void> | undefined;
  close(): Promise<void>;
};

/**
 * `carried` counts the messages that were copied from the file that was open before, since nobody had been mailed them.
 * `fault` says why no file can be used.
 */
type Followed = { found: 'in place' | 'reopened' | 'nothing'; carried?: number; fault?: string };

export type SqliteDatabase = Common & {
  engine: 'sqlite';
  /** Another one after the file was opened anew. */
  readonly sqlite: Sqlite.Database;
  /**
   * Looks whether the file is still the one that is open, and if not, opens the one that took its place. To be called
   * about once a second; never two at a time. `make`: a file is made if there is none and messages need it.
   */
  followFile(options?: { make?: boolean }): Promise<Followed>;
  /** Makes a change by hand that shares its commit with others of the same moment. */
  groupCommit: <Result>(change: () => Result) => Promise<Result>;
};

export type PostgresDatabase = Common & {
  engine: 'postgres';
  pool: Pool;
};

export type Database = SqliteDatabase | PostgresDatabase;

export type PoolOptions = {
  /** At most so many at a time; 10 where nothing is said, as in `pg` itself. */
  connections?: number;
  /** How long a free one is waited for while others hold all that the database has. */
  patienceMs?: number;
};

export type PostgresOptions = PoolOptions & {
  /**
   * With it, a server that's away at the start is waited for, and until it's there every use of the database
   * fails. Called with why, and again whenever the reason changes.
   */
  onAway?: ((fault: StoreError) => void) | undefined;
};
