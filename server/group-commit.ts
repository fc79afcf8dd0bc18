import type Database from 'better-sqlite3';

type Waiting<Row, Result> = {
  row: Row;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** Together they hold the process for a few milliseconds; pages and checks get their turn between two. */
const MOST_AT_ONCE = 250;

/**
 * Writes what comes in at about the same time in one transaction, so that all of it shares one fsync.
 * Each write is decided for itself, in the order of arrival, and sees those before it. A promise
 * resolves after the commit and never before.
 */
export function createGroupCommit<Row, Result>(sqlite: Database.Database, write: (row: Row) => Result) {
  const waiting: Waiting<Row, Result>[] = [];
  let scheduled = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    // While the last group was written, requests have queued up; they are all read before this runs.
    setImmediate(() => {
      scheduled = false;
      commit(waiting.splice(0, MOST_AT_ONCE));
      if (waiting.length > 0) schedule();
    });
  }

  function commit(group: Waiting<Row, Result>[]): void {
    const written: (() => void)[] = [];
    try {
      sqlite.exec('begin immediate');
      for (const one of group) {
        try {
          const result = write(one.row);
          written.push(() => one.resolve(result));
        } catch (error) {
          // A full disk ends the whole transaction, a faulty row only itself.
          if (!sqlite.inTransaction) throw error;
          written.push(() => one.reject(error));
        }
      }
      sqlite.exec('commit');
    } catch (error) {
      if (sqlite.inTransaction) sqlite.exec('rollback');
      for (const { reject } of group) reject(error);
      return;
    }
    for (const settle of written) settle();
  }

  return {
    add: (row: Row): Promise<Result> =>
      new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject });
        schedule();
      }),
    /** Writes at once what still waits. */
    flush(): void {
      while (waiting.length > 0) commit(waiting.splice(0, MOST_AT_ONCE));
    },
  };
}
