import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { USUAL_REPLY_HOURS } from '../../contract/promise.ts';
import type { DatabaseSetting } from '../../settings/checks.ts';
import type { Database, PoolOptions } from './database.ts';
import { lastDelivered, lastDoneAt } from './last-done.ts';
import { readHistory } from './migrate.ts';
import {
  countByState,
  countRefused,
  countSuspected,
  countUnanswered,
  faultOfOldest,
  type Refused,
  type StateCount,
  type Unanswered,
} from './queries.ts';
import { codeOf, StoreError } from './store-error.ts';
import { smallChange, type Tables } from './table.ts';

/** Times are milliseconds since 1970; `fault` is the label from the oldest message's last attempt. */
export type Held = StateCount & { fault: string | null };

type Queue = {
  waiting: Held;
  setAside: Held;
  unanswered: Unanswered;
  refused: Refused;
  suspected: number;
  /** By the notes of `deliveredWith`, about when a mail was last taken. */
  delivered: Record<string, number>;
  lastBackupAt: number | undefined;
};

type Found =
  | { state: 'absent' | 'late' | 'damaged' | 'newer' | 'older' | 'too old' }
  /** `fault` is an error code or a sentence for the owner. */
  | { state: 'unreachable' | 'locked' | 'unreadable'; fault: string }
  | { state: 'read-only'; fault: string; queue: Queue }
  | { state: 'ok'; queue: Queue };

/** What was found in a database. `place` says which one, without credentials. */
export type DatabaseReport = Found & { location: string };

const LOOK_MS = 25_000;
/** A larger file takes more than a second or two. The server reads all of it at its start. */
const MOST_READ = 256 * 1024 * 1024;

type Options = { now: number; replyHours?: number; connection?: PoolOptions; limitMs?: number };

/** Looks at a database without migrating it, unlike opening it for the server. */
export async function inspectDatabase(
  setting: DatabaseSetting,
  { now, replyHours = USUAL_REPLY_HOURS, connection = {}, limitMs = LOOK_MS }: Options,
): Promise<DatabaseReport> {
  if (setting.engine === 'postgres') {
    const late = wait(limitMs, { state: 'late', location: 'Postgres' } as const, { ref: false });
    return Promise.race([inspectPostgres(setting.url, now, replyHours, connection), late]);
  }
  const location = setting.file;
  if (!existsSync(location)) return { state: 'absent', location };
  // A large file or another program's lock blocks SQLite's thread for as long as it takes. A process can be killed.
  const args = [import.meta.filename, location, String(now), String(replyHours)];
  const look = promisify(execFile)(process.execPath, args, {
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  return look.then(
    ({ stdout }) => ({ ...(JSON.parse(stdout) as Found), location }),
    (error) =>
      error.killed ? { state: 'late', location } : { state: 'unreadable', fault: faultOf(error), location },
  );
}

async function inspectPostgres(
  url: string,
  now: number,
  replyHours: number,
  connection: PoolOptions,
): Promise<DatabaseReport> {
  const { openPostgres } = await import('./postgres.ts');
  let opened: Awaited<ReturnType<typeof openPostgres>>;
  try {
    opened = await openPostgres(url, { ...connection, migrate: false, check: true });
  } catch (error) {
    if (error instanceof StoreError)
      return { state: 'unreachable', fault: error.message, location: 'Postgres' };
    throw error;
  }
  try {
    return { ...(await inspectTables(opened.db, 'postgres', now, replyHours)), location: opened.location };
  } finally {
    await opened.close();
  }
}

/** In this process, which waits as long as the file needs. */
export async function inspectFile(file: string, now: number, replyHours: number): Promise<Found> {
  let sqlite: Sqlite.Database | undefined;
  try {
    sqlite = new Sqlite(file, { fileMustExist: true, timeout: 5_000 });
    const { size } = statSync(file);
    if (size <= MOST_READ && sqlite.pragma('quick_check(1)', { simple: true }) !== 'ok')
      return { state: 'damaged' };
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
    return await inspectTables(db, 'sqlite', now, replyHours);
  } catch (error) {
    const fault = faultOf(error);
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(fault)) return { state: 'damaged' };
    return { state: /^SQLITE_(BUSY|LOCKED)/.test(fault) ? 'locked' : 'unreadable', fault };
  } finally {
    sqlite?.close();
  }
}

async function inspectTables(
  db: Kysely<Tables>,
  engine: DatabaseSetting['engine'],
  now: number,
  replyHours: number,
): Promise<Found> {
  const ask = async (query: string) => (await sql.raw<{ name: string }>(query).execute(db)).rows;
  const { missing, unknown, from } = await readHistory(engine, ask);
  if (unknown.length > 0) return { state: 'newer' };
  if (from === 'before 0.4') return { state: 'too old' };
  if (missing.length > 0) return { state: 'older' };
  const fault = await smallChange(db, now)
    .execute()
    .then(() => undefined, faultOf);
  const queue = await readQueue({ db, replyHours: () => replyHours }, now);
  return fault === undefined ? { state: 'ok', queue } : { state: 'read-only', fault, queue };
}

async function readQueue(database: Pick<Database, 'db' | 'replyHours'>, now: number): Promise<Queue> {
  const { waiting, set_aside: aside } = await countByState(database);
  return {
    waiting: { ...waiting, fault: await faultOfOldest(database, 'waiting') },
    setAside: { ...aside, fault: await faultOfOldest(database, 'set_aside') },
    unanswered: await countUnanswered(database, now),
    refused: await countRefused(database, now),
    suspected: await countSuspected(database),
    delivered: await lastDelivered(database),
    lastBackupAt: await lastDoneAt(database, 'backup'),
  };
}

const faultOf = (error: unknown): string => codeOf(error) || 'unknown';

if (import.meta.main) {
  const [file = '', now, hours] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await inspectFile(file, Number(now), Number(hours))));
}
