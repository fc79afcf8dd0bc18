import type { Database } from './database.ts';
import { dayAt } from './day.ts';
import { daysBefore, readDigest } from './digest.ts';
import { composeDigest } from './digest-mail.ts';
import { eraseMessages } from './erase.ts';
import type { Log } from './log.ts';
import type { Mailer } from './mail.ts';
import { type Job, lastAt } from './schedule.ts';
import type { Settings } from './settings.ts';

const DAY_MS = 24 * 3_600_000;

type Parts = { database: Database; mailer: Mailer; settings: Settings; log: Log };

/** What the settings ask to be done now and then. */
export function scheduledJobs({ database, mailer, settings, log }: Parts): Job[] {
  const { digest, retentionDays, timeZone, mailDir } = settings;
  const jobs: Job[] = [];
  if (retentionDays !== undefined) {
    jobs.push({
      what: 'purge',
      dueAt: (now) => dayAt(now, timeZone).startsAt,
      atFirst: true,
      async run({ now }) {
        const which = { receivedBefore: now - retentionDays * DAY_MS };
        const { messages, overwritten } = await eraseMessages(database, which, { mailDir, now });
        log.info({ messages, overwritten }, 'RETENTION_DAYS: old messages erased');
      },
    });
  }
  if (digest) {
    jobs.push({
      what: 'digest',
      dueAt: (now) => lastAt(now, digest, timeZone),
      atFirst: false,
      async run({ now, dueAt }, signal) {
        const days = daysBefore(dueAt, digest.weekday === undefined ? 1 : 7, timeZone);
        const figures = await readDigest(database, days);
        const { destination } = mailer;
        await mailer.send(composeDigest(figures, { settings, now, destination }), signal);
        log.info('digest sent');
      },
    });
  }
  return jobs;
}
