import type { Logger as Log } from 'pino';
import { dayAt } from '../mail/day.ts';
import { daysBefore, readDigest } from '../mail/digest.ts';
import { composeDigest } from '../mail/digest-mail.ts';
import { composeHeldMail, MOST_LISTED } from '../mail/held-mail.ts';
import type { Mailer } from '../mail/mail.ts';
import type { Database } from '../messages/database.ts';
import { eraseMessages } from '../messages/erase.ts';
import { heldBetween } from '../messages/queries.ts';
import type { Settings } from '../settings/settings.ts';
import { remind } from './reminders.ts';
import { type Job, lastAt } from './schedule.ts';
import { SEND_MS } from './sending.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Unless the digest has another. */
const HELD_AT = { hour: 7, minute: 0 };
/** One that came at the last moment may not be stored yet, and is told of the next day. */
const STORED_WITHIN_MS = 60_000;
const REMINDERS_MS = 5 * 60_000;

type JobSettings = Pick<
  Settings,
  | 'retentionDays'
  | 'mailDir'
  | 'mail'
  | 'mailFrom'
  | 'contactEmail'
  | 'siteUrl'
  | 'timeZone'
  | 'digest'
  | 'reminders'
  | 'quietHours'
>;

type Parts = { database: Database; mailer: Mailer; settings: JobSettings; log: Log };

/** The periodic jobs: one, and those that the settings ask for. */
export function scheduledJobs({ database, mailer: patient, settings, log }: Parts): Job[] {
  // A mail server that takes a byte now and then would hold up all jobs for good.
  const mailer: Mailer = {
    ...patient,
    send: (mail, signal) => patient.send(mail, AbortSignal.any([signal, database.clock.timeout(SEND_MS)])),
  };
  const { digest, retentionDays, timeZone, mailDir } = settings;
  const { hour, minute } = digest ?? HELD_AT;
  const jobs: Job[] = [
    {
      what: 'suspected spam',
      dueAt: (now) => lastAt(now, { weekday: undefined, hour, minute }, timeZone),
      atFirst: false,
      async run({ now, lastAt: told = now }, signal) {
        const [from, until] = [told - STORED_WITHIN_MS, now - STORED_WITHIN_MS];
        const held = await heldBetween(database, { from, until, most: MOST_LISTED });
        if (held.count === 0) return;
        await mailer.send(composeHeldMail(held, now, settings), signal);
        log.info({ messages: held.count }, 'suspected spam listed');
      },
    },
  ];
  if (retentionDays !== undefined) {
    jobs.push({
      what: 'purge',
      dueAt: (now) => dayAt(now, timeZone).startsAt,
      atFirst: true,
      async run({ now, lastAt: purgedAt = now - DAY_MS }) {
        // To a clock that's years ahead, all messages are old. A day later it's been set right, or is.
        if (!isNextDay((now - purgedAt) / HOUR_MS)) {
          log.info('RETENTION_DAYS: nothing is erased until tomorrow, since the clock may have jumped');
          return;
        }
        const which = { receivedBefore: now - retentionDays * DAY_MS };
        const { messages, overwritten } = await eraseMessages(database, which, { mailDir, now });
        log.info({ messages, overwritten }, 'RETENTION_DAYS: old messages erased');
      },
    });
  }
  if (settings.reminders) {
    jobs.push({
      what: 'reminders',
      dueAt: (now) => now - (now % REMINDERS_MS),
      atFirst: true,
      run: ({ now }, signal) => remind({ database, mailer, settings, log }, now, signal),
    });
  }
  if (digest) {
    jobs.push({
      what: 'digest',
      dueAt: (now) => lastAt(now, digest, timeZone),
      atFirst: false,
      async run({ now, dueAt }, signal) {
        const days = daysBefore(dueAt, digest.weekday === undefined ? 1 : 7, timeZone);
        const figures = await readDigest(database, days, now);
        const { destination } = mailer;
        await mailer.send(composeDigest(figures, { settings, now, destination }), signal);
        log.info('digest sent');
      },
    });
  }
  return jobs;
}

/** If a purge comes sooner or later than that after the last one, the clock may have jumped. */
function isNextDay(hours: number): boolean {
  return hours >= 20 && hours <= 48;
}
