import { existsSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { USUAL_REPLY_HOURS } from '../../contract/promise.ts';
import type { DatabaseSetting } from '../../settings/checks.ts';
import type { Database, PoolOptions } from './database.ts';
import { lastDelivered, lastDoneAt } from './last-done.ts';
import { readHistory } from './migrate.ts';
import {
  countUnanswered,
  type Refused,
  sentWithoutWords,
  type Unanswered,
  unsentByFault,
} from './queries.ts';
import { codeOf, StoreError } from './store-error.ts';
import { type State, smallChange, type Tables } from './table.ts';

/** Times are milliseconds since 1970; `fault` is the label from the oldest message's last attempt. */
export type Held = { count: number; oldestAt: number | undefined; fault: string | null };

type Queue = {
  waiting: Held;
  setAside: Held;
  unanswered: Unanswered;
  /** Whose words the mail server refused, and that she hasn't opened. */
  refused: Refused;
  /** By the notes of `deliveredWith`, about when a mail was last taken. */
  delivered: Record<string, number>;
  lastBackupAt: number | undefined;
};

type Found =
  | { state: 'absent' | 'damaged' | 'newer' | 'older' | 'too old' }
  /** `fault` is an error code or a sentence for the owner. */
  | { state: 'unreachable' | 'locked' | 'unreadable'; fault: string }
  | { state: 'read-only'; fault: string; queue: Queue }
  | { state: 'ok'; queue: Queue };

/** What was found in a database. `location` says which one, without credentials. */
export type DatabaseReport = Found & { location: string };

/** A larger file takes more than a second or two. The server reads all of it at its start. */
const MOST_READ = 256 * 1024 * 1024;

type Options = { now: number; replyHours?: number; connection?: PoolOptions };
type Tried = Pick<Database, 'engine' | 'db' | 'replyHours'>;

/** Looks at a database without migrating it, unlike opening it for the server. */
export async function inspectDatabase(
  setting: DatabaseSetting,
  { now, replyHours = USUAL_REPLY_HOURS, connection = {} }: Options,
): Promise<DatabaseReport> {
  if (setting.engine === 'sqlite')
    return { ...(await inspectFile(setting.file, now, replyHours)), location: setting.file };
  const { openPostgres } = await import('./postgres.ts');
  const options = { ...connection, replyHours: () => replyHours, migrate: false };
  const opened = await openPostgres(setting.url, options).catch((error: unknown) => {
    if (error instanceof StoreError) return error.message;
    throw error;
  });
  if (typeof opened === 'string') return { state: 'unreachable', fault: opened, location: 'Postgres' };
  try {
    return { ...(await inspectTables(opened, now)), location: opened.location };
  } finally {
    await opened.close();
  }
}

async function inspectFile(file: string, now: number, replyHours: number): Promise<Found> {
  if (!existsSync(file)) return { state: 'absent' };
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { fileMustExist: true, timeout: 5_000 });
    if (statSync(file).size <= MOST_READ && sqlite.pragma('quick_check(1)', { simple: true }) !== 'ok')
      return { state: 'damaged' };
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
    return await inspectTables({ engine: 'sqlite', db, replyHours: () => replyHours }, now);
  } catch (error) {
    const fault = faultOf(error);
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(fault)) return { state: 'damaged' };
    return { state: /^SQLITE_(BUSY|LOCKED)/.test(fault) ? 'locked' : 'unreadable', fault };
  } finally {
    sqlite?.close();
  }
}

async function inspectTables(database: Tried, now: number): Promise<Found> {
  const { engine, db } = database;
  const ask = async (query: string) => (await sql.raw<{ name: string }>(query).execute(db)).rows;
  const { missing, unknown, from } = await readHistory(engine, ask);
  if (unknown.length > 0) return { state: 'newer' };
  if (from === 'before 0.4') return { state: 'too old' };
  if (missing.length > 0) return { state: 'older' };
  const fault = await smallChange(db, now)
    .execute()
    .then(() => undefined, faultOf);
  const queue = await readQueue(database, now);
  return fault === undefined ? { state: 'ok', queue } : { state: 'read-only', fault, queue };
}

async function readQueue(database: Tried, now: number): Promise<Queue> {
  const groups = await unsentByFault(database);
  const sum = (some: typeof groups) => some.reduce((all, { count }) => all + count, 0);
  function held(state: State): Held {
    const own = groups.filter((group) => group.state === state);
    const [oldest] = own.toSorted((one, other) => one.oldestAt - other.oldestAt);
    return { count: sum(own), oldestAt: oldest?.oldestAt, fault: oldest?.fault ?? null };
  }
  const refused = groups.filter(({ state, fault }) => state !== 'spam' && fault?.startsWith('refused '));
  const sent = await sentWithoutWords(database, now);
  return {
    waiting: held('waiting'),
    setAside: held('set_aside'),
    unanswered: await countUnanswered(database, now),
    refused: { count: sum(refused) + sent.count, fault: refused[0]?.fault ?? sent.fault },
    delivered: await lastDelivered(database),
    lastBackupAt: await lastDoneAt(database, 'backup'),
  };
}

const faultOf = (error: unknown): string => codeOf(error) || 'unknown';
