import type Database from 'better-sqlite3';

type Waiting = {
  /** Makes the change; afterwards `settle` tells whoever asked for it. */
  run: () => void;
  settle: () => void;
  reject: (error: unknown) => void;
};

/** Together they hold the process for a few milliseconds; pages and checks get their turn between two. */
const MOST_AT_ONCE = 250;

/**
 * Makes the changes that are asked for at about the same time in one transaction, so that all of them
 * share one fsync. Each is made on its own, in the order of asking, and sees those before it. A promise
 * resolves after the commit and never before.
 */
export function createGroupCommit(sqlite: Database.Database) {
  const waiting: Waiting[] = [];
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

  function commit(group: Waiting[]): void {
    try {
      sqlite.exec('begin immediate');
      for (const { run } of group) run();
      sqlite.exec('commit');
    } catch (error) {
      if (sqlite.inTransaction) sqlite.exec('rollback');
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { settle } of group) settle();
  }

  return {
    write: <Result>(change: () => Result): Promise<Result> =>
      new Promise((resolve, reject) => {
        let settle = () => {};
        const run = () => {
          try {
            const result = change();
            settle = () => resolve(result);
          } catch (error) {
            // A full disk ends the whole transaction, a faulty row only itself.
            if (!sqlite.inTransaction) throw error;
            settle = () => reject(error);
          }
        };
        waiting.push({ run, settle: () => settle(), reject });
        schedule();
      }),
    /** Writes at once what still waits. */
    flush(): void {
      while (waiting.length > 0) commit(waiting.splice(0, MOST_AT_ONCE));
    },
  };
}
