import type Database from 'better-sqlite3';
import type { Clock } from '../../clock.ts';
import { codeOf } from '../store-error.ts';

type Waiting = {
  /** Makes the change; after the commit, `settle` tells the caller. */
  run: () => void;
  settle: () => void;
  reject: (error: unknown) => void;
  /** In the clock's ticks. */
  askedAt: number;
};

/** A group blocks the process for a few milliseconds; pages and checks get their turn between groups. */
const MOST_AT_ONCE = 250;
/**
 * How often to retry while another program writes. SQLite's own wait would block the whole process, pages and checks
 * included.
 */
const BUSY_PAUSE_MS = 20;

type Connection = {
  sqlite: Database.Database;
  /** Throws if the next start wouldn't find what's being written. */
  confirmPlace: () => void;
  clock: Clock;
};

/**
 * Group commit: changes requested at about the same time run in one transaction and share one fsync. Each runs on its
 * own, in the order requested, and sees those before it. Its promise resolves only after the commit and a check that
 * the file is still in place. It's rejected if another program holds the file for longer than the database's busy
 * timeout.
 */
export function createGroupCommit({ sqlite, confirmPlace, clock }: Connection) {
  const waiting: Waiting[] = [];
  let scheduled = false;
  const busyTimeout = () => Number(sqlite.pragma('busy_timeout', { simple: true }));

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    // Requests queued up while the last group was written; they're all read before this runs.
    clock.soon(next);
  }

  function next(): void {
    scheduled = false;
    try {
      beginNow();
    } catch (error) {
      putOff(error);
      return;
    }
    commit(waiting.splice(0, MOST_AT_ONCE));
    if (waiting.length > 0) schedule();
  }

  function beginNow(): void {
    confirmPlace();
    const timeout = busyTimeout();
    sqlite.pragma('busy_timeout = 0');
    try {
      sqlite.exec('begin immediate');
    } finally {
      sqlite.pragma(`busy_timeout = ${timeout}`);
    }
  }

  /** Fails only those that have waited long enough. */
  function putOff(error: unknown): void {
    const isBusy = /^SQLITE_BUSY/.test(codeOf(error));
    const latest = clock.ticks() - (isBusy ? busyTimeout() : 0);
    while (waiting[0] && waiting[0].askedAt <= latest) waiting.shift()?.reject(error);
    if (waiting.length === 0) return;
    scheduled = true;
    clock.after(BUSY_PAUSE_MS, next);
  }

  /** Runs inside the transaction. */
  function commit(group: Waiting[]): void {
    try {
      for (const { run } of group) run();
      sqlite.exec('commit');
      confirmPlace();
    } catch (error) {
      if (sqlite.inTransaction) sqlite.exec('rollback');
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { settle } of group) settle();
  }

  return <Result>(change: () => Result): Promise<Result> =>
    new Promise((resolve, reject) => {
      let settle = () => {};
      const run = () => {
        try {
          const result = change();
          settle = () => resolve(result);
        } catch (error) {
          // A full disk ends the whole transaction, a bad row only itself.
          if (!sqlite.inTransaction) throw error;
          settle = () => reject(error);
        }
      };
      waiting.push({ run, settle: () => settle(), reject, askedAt: clock.ticks() });
      schedule();
    });
}
