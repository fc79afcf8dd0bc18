import type { ContactMessage } from '../contract/contact.ts';
import type { Sentences } from '../contract/refusals.ts';
import type { Mailer } from '../mail/mail.ts';
import { openMailer } from '../mail/mailer.ts';
import { composeNotification } from '../mail/notification.ts';
import type { OpenMailbox } from '../mailbox/connect.ts';
import { watchMailbox } from '../mailbox/watch.ts';
import type { Clock } from '../messages/clock.ts';
import type { Database, DatabaseOptions } from '../messages/database.ts';
import { eraseMailFiles } from '../messages/erase.ts';
import { createLearner } from '../messages/learner.ts';
import { openDatabase } from '../messages/open.ts';
import { createStore } from '../messages/store.ts';
import type { StoreError } from '../messages/store-error.ts';
import { createArrivals } from '../outbox/arrivals.ts';
import { scheduledJobs } from '../outbox/jobs.ts';
import { createOutbox } from '../outbox/outbox.ts';
import { createSchedule } from '../outbox/schedule.ts';
import { createTroubleWatch } from '../outbox/trouble.ts';
import { openWebhook } from '../outbox/webhook.ts';
import type { Settings } from '../settings/settings.ts';
import { logServed } from './access-log.ts';
import { createApp, type FunctionHost } from './app.ts';
import type { OnServed } from './listen.ts';
import type { Log } from './log.ts';
import { createRateLimits } from './rate-limits.ts';
import { ENGLISH } from './refusals.ts';
import { createRounds } from './rounds.ts';
import type { Pages } from './static-files.ts';
import { createSubmit } from './submit.ts';
import { createVisitCount } from './visit-count.ts';

export type Service = Awaited<ReturnType<typeof openService>>;

type Options = {
  log: Log;
  /** For the log lines of page requests; defaults to `log`. */
  access?: Log;
  pages?: Pages;
  /** What's said to visitors; defaults to the pages' own, and to English without pages. */
  sentences?: Sentences;
  /** Replaces the clock that all instances share. */
  clock?: Clock;
  /** False: mails go out only when `outbox.runDue` is called. */
  startOutbox?: boolean;
  /** Defaults to the one in the settings. */
  mailer?: Mailer | undefined;
  /** Defaults to a connection to the one in the settings. */
  openMailbox?: OpenMailbox | undefined;
  /** Already open; defaults to the one in the settings. */
  database?: Database;
  /** A platform that calls the function; mails then go out after a response, and during sweeps. */
  host?: FunctionHost;
};

/** Everything except listening. */
export async function openService(settings: Settings, options: Options) {
  const { log, access = log, pages, host, startOutbox = !host } = options;
  const database = options.database ?? (await openDatabase(settings.database, databaseOptions()));
  const { clock } = database;
  const { mailPerHour } = settings;
  const store = createStore(database, {
    mailDomain: settings.mailFrom.address.split('@')[1] ?? 'localhost',
    leaseClock: options.clock ? 'caller' : 'database',
  });
  const mailer = options.mailer ?? openMailer(settings.mail);
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
  const { alertWebhookUrl: url, alertWebhookSecret: secret } = settings;
  const webhook = openWebhook({ url, secret, clock, log });
  const tellArrival = webhook && createArrivals({ webhook, clock, settings });
  const trouble = createTroubleWatch({ store, database, log, webhook, mailPerHour });
  const mailbox = openMailboxWatch();
  const jobs = scheduledJobs({ database, mailer, settings, log });
  const schedule = createSchedule({ database, log, jobs });
  const limits = createRateLimits({ database, log });
  // Without pages, as in development, the counts would mean nothing.
  const visits =
    settings.countVisits && pages
      ? createVisitCount({ database, log, timeZone: settings.timeZone })
      : undefined;
  const rounds = createRounds({ database, log, outbox, trouble, schedule, limits, mailbox, visits });
  const sentences = options.sentences ?? pages?.sentences ?? ENGLISH;
  const learned = createLearner(database);
  const submit = createSubmit({ store, limits, learned, sentences, log, clock, onStored, onNotStored });
  let stopping = false;
  const app = createApp({
    settings,
    store,
    submit,
    sentences,
    log,
    clock,
    access,
    pages,
    confirmRoom: () => trouble.confirmRoom(clock.now()),
    isStopping: () => stopping,
    host,
    sweep: rounds.sweep,
  });
  void database.pending?.then(
    () => log.info({ place: database.place }, 'the database is there: messages are stored from now on'),
    // The service was closed first.
    () => undefined,
  );
  if (startOutbox) rounds.start();

  function databaseOptions(): DatabaseOptions {
    const onAway = ({ message }: StoreError) =>
      log.error(
        { fault: message },
        'the database cannot be used yet; visitors are told that nothing was saved, and it is tried again',
      );
    return { onAway, connections: settings.databaseConnections, clock: options.clock };
  }

  function openMailboxWatch() {
    if (!settings.imapUrl) return undefined;
    return watchMailbox({
      imapUrl: settings.imapUrl,
      database,
      log,
      areMailed: settings.mail.via !== 'folder',
      own: [settings.contactEmail, settings.mailFrom.address],
      onRefused: (now) => trouble.mailboxRefused(now),
      open: options.openMailbox,
    });
  }

  function onStored({ email }: ContactMessage): void {
    // An owner writing to themself, by hand or through `desk doctor`, is testing the form and isn't a lead.
    if (email.toLowerCase() !== settings.contactEmail.toLowerCase()) visits?.messageStored();
    if (host) host.inBackground(Promise.all([rounds.mailNow(), tellArrival?.()]));
    else {
      outbox.wake();
      void tellArrival?.();
    }
  }

  function onNotStored(error: unknown): void {
    if (!trouble.notStored(error, clock.now())) return;
    const told = trouble.check(clock.now());
    host?.inBackground(told);
  }

  const logFile = logServed(access, clock);
  const onServed: OnServed = (request, response, served) => {
    logFile(request, response, served);
    if (served.isPage && request.method === 'GET' && (served.status === 200 || served.status === 304))
      visits?.pageSent(request.headers);
  };
  return {
    /** Serves the function, the health checks and, if given, the pages. */
    app,
    outbox,
    store,
    database,
    trouble,
    mailbox,
    visits,
    schedule,
    /** Call for each file the server sends. */
    onServed,
    mailDestination: mailer.destination,
    /** Readiness fails from now on; everything else carries on. */
    prepareToStop() {
      stopping = true;
    },
    /** Claims no more, and waits for what's in hand. */
    stopSending: outbox.stop,
    /** Waits for what's in hand, then closes the database. */
    async close() {
      stopping = true;
      await rounds.stop();
      await trouble.settled();
      mailer.close();
      await visits?.flush();
      await store.close();
    },
  };
}
