import type { Logger as Log } from 'pino';
import { Temporal } from 'temporal-polyfill';
import type { Database } from '../messages/database.ts';
import { lastDoneAt, moveNote } from '../messages/last-done.ts';
import type { DigestTime } from '../settings/checks.ts';

/** A periodic job, run by just one of the servers on a database. */
export type Job = {
  /** The name of the note that says when it last ran. */
  what: string;
  /** When it was last due, in milliseconds since 1970. */
  dueAt: (now: number) => number;
  /** False: skips what was due before the job was first seen. */
  atFirst: boolean;
  /** `lastAt`: when it last ran, or was first seen; undefined if it's the first time. */
  run: (
    times: { now: number; dueAt: number; lastAt: number | undefined },
    signal: AbortSignal,
  ) => Promise<void>;
};

/** Not sooner: the failure may be a login, and repeated wrong passwords lock accounts. */
const RETRY_MS = 30 * 60_000;
/** A note from further ahead came from a wrong clock, and would stop the job for years. */
const FAR_AHEAD_MS = 26 * 3_600_000;

/**
 * Runs each job once whenever it's due, however many servers there are: the note is moved forward before the work
 * starts, and only one server can do that. Failures are retried; a run cut short by a crash isn't.
 */
export function createSchedule({ database, log, jobs }: { database: Database; log: Log; jobs: Job[] }) {
  const notBefore = new Map<string, number>();
  const stopNow = new AbortController();
  let checking = Promise.resolve();

  async function check(now: number): Promise<void> {
    for (const job of jobs) {
      const waitsFor = (notBefore.get(job.what) ?? now) - now;
      // A longer wait was set by a clock that has since been corrected.
      if (stopNow.signal.aborted || (waitsFor > 0 && waitsFor <= RETRY_MS)) continue;
      try {
        await doIfDue(job, now);
      } catch (error) {
        notBefore.set(job.what, now + RETRY_MS);
        if (stopNow.signal.aborted) return;
        log.error(
          { err: error, job: job.what, retrySeconds: RETRY_MS / 1000 },
          'a scheduled job failed; it is tried again',
        );
      }
    }
  }

  async function doIfDue(job: Job, now: number): Promise<void> {
    const { what } = job;
    const dueAt = job.dueAt(now);
    const seen = await lastDoneAt(database, what);
    if (seen !== undefined && seen >= dueAt && seen <= now + FAR_AHEAD_MS) return;
    const isOurs = await moveNote(database, what, { from: seen, to: now });
    if (!isOurs || (seen === undefined && !job.atFirst)) return;
    try {
      await job.run({ now, dueAt, lastAt: seen }, stopNow.signal);
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

/** The last time the clock in that zone showed that time, on that weekday if one is given. */
export function lastAt(now: number, { weekday, hour, minute }: DigestTime, timeZone: string): number {
  const here = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
  const day = here.toPlainDate().subtract({ days: weekday === undefined ? 0 : here.dayOfWeek - weekday });
  // From the date each time: on one day a year the clock skips an hour, and shows a later time than that.
  const onDay = (date: Temporal.PlainDate): number =>
    date.toZonedDateTime({ timeZone, plainTime: { hour, minute } }).epochMilliseconds;
  const due = onDay(day);
  return due > now ? onDay(day.subtract({ days: weekday === undefined ? 1 : 7 })) : due;
}
