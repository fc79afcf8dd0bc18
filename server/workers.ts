import type { Settings } from '../settings/settings.ts';
import type { Log } from './log.ts';
import { composeNotification } from './mail/mails.ts';
import type { Mailer } from './mail/transport.ts';
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
};

/** All that works on stored messages, and doesn't begin by itself. */
export function openWorkers(settings: Settings, { database, store, mailer, log }: Parts) {
  const { replyHours } = database;
  const { mailPerHour, alertWebhookUrl: url, alertWebhookSecret: secret } = settings;
  const webhook = openWebhook({ url, secret, log });
  const trouble = createTroubleWatch({ store, database, log, webhook, mailPerHour });
  const outbox = createOutbox({
    store,
    deliver: (message, signal) => mailer.send(composeNotification(message, settings), signal),
    // A copy in the mail folder mustn't outlive it.
    onErased: (id) => eraseMailFiles(settings.mailDir, new Set([id])),
    log,
    mailPerHour,
  });
  const jobs = scheduledJobs({ database, mailer, settings, log });
  return {
    outbox,
    trouble,
    schedule: createSchedule({ database, log, jobs }),
    /** Undefined without a webhook. */
    tellArrival: webhook && createArrivals({ webhook, replyHours, settings }),
  };
}
