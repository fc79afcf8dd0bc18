import type { Settings } from '../settings/settings.ts';
import type { Log } from './log.ts';
import type { Mailer } from './mail/mail.ts';
import { composeNotification } from './mail/notification.ts';
import type { OpenMailbox } from './mailbox/connect.ts';
import { MailboxWatch } from './mailbox/watch.ts';
import type { Database } from './messages/database.ts';
import { eraseMailFiles } from './messages/erase.ts';
import type { Store } from './messages/store.ts';
import { createArrivals } from './outbox/arrivals.ts';
import { scheduledJobs } from './outbox/jobs.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createSchedule } from './outbox/schedule.ts';
import { createTroubleWatch } from './outbox/trouble.ts';
import { openWebhook } from './outbox/webhook.ts';

export type Workers = ReturnType<typeof openWorkers>;

type Parts = {
  database: Database;
  store: Store;
  mailer: Mailer;
  log: Log;
  openMailbox: OpenMailbox | undefined;
};

/** All that works on stored messages, and doesn't begin by itself. */
export function openWorkers(settings: Settings, { database, store, mailer, log, openMailbox }: Parts) {
  const { clock } = database;
  const { mailPerHour, imapUrl, alertWebhookUrl: url, alertWebhookSecret: secret } = settings;
  const webhook = openWebhook({ url, secret, clock, log });
  const trouble = createTroubleWatch({ store, database, log, webhook, mailPerHour });
  const mailbox = imapUrl
    ? new MailboxWatch({
        imapUrl,
        database,
        log,
        areMailed: settings.mail.via !== 'folder',
        own: [settings.contactEmail, settings.mailFrom.address],
        onRefused: (now) => trouble.report('mailbox', now),
        onFlood: (now) => trouble.report('mailbox floods', now),
        open: openMailbox,
      })
    : undefined;
  const outbox = createOutbox({
    store,
    async deliver(message, signal) {
      await mailer.send(composeNotification(message, settings), signal);
      mailbox?.wake();
    },
    // A copy in the mail folder mustn't outlive it.
    onErased: (id) => eraseMailFiles(settings.mailDir, new Set([id])),
    log,
    clock,
    mailPerHour,
  });
  const jobs = scheduledJobs({ database, mailer, settings, log });
  return {
    outbox,
    trouble,
    mailbox,
    schedule: createSchedule({ database, log, jobs }),
    /** Undefined without a webhook. */
    tellArrival: webhook && createArrivals({ webhook, clock, settings }),
  };
}
