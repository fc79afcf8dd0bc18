import type { Sentences } from '../contract/refusal-sentences.ts';
import type { Settings } from '../settings/settings.ts';
import type { Clock } from './clock.ts';
import { logServed } from './http/access-log.ts';
import { createApp, type FunctionHost } from './http/app.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { ENGLISH } from './http/refusal-answers.ts';
import type { Pages } from './http/static-files.ts';
import { createSubmit } from './http/submit.ts';
import type { Log } from './log.ts';
import type { Mailer } from './mail/mail.ts';
import { openMailer } from './mail/mailer.ts';
import { composeNotification } from './mail/notification.ts';
import type { OpenMailbox } from './mailbox/connect.ts';
import { MailboxWatch } from './mailbox/watch.ts';
import type { Database, DatabaseOptions } from './messages/database.ts';
import { eraseMailFiles } from './messages/erase.ts';
import { rememberSpam } from './messages/known-spam.ts';
import { openDatabase } from './messages/open.ts';
import { createStore } from './messages/store.ts';
import type { StoreError } from './messages/store-error.ts';
import { createArrivals } from './outbox/arrivals.ts';
import { scheduledJobs } from './outbox/jobs.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createSchedule } from './outbox/schedule.ts';
import { createTroubleWatch } from './outbox/trouble.ts';
import { openWebhook } from './outbox/webhook.ts';
import { createRounds } from './rounds.ts';

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
  /** Called when the process has to end, since only a new start can use the file in the database's place. */
  onMoved?: (() => void) | undefined;
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
  const { onMoved } = options;
  const rounds = createRounds({ database, log, outbox, trouble, schedule, limits, mailbox, onMoved });
  const sentences = options.sentences ?? pages?.sentences ?? ENGLISH;
  const known = rememberSpam(database, [
    settings.contactEmail,
    settings.mailFrom.address,
    settings.siteUrl ? new URL(settings.siteUrl).hostname.replace(/^www\./, '') : '',
  ]);
  const submit = createSubmit({ store, limits, known, sentences, log, clock, onStored, onNotStored });
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
    return new MailboxWatch({
      imapUrl: settings.imapUrl,
      database,
      log,
      areMailed: settings.mail.via !== 'folder',
      own: [settings.contactEmail, settings.mailFrom.address],
      onRefused: (now) => trouble.mailboxRefused(now),
      onFlood: (now) => trouble.mailboxFloods(now),
      open: options.openMailbox,
    });
  }

  function onStored(): void {
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

  return {
    /** Serves the function, the health checks and, if given, the pages. */
    app,
    outbox,
    store,
    database,
    trouble,
    mailbox,
    schedule,
    /** Reads the whole of a SQLite file, beside everything else. If it's damaged, no message is taken from then on. */
    async checkFile(): Promise<void> {
      const fault = database.engine === 'sqlite' ? await database.findDamage() : undefined;
      if (!fault) return;
      log.error({ fault }, 'the database is damaged; visitors are told that nothing was saved');
      await trouble.check(clock.now());
    },
    /** Call for each file the server sends. */
    onServed: logServed(access, clock),
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
      await store.close();
    },
  };
}
