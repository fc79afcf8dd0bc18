import type { Hono } from 'hono';
import { type AppEnv, createApp } from './app.ts';
import { type Database, openDatabase } from './database.ts';
import type { Log } from './log.ts';
import { type MailTimeouts, openMailer } from './mail.ts';
import { composeNotification } from './notification.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createRateLimits } from './rate-limits.ts';
import type { Settings } from './settings.ts';
import type { Pages } from './static-files.ts';
import { createStore, type Store } from './store.ts';
import { createTroubleWatch } from './trouble.ts';

export type Service = {
  /** Answers the function, the health checks and, when given, the pages. */
  app: Hono<AppEnv>;
  outbox: Outbox;
  store: Store;
  database: Database;
  trouble: ReturnType<typeof createTroubleWatch>;
  /** Where mails go, for people. */
  mailDestination: string;
  /** Readiness fails from now on; everything else goes on. */
  prepareToStop(): void;
  /** Waits for the mail in hand, then lets go of the database. */
  close(): Promise<void>;
};

type Options = {
  log: Log;
  pages?: Pages;
  clock?: () => number;
  /** False: mails go out only when `outbox.runDue` is called. */
  startOutbox?: boolean;
  mailTimeouts?: MailTimeouts | undefined;
};

/** How often the service looks whether mails fail. */
const LOOK_MS = 60_000;

/** Everything but the listening. */
export async function openService(
  settings: Settings,
  { log, pages, clock = Date.now, startOutbox = true, mailTimeouts }: Options,
): Promise<Service> {
  const database = await openDatabase(settings.database);
  const store = createStore(database, {
    mailDomain: settings.mailFrom.address.split('@')[1] ?? 'localhost',
  });
  const mailer = openMailer(settings, mailTimeouts);
  const outbox = createOutbox({
    store,
    deliver: (message, signal) => mailer.send(composeNotification(message, settings), signal),
    log,
    clock,
    mailPerHour: settings.mailPerHour,
  });
  let stopping = false;
  const app = createApp({
    settings,
    store,
    limits: createRateLimits(),
    log,
    clock,
    pages,
    onStored: outbox.wake,
    isStopping: () => stopping,
  });
  const trouble = createTroubleWatch({ store, log, webhookUrl: settings.alertWebhookUrl });
  const look = startOutbox ? setInterval(() => void trouble.check(clock()), LOOK_MS).unref() : undefined;
  if (startOutbox) outbox.start();
  return {
    app,
    outbox,
    store,
    database,
    trouble,
    mailDestination: mailer.destination,
    prepareToStop() {
      stopping = true;
    },
    async close() {
      stopping = true;
      clearInterval(look);
      await outbox.stop();
      mailer.close();
      await store.close();
    },
  };
}
