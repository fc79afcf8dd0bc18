import type { Logger as Log } from 'pino';
import { Temporal } from 'temporal-polyfill';
import { MINUTE } from '../../contract/time.ts';
import type { Database } from '../messages/database.ts';
import { lastDoneAt, moveNote } from '../messages/last-done.ts';

/** A periodic job, run by just one of the servers on a database. Doing it twice must do no harm. */
export type Job = {
  /** The name of the note that says when it last ran. */
  what: string;
  /** When it was last due, in milliseconds since 1970. */
  dueAt: (now: number) => number;
  /** `lastAt`: when it last ran, by the clock of then; undefined the first time. */
  run: (times: { now: number; lastAt: number | undefined }, signal: AbortSignal) => Promise<void>;
};

/** Not sooner: the failure may be a login, and repeated wrong passwords lock accounts. */
const RETRY_MS = 30 * MINUTE;

/**
 * Runs each job once whenever it's due, however many servers there are: the note is moved before the work starts, and
 * only one server can do that. A note from the future came from a wrong clock, and counts for nothing. Failures are
 * retried; a run cut short by a crash isn't.
 */
export function createSchedule({ database, log, jobs }: { database: Database; log: Log; jobs: Job[] }) {
  const failedAt = new Map<string, number>();
  const stopNow = new AbortController();
  let checking = Promise.resolve();

  async function check(now: number): Promise<void> {
    for (const job of jobs) {
      if (stopNow.signal.aborted || isBetween(now - RETRY_MS + 1, failedAt.get(job.what), now)) continue;
      try {
        await doIfDue(job, now);
      } catch (error) {
        failedAt.set(job.what, now);
        if (stopNow.signal.aborted) return;
        log.error(
          { err: error, job: job.what, retrySeconds: RETRY_MS / 1000 },
          'a scheduled job failed; it is tried again',
        );
      }
    }
  }

  async function doIfDue({ what, dueAt, run }: Job, now: number): Promise<void> {
    const seen = await lastDoneAt(database, what);
    if (isBetween(dueAt(now), seen, now)) return;
    if (!(await moveNote(database, what, { from: seen, to: now }))) return;
    try {
      await run({ now, lastAt: seen || undefined }, stopNow.signal);
    } catch (error) {
      await moveNote(database, what, { from: now, to: seen ?? 0 });
      throw error;
    }
  }

  return {
    /** Call about once a minute; runs never overlap. */
    check(now: number): Promise<void> {
      checking = checking.then(() => check(now));
      return checking;
    },
    /** Aborts a running job, which the next start runs instead, and waits for it to end. */
    stop(): Promise<void> {
      stopNow.abort();
      return checking;
    },
  };
}

/** The rule for every time that's noted: what was noted by a clock that ran ahead counts for nothing. */
function isBetween(from: number, noted: number | undefined, now: number): boolean {
  return noted !== undefined && noted >= from && noted <= now;
}

/** The last time the clock in that zone showed that time. */
export function lastAt(
  now: number,
  { hour, minute }: { hour: number; minute: number },
  timeZone: string,
): number {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
  // From the date each time: on one day a year the clock skips an hour, and shows a later time than that.
  const onDay = (date: Temporal.PlainDate): number =>
    date.toZonedDateTime({ timeZone, plainTime: { hour, minute } }).epochMilliseconds;
  const due = onDay(today);
  return due > now ? onDay(today.subtract({ days: 1 })) : due;
}
