import type { Logger as Log } from 'pino';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import type { Settings } from '../../settings/settings.ts';
import { composeHeldMail, MOST_LISTED } from '../mail/mails.ts';
import type { Mailer } from '../mail/transport.ts';
import type { Database } from '../messages/database.ts';
import { dayAt } from '../messages/day.ts';
import { eraseMessages } from '../messages/erase.ts';
import { toList } from '../messages/queries.ts';
import { setListed, setSeen } from '../messages/states.ts';
import { remind } from './reminders.ts';
import { type Job, lastAt } from './schedule.ts';
import { SEND_MS } from './sending.ts';

const HELD_AT = { hour: 7, minute: 0 };
const REMINDERS_MS = 5 * MINUTE;

type JobSettings = Pick<Settings, 'retentionDays' | 'mailDir' | 'reminders'> &
  Parameters<typeof remind>[0]['settings'] &
  Parameters<typeof composeHeldMail>[2];

type Parts = { database: Database; mailer: Mailer; settings: JobSettings; log: Log };

/** The periodic jobs, with those that the settings ask for. */
export function scheduledJobs({ database, mailer: patient, settings, log }: Parts): Job[] {
  // A mail server that takes a byte now and then would hold up all jobs for good.
  const mailer: Mailer = {
    ...patient,
    send: (mail, signal) => patient.send(mail, AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)])),
  };
  const { timeZone } = settings;
  const jobs: Job[] = [
    {
      what: 'suspected spam',
      dueAt: (now) => lastAt(now, HELD_AT, timeZone),
      async run({ now }, signal) {
        const held = await toList(database, MOST_LISTED);
        if (held.ids.length === 0) return;
        await mailer.send(composeHeldMail(held, now, settings), signal);
        // Only now, so that a crash lists them again rather than never.
        await setListed(database, held.ids, now);
        log.info({ messages: held.ids.length }, 'suspected spam listed');
      },
    },
    {
      what: 'purge',
      dueAt: (now) => dayAt(now, timeZone).startsAt,
      run: ({ now, lastAt }) => purge({ database, settings, log }, now, lastAt),
    },
  ];
  if (settings.reminders) {
    jobs.push({
      what: 'reminders',
      dueAt: (now) => now - (now % REMINDERS_MS),
      run: ({ now }, signal) => remind({ database, mailer, settings, log }, now, signal),
    });
  }
  return jobs;
}

/**
 * Notes which messages are there, and erases those that were seen before `retentionDays`. It does neither if it comes
 * sooner or later than about a day after the last time: then the clock may have jumped, and has been set right by the
 * next time, or is right.
 */
async function purge(
  { database, settings: { retentionDays, mailDir }, log }: Omit<Parts, 'mailer'>,
  now: number,
  lastAt: number | undefined,
): Promise<void> {
  const since = now - (lastAt ?? now - DAY);
  if (since < 20 * HOUR || since > 48 * HOUR) {
    if (retentionDays !== undefined)
      log.info('RETENTION_DAYS: nothing is erased until tomorrow, since the clock may have jumped');
    return;
  }
  await setSeen(database, { since: lastAt ?? 0, now });
  if (retentionDays === undefined) return;
  const which = { seenBefore: now - retentionDays * DAY };
  const { messages, overwritten } = await eraseMessages(database, which, { mailDir, now });
  log.info({ messages, overwritten }, 'RETENTION_DAYS: old messages erased');
}
