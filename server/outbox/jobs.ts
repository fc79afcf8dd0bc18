import { Temporal } from 'temporal-polyfill';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';
import { composeDaily, composeNotification, MOST_LISTED } from '../mail/mails.ts';
import { type Mailer, sendWholeOrPlain } from '../mail/transport.ts';
import type { Database } from '../messages/database.ts';
import { eraseMessages } from '../messages/erase.ts';
import { forget, lastDoneAt, noteDone, TRIED } from '../messages/last-done.ts';
import { setReminded, setSeen, setTold } from '../messages/owner.ts';
import { toRemind, unreported } from '../messages/queries.ts';
import { isOld, LONGEST_WAIT_MS } from '../messages/table.ts';

/** Reminders in 24 hours. More means a flood, or an owner who can't answer now; the desk lists them. */
const MOST_A_DAY = 20;

/** A job waits as long as it has been failing, within these: repeated wrong passwords lock accounts. */
const RETRY_MS = { least: 30 * MINUTE, most: LONGEST_WAIT_MS };

/** Done every `every` ms, or daily `at` a time by the owner's clock. Doing it twice must do no harm. */
type Job = {
  name: string;
  every: number;
  at?: Temporal.PlainTimeLike;
  /** `lastAt`: when it was last done, by the clock back then; undefined the first time. */
  what: (now: number, lastAt: number | undefined) => Promise<void>;
};

type Parts = {
  database: Database;
  mailer: Mailer;
  settings: Settings;
  sentences: Sentences;
  log: Log;
  onDelivered: (now: number) => Promise<void>;
};

/**
 * Does each job once whenever it's due, however many servers there are: a try is noted before it begins, which only one of
 * them can do. A note from the future came from a wrong clock. Failures are retried, and so is a run that was cut short.
 */
export function createSchedule({ database, mailer, settings, sentences, log, onDelivered }: Parts) {
  const { timeZone, retentionDays, mailDir, reminders } = settings;
  const stopNow = new AbortController();
  const jobs: Job[] = [
    { name: 'daily', every: DAY, at: { hour: 7 }, what: daily },
    { name: 'purge', every: DAY, at: { hour: 0 }, what: purge },
    ...(reminders ? [{ name: 'reminders', every: 5 * MINUTE, what: remind }] : []),
  ];
  let checking = Promise.resolve();
  /** Noted as sent, though they weren't. */
  const unsent = new Set<string>();

  async function daily(now: number): Promise<void> {
    // Without reminders, what was delivered is left out: she has those mails.
    const reported = await unreported(database, now, { most: MOST_LISTED, delivered: reminders });
    if (reported.ids.length === 0) return;
    const compose = (refusal?: string) => composeDaily(reported, sentences, now, settings, refusal);
    const fault = await sendWholeOrPlain(mailer, compose, stopNow.signal);
    // Only now, so that after a crash she's told again rather than never.
    await setTold(database, 'listed', reported.ids, now);
    log.info({ messages: reported.counts, ...(fault && { fault }) }, 'daily email sent');
    await onDelivered(now);
  }

  /**
   * Sends them even if the server was off at their time, but not right after a late first mail. They're noted before
   * they're sent, so none comes twice.
   */
  async function remind(now: number): Promise<void> {
    if (nightAt(now, timeZone)) return;
    await takeBack();
    for (const message of await toRemind(database, now, MOST_A_DAY)) {
      const { id, received_at, sent_at } = message;
      const promisedMs = message.reply_hours * HOUR;
      // A time in the future came from a clock that has since been corrected.
      const mailedAt = sent_at !== null && sent_at <= now ? sent_at : received_at;
      const remindAt = Math.max(reminderAt(received_at, timeZone, promisedMs), mailedAt + promisedMs / 6);
      if (remindAt > now || !(await setReminded(database, id, now))) continue;
      const compose = (refusal?: string) =>
        composeNotification(message, sentences, settings, { remindedAt: now, refusal });
      await sendWholeOrPlain(mailer, compose, stopNow.signal).catch(async (error: unknown) => {
        unsent.add(id);
        // If the database is down, too, the next run does it.
        await takeBack().catch(() => undefined);
        // It isn't about this message's words, so the mail server won't take the others now, either.
        throw error;
      });
      log.info({ id }, 'reminder sent');
      await onDelivered(now);
    }
  }

  async function takeBack(): Promise<void> {
    for (const id of unsent) {
      await setReminded(database, id, null);
      unsent.delete(id);
    }
  }

  /**
   * Notes which messages are there, and erases those that were seen before `retentionDays`. Only about a day after the last
   * time: otherwise the clock may have jumped, and will be right by the next.
   */
  async function purge(now: number, lastAt: number | undefined): Promise<void> {
    const since = now - (lastAt ?? now - DAY);
    if (since < 20 * HOUR || since > 48 * HOUR) return;
    await setSeen(database, { since: lastAt ?? 0, now });
    if (retentionDays === undefined) return;
    const which = isOld(now - retentionDays * DAY);
    const { messages, overwritten } = await eraseMessages(database, which, mailDir);
    log.info({ messages, overwritten }, 'RETENTION_DAYS: old messages erased');
  }

  async function doIfDue({ name, every, at, what }: Job, now: number): Promise<void> {
    if (stopNow.signal.aborted) return;
    const due = at ? lastAt(now, at, timeZone) : now - (now % every);
    const doneAt = await lastDoneAt(database, name);
    if (doneAt !== undefined && doneAt >= due && doneAt <= now) return;
    const triedAt = (await lastDoneAt(database, name + TRIED)) ?? 0;
    const failingMs = triedAt - (doneAt === undefined ? due : doneAt + every);
    // A success is noted with the time of its try. A minute later, every server has seen it.
    const isFailing = triedAt !== doneAt;
    const wait = isFailing ? Math.min(Math.max(failingMs, RETRY_MS.least), RETRY_MS.most) : MINUTE;
    if (!(await noteDone(database, name + TRIED, now, wait))) return;
    await what(now, doneAt).catch(async (error: unknown) => {
      // A stop isn't a failure: the next start tries it.
      if (stopNow.signal.aborted) await forget(database, name + TRIED);
      // If it has never succeeded, the wait grows from here on, however often it falls due.
      else if (doneAt === undefined) await noteDone(database, name, due - every);
      throw error;
    });
    await noteDone(database, name, now);
  }

  const tryJob = (job: Job, now: number) =>
    doIfDue(job, now).catch((error: unknown) => {
      if (!stopNow.signal.aborted)
        log.error({ err: error, job: job.name }, 'a scheduled job failed; it is tried again');
    });

  return {
    /** Call about once a minute; runs never overlap. */
    check(now: number): Promise<void> {
      for (const job of jobs) checking = checking.then(() => tryJob(job, now));
      return checking;
    },
    stop(): Promise<void> {
      stopNow.abort();
      return checking;
    },
  };
}

/**
 * When a sixth of the time is left. If that's at night, it's in the morning, if half of that sixth is left then;
 * otherwise it's the evening before, unless that's sooner than a third of the promised time.
 */
export function reminderAt(receivedAt: number, timeZone: string, promisedMs: number): number {
  const usual = receivedAt + (promisedMs * 5) / 6;
  const night = nightAt(usual, timeZone);
  if (!night) return usual;
  // So that a failed try can be repeated.
  const early = night.startsAt - HOUR;
  const isEnough = night.endsAt <= usual + promisedMs / 12;
  return isEnough || early < receivedAt + promisedMs / 3 ? night.endsAt : early;
}

/** The night that the time is in, by the owner's clock, when no reminder comes. */
function nightAt(time: number, timeZone: string) {
  const startsAt = lastAt(time, { hour: 20 }, timeZone);
  const endsAt = lastAt(startsAt + DAY, { hour: 8 }, timeZone);
  return time < endsAt ? { startsAt, endsAt } : undefined;
}

/** The last time the clock in that zone showed that time. */
function lastAt(now: number, plainTime: Temporal.PlainTimeLike, timeZone: string): number {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
  // From the date each time: on one day a year the clock skips an hour, and may show a later time than that.
  const onDay = (date: Temporal.PlainDate) => date.toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
  const due = onDay(today);
  return due > now ? onDay(today.subtract({ days: 1 })) : due;
}
