import type { Sentences } from '../contract/refusals.ts';
import type { Mailer } from '../mail/mail.ts';
import { openMailer } from '../mail/mailer.ts';
import { composeNotice, postNotice } from '../mail/notice.ts';
import { composeNotification } from '../mail/notification.ts';
import type { OpenMailbox } from '../mailbox/connect.ts';
import { BEAT_MS, watchMailbox } from '../mailbox/watch.ts';
import type { Clock } from '../messages/clock.ts';
import type { Database, SqliteDatabase } from '../messages/database.ts';
import { eraseMailFiles } from '../messages/erase.ts';
import { rememberSpam } from '../messages/known-spam.ts';
import { openDatabase } from '../messages/open.ts';
import { createStore } from '../messages/store.ts';
import type { StoreError } from '../messages/store-error.ts';
import { scheduledJobs } from '../outbox/jobs.ts';
import { createOutbox } from '../outbox/outbox.ts';
import { createSchedule } from '../outbox/schedule.ts';
import { createTroubleWatch } from '../outbox/trouble.ts';
import type { Settings } from '../settings/settings.ts';
import { logServed } from './access-log.ts';
import { createApp, type FunctionHost } from './app.ts';
import type { Log } from './log.ts';
import { createRateLimits } from './rate-limits.ts';
import { ENGLISH } from './refusal-answers.ts';
import type { Pages } from './static-files.ts';
import { createSubmit } from './submit.ts';

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

/** For platforms that end an instance after some seconds of work, or some minutes in all. */
const AT_A_TIME = { most: 100, withinMs: 40_000 };

const LOOK_MS = 60_000;
/** How soon a message requeued by the desk goes out. */
const WATCH_MS = 1_000;
/** Whoever puts another database in its place may first remove the old one. */
const MISSING_MS = 60_000;

/** Everything except listening. */
export async function openService(
  settings: Settings,
  { log, access = log, pages, clock: ownClock, host, startOutbox = !host, ...options }: Options,
) {
  const database =
    options.database ??
    (await openDatabase(settings.database, {
      onAway,
      connections: settings.databaseConnections,
      clock: ownClock,
    }));
  const { clock } = database;
  const store = createStore(database, {
    mailDomain: settings.mailFrom.address.split('@')[1] ?? 'localhost',
    leaseClock: ownClock ? 'caller' : 'database',
    withNotices: settings.notify !== undefined,
  });
  const mailer = options.mailer ?? openMailer(settings.mail, clock);
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
    mailPerHour: settings.mailPerHour,
  });
  const { notify } = settings;
  const notices =
    notify &&
    createOutbox({
      store: store.notices,
      words: {
        what: 'notice',
        taker: 'the server of NOTIFY_WEBHOOK_URL',
        setBy: 'NOTIFY_WEBHOOK_URL',
      },
      deliver: (message, signal) => postNotice(notify, composeNotice(message, settings), clock, signal),
      log,
      clock,
      mailPerHour: settings.mailPerHour,
    });
  /** Neither waits for the other. */
  const outboxes = notices ? [outbox, notices] : [outbox];
  const wake = () => {
    for (const each of outboxes) each.wake();
  };
  const runDue = async () => {
    const [mails] = await Promise.all(
      outboxes.map((each) => each.runDue({ now: clock.now(), ...AT_A_TIME })),
    );
    return mails;
  };
  const forgetFarTimes = () => Promise.all(outboxes.map((each) => each.forgetFarTimes(clock.now())));
  const trouble = createTroubleWatch({
    store,
    database,
    log,
    webhookUrl: settings.alertWebhookUrl,
    mailPerHour: settings.mailPerHour,
  });
  const mailbox = settings.imapUrl
    ? watchMailbox({
        imapUrl: settings.imapUrl,
        database,
        log,
        areMailed: settings.mail.via !== 'folder',
        own: [settings.contactEmail, settings.mailFrom.address],
        onRefused: (now) => trouble.mailboxRefused(now),
        onFlood: (now) => trouble.mailboxFloods(now),
        open: options.openMailbox,
      })
    : undefined;
  const schedule = createSchedule({
    database,
    log,
    jobs: scheduledJobs({ database, mailer, settings, log }),
  });

  const limits = createRateLimits({ database, log });
  const sentences = options.sentences ?? pages?.sentences ?? ENGLISH;

  async function sweep(): Promise<object> {
    await forgetFarTimes();
    const mails = await runDue();
    await Promise.all([
      mailbox?.sweep(clock.now()).then(() => trouble.check(clock.now())) ?? trouble.check(clock.now()),
      schedule.check(clock.now()),
      limits.forgetExpired(),
    ]);
    return { sent: mails?.sent, failed: mails?.failed, set_aside: mails?.setAside };
  }

  async function mailNow(): Promise<void> {
    try {
      await runDue();
    } catch (error) {
      log.error({ err: error }, 'the outbox cannot read the stored messages; the next sweep does');
    }
  }

  const submit = createSubmit({
    store,
    limits,
    known: rememberSpam(database, [
      settings.contactEmail,
      settings.mailFrom.address,
      settings.siteUrl ? new URL(settings.siteUrl).hostname.replace(/^www\./, '') : '',
    ]),
    sentences,
    log,
    clock,
    onStored() {
      if (host) host.inBackground(mailNow());
      else wake();
    },
    onNotStored(error) {
      if (!trouble.notStored(error, clock.now())) return;
      const told = trouble.check(clock.now());
      host?.inBackground(told);
    },
  });
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
    sweep,
  });
  const stopLooking = startOutbox ? clock.every(LOOK_MS, lookAround) : undefined;
  const stopBeat =
    startOutbox && mailbox
      ? clock.every(BEAT_MS, () => void (database.pending ?? mailbox.check(clock.now())))
      : undefined;
  const watch =
    startOutbox && database.engine === 'sqlite'
      ? watchFile(database, {
          log,
          wake,
          onGone: () => void trouble.check(clock.now()),
          onMoved: options.onMoved,
        })
      : undefined;

  function lookAround(): void {
    void trouble.check(clock.now());
    // These would only fail, and a failed job waits half an hour.
    if (database.pending) return;
    void forgetFarTimes();
    void schedule.check(clock.now());
    void limits.forgetExpired();
  }

  async function stopSending(): Promise<void> {
    await Promise.all(outboxes.map((each) => each.stop()));
  }

  function onAway({ message }: StoreError): void {
    log.error(
      { fault: message },
      'the database cannot be used yet; visitors are told that nothing was saved, and it is tried again',
    );
  }

  function begin(): void {
    if (stopping || !startOutbox) return;
    for (const each of outboxes) each.start();
    void mailbox?.start(clock.now());
    lookAround();
  }

  const ready = database.pending?.then(() => {
    log.info({ place: database.place }, 'the database is there: messages are stored from now on');
  });
  // Rejects if the service is closed first.
  void (ready ?? Promise.resolve()).then(begin, () => undefined);
  return {
    /** Serves the function, the health checks and, if given, the pages. */
    app,
    outbox,
    notices,
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
    stopSending,
    /** Waits for what's in hand, then closes the database. */
    async close() {
      stopping = true;
      stopLooking?.();
      stopBeat?.();
      watch?.stop();
      await Promise.all([stopSending(), schedule.stop(), mailbox?.stop()]);
      await trouble.settled();
      mailer.close();
      await store.close();
    },
  };
}

/**
 * Checks every second whether another program has changed the file, which costs SQLite next to nothing, and whether
 * it's still in place. Postgres is asked once a minute.
 */
function watchFile(
  database: SqliteDatabase,
  { log, wake, onGone, onMoved }: Pick<Options, 'log' | 'onMoved'> & Record<'wake' | 'onGone', () => void>,
) {
  const version = (): unknown => {
    try {
      return database.sqlite.pragma('data_version', { simple: true });
    } catch {
      // The outbox checks every minute, and reports a database it can't read.
      return undefined;
    }
  };
  let seen = version();
  let place = database.look();
  let missingSince: number | undefined;
  let fault = '';
  let hasLeft = false;

  function leave(): void {
    try {
      database.leave();
      hasLeft = true;
    } catch (error) {
      const { message } = error as Error;
      if (message !== fault) log.error({ fault: message }, 'the server cannot end yet');
      fault = message;
    }
  }

  function look(): void {
    const before = place;
    const ticks = database.clock.ticks();
    place = database.look();
    missingSince = place === 'missing' ? (missingSince ?? ticks) : undefined;
    if (place !== 'in place') {
      if (before === 'in place') onGone();
      if (missingSince !== undefined && ticks - missingSince < MISSING_MS) return;
      leave();
      if (hasLeft) onMoved?.();
      return;
    }
    if (before !== 'in place') log.warn('the database is back where it was; messages are taken again');
    const now = version();
    if (now !== seen || before !== 'in place') wake();
    seen = now;
  }

  const stopTimer = database.clock.every(WATCH_MS, look);
  return {
    /** Leaves undelivered messages where the next start finds them. */
    stop(): void {
      stopTimer();
      if (database.look() !== 'in place') leave();
    },
  };
}
