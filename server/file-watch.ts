import type { Log } from './log.ts';
import type { SqliteDatabase } from './messages/database.ts';

/** How soon a message requeued by the desk goes out. */
const WATCH_MS = 1_000;

type Options = {
  log: Log;
  /** Another program has changed the file. */
  wake: () => void;
  /** Called when the process has to end, since only a new start can use what's in the database's place. */
  onMoved: () => void;
};

/**
 * Checks every second whether another program has changed the file, which costs SQLite next to nothing, and whether
 * it's still in place. Postgres is asked once a minute.
 */
export function watchFile(database: SqliteDatabase, { log, wake, onMoved }: Options) {
  const version = (): unknown => {
    try {
      return database.sqlite.pragma('data_version', { simple: true });
    } catch {
      // The outbox checks every minute, and reports a database it can't read.
      return undefined;
    }
  };
  let seen = version();

  /** Nobody finds the log of a file that was moved. False if what's in it couldn't be brought to the file yet. */
  function leave(): boolean {
    try {
      return database.emptyLog();
    } catch (error) {
      log.error({ err: error }, 'the server cannot end yet');
      return false;
    }
  }

  const timer = setInterval(() => {
    if (!database.isInPlace()) {
      if (!leave()) return;
      clearInterval(timer);
      return onMoved();
    }
    const now = version();
    if (now !== seen) wake();
    seen = now;
  }, WATCH_MS).unref();
  return {
    stop(): void {
      clearInterval(timer);
      if (!database.isInPlace()) leave();
    },
  };
}
