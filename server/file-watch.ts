import type { Log } from './log.ts';
import type { SqliteDatabase } from './messages/database.ts';

/** How soon a message requeued by the desk goes out. */
const WATCH_MS = 1_000;
/** Whoever puts another database in its place may first remove the old one. */
const MISSING_MS = 60_000;

type Options = {
  log: Log;
  /** Another program has changed the file. */
  wake: () => void;
  onGone: () => void;
  /** Called when the process has to end, since only a new start can use the file in the database's place. */
  onMoved?: (() => void) | undefined;
};

/**
 * Checks every second whether another program has changed the file, which costs SQLite next to nothing, and whether
 * it's still in place. Postgres is asked once a minute.
 */
export function watchFile(database: SqliteDatabase, { log, wake, onGone, onMoved }: Options) {
  const version = (): unknown => {
    try {
      return database.sqlite.pragma('data_version', { simple: true });
    } catch {
      // The outbox checks every minute, and reports a database it can't read.
      return undefined;
    }
  };
  let seen = version();
  let place = database.look();
  let missingSince: number | undefined;
  let fault = '';
  let hasLeft = false;

  function leave(): void {
    try {
      database.leave();
      hasLeft = true;
    } catch (error) {
      const { message } = error as Error;
      if (message !== fault) log.error({ fault: message }, 'the server cannot end yet');
      fault = message;
    }
  }

  function look(): void {
    const before = place;
    const ticks = database.clock.ticks();
    place = database.look();
    missingSince = place === 'missing' ? (missingSince ?? ticks) : undefined;
    if (place !== 'in place') {
      if (before === 'in place') onGone();
      if (missingSince !== undefined && ticks - missingSince < MISSING_MS) return;
      leave();
      if (hasLeft) onMoved?.();
      return;
    }
    if (before !== 'in place') log.warn('the database is back where it was; messages are taken again');
    const now = version();
    if (now !== seen || before !== 'in place') wake();
    seen = now;
  }

  const stopTimer = database.clock.every(WATCH_MS, look);
  return {
    /** Leaves undelivered messages where the next start finds them. */
    stop(): void {
      stopTimer();
      if (database.look() !== 'in place') leave();
    },
  };
}
