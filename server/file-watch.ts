import type { SqliteDatabase } from '../messages/database.ts';
import type { Log } from './log.ts';

/** How soon a message requeued by the desk goes out. */
const WATCH_MS = 1_000;

/**
 * Checks every second whether another program has changed the file, which costs SQLite next to nothing, and whether
 * it's still in place.
 */
export function watchFile(
  database: SqliteDatabase,
  { log, wake, onGone }: { log: Log; wake: () => void; onGone: () => void },
) {
  const version = (): unknown => {
    try {
      return database.sqlite.pragma('data_version', { simple: true });
    } catch {
      // The outbox checks every minute, and reports a database it can't read.
      return undefined;
    }
  };
  let seen = version();
  let lastFault: string | undefined;
  let looking = Promise.resolve();

  async function look(make = false): Promise<void> {
    const { found, carried, fault } = await database.followFile({ make });
    const isBack = found === 'in place' && lastFault !== undefined;
    if (fault !== undefined && fault !== lastFault) onGone();
    if (found === 'reopened') log.warn({ carried }, 'the database was opened anew; messages are taken again');
    if (isBack) log.warn('the database is back where it was; messages are taken again');
    const now = version();
    if (now !== seen || found === 'reopened' || isBack) wake();
    seen = now;
    lastFault = fault;
  }

  const stopTimer = database.clock.every(WATCH_MS, () => {
    looking = looking.then(() => look());
  });
  return {
    /** Leaves undelivered messages where the next start finds them. */
    stop(): Promise<void> {
      stopTimer();
      looking = looking.then(() => look(true));
      return looking;
    },
  };
}
