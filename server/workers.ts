import type { Settings } from '../settings/settings.ts';
import type { Log } from './log.ts';
import { composeNotification, composePlain } from './mail/mails.ts';
import type { Mailer } from './mail/transport.ts';
import type { Database } from './messages/database.ts';
import { eraseMailFiles } from './messages/erase.ts';
import { deliveredWith } from './messages/last-done.ts';
import type { Store } from './messages/store.ts';
import type { Message } from './messages/table.ts';
import { createSchedule, openJobs } from './outbox/jobs.ts';
import { createOutbox } from './outbox/loop.ts';
import { sendWholeOrPlain } from './outbox/send.ts';
import { createTroubleWatch } from './outbox/trouble.ts';
import { createArrivals, openWebhook } from './outbox/webhook.ts';

export type Workers = ReturnType<typeof openWorkers>;

type Parts = {
  database: Database;
  store: Store;
  mailer: Pick<Mailer, 'send'>;
  log: Log;
};

/** All that works on stored messages, and doesn't begin by itself. */
export function openWorkers(settings: Settings, { database, store, mailer, log }: Parts) {
  const { replyHours } = database;
  const { mailPerHour, timeZone, alertWebhookUrl: url, alertWebhookSecret: secret } = settings;
  const webhook = openWebhook({ url, secret, log });
  const trouble = createTroubleWatch({ store, database, log, webhook, mailPerHour });
  function deliver(message: Message, signal: AbortSignal): Promise<string | null> {
    const whole = composeNotification(message, settings);
    const plain = (refusal: string) => composePlain(whole, message, refusal, settings);
    return sendWholeOrPlain(mailer, { whole, plain }, signal);
  }
  const outbox = createOutbox({
    store,
    database,
    deliver,
    deliveredWith: deliveredWith(settings),
    // A copy in the mail folder mustn't outlive it.
    onErased: (id) => eraseMailFiles(settings.mailDir, new Set([id])),
    log,
    mailPerHour,
  });
  const jobs = openJobs({ database, mailer, settings, log, onDelivered: outbox.delivered });
  return {
    outbox,
    trouble,
    schedule: createSchedule({ database, log, timeZone, jobs }),
    /** Undefined without a webhook. */
    tellArrival: webhook && createArrivals({ webhook, replyHours, settings }),
  };
}
