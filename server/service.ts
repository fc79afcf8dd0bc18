import type { Sentences } from '../contract/refusal-sentences.ts';
import { MINUTE } from '../contract/time.ts';
import type { Settings } from '../settings/settings.ts';
import { isMailedElsewhere } from './elsewhere.ts';
import { ENGLISH } from './http/answers.ts';
import { type AppParts, createApp } from './http/app.ts';
import { createRateLimits } from './http/limits.ts';
import { arrivalWords, composeNotification } from './mail/mails.ts';
import { type Mailer, openMailer, sendWholeOrPlain, TIMEOUTS } from './mail/transport.ts';
import type { Database } from './messages/database.ts';
import { noteDone, SWEPT } from './messages/last-done.ts';
import { openDatabase } from './messages/open.ts';
import { requeueFiled } from './messages/owner.ts';
import { createSchedule } from './outbox/jobs.ts';
import { createOutbox } from './outbox/loop.ts';
import { createTroubleWatch } from './outbox/trouble.ts';
import { openWebhook, type Webhook } from './outbox/webhook.ts';

export type Service = Awaited<ReturnType<typeof openService>>;

type Options = Pick<AppParts, 'log' | 'pages' | 'desk' | 'host'> & {
  /** What's said to visitors; defaults to the pages' own, and to English without pages. */
  sentences?: Sentences;
  /** False: mails go out only when `outbox.runDue` is called. */
  startOutbox?: boolean;
  /** These two default to those in the settings. */
  mailer?: Mailer;
  database?: Database;
  /** Called when the process has to end, since only a new start can use the file in the database's place. */
  onMoved?: () => void;
};

/** For platforms that end an instance after some seconds of work, or some minutes in total. */
const AT_A_TIME_MS = 40_000;
/** A mail begun in that time is settled before they end it, and isn't sent again unseen. */
const LAST_ANSWER_MS = 100_000;
/** Per instance on a platform; many run side by side, and a database takes a few hundred. */
const CONNECTIONS = 2;
const WATCH_MS = 1_000;
/** Anyone may ask whether we're ready, and each look writes to disk, so all who ask within this time share one. */
export const SHARED_MS = 3_000;

/** Everything except listening. */
export async function openService(settings: Settings, options: Options) {
  const { log, pages, desk, host, startOutbox = !host && !isMailedElsewhere(settings) } = options;
  const sentences = options.sentences ?? pages?.sentences ?? ENGLISH;
  /** The database couldn't be used yet at the start. */
  let isAway = false;
  let isStopping = false;
  let looked = { at: -Infinity, canStore: Promise.resolve(false) };

  function onAway({ message }: Error): void {
    isAway = true;
    log.error(
      { fault: message },
      'the database cannot be used yet; visitors are told that nothing was saved, and it is tried again',
    );
  }

  const inBackground = host?.inBackground ?? (() => undefined);
  const onHost = host && { migrate: false, connections: CONNECTIONS };
  const database = options.database ?? (await openDatabase(settings.database, { onAway, ...onHost }));
  const mailer =
    options.mailer ?? openMailer(settings, host ? { ...TIMEOUTS, content: LAST_ANSWER_MS } : TIMEOUTS);
  const webhook = openWebhook(settings, log);
  const trouble = createTroubleWatch({ database, log, webhook });
  const outbox = createOutbox({
    database,
    deliver(message, signal) {
      const compose = (refusal?: string) =>
        composeNotification(message, sentences, settings, { now: Date.now(), refusal });
      return sendWholeOrPlain(mailer, compose, signal);
    },
    settings,
    log,
  });
  const onDelivered = outbox.delivered;
  const schedule = createSchedule({ database, mailer, settings, sentences, log, onDelivered });
  const limits = createRateLimits({ database, log });

  async function checkAll(): Promise<void> {
    await Promise.all([trouble.check(Date.now()), schedule.check(Date.now()), limits.forgetExpired()]);
  }

  const app = createApp({
    ...{ settings, database, limits, sentences, log, pages, desk, host },
    onStored(at) {
      if (webhook) inBackground(tellOfArrival(at, webhook));
      if (host) host.inBackground(outbox.runDue(AT_A_TIME_MS).catch(() => undefined));
      else outbox.wake();
    },
    onNotStored: (error) => inBackground(trouble.notStored(error, Date.now())),
    // What she changes there may make messages due.
    onDeskChanged: () => outbox.wake(),
    async isReady() {
      const now = Date.now();
      // Whichever way somebody has set the clock.
      if (Math.abs(now - looked.at) >= SHARED_MS) looked = { at: now, canStore: canStore(now) };
      return !isStopping && looked.canStore;
    },
    async sweep() {
      try {
        await requeueFiled(database);
        const { sent, failed, setAside } = await outbox.runDue(AT_A_TIME_MS);
        await noteDone(database, SWEPT, Date.now());
        return { sent, failed, set_aside: setAside };
      } finally {
        // If the database is down, this is what tells her.
        await checkAll();
      }
    },
  });

  /** At once, whatever state mail is in; in a flood, no more often than mail goes out. */
  async function tellOfArrival(at: number, tell: Webhook): Promise<void> {
    if ((await limits.countAlert()) <= settings.mailPerHour)
      await tell(arrivalWords(at, sentences.replyHours, settings));
  }

  async function canStore(now: number): Promise<boolean> {
    try {
      await noteDone(database, 'checked', now);
      await trouble.confirmRoom(now);
      return true;
    } catch (error) {
      log.error({ err: error }, 'not ready: the database takes no messages');
      return false;
    }
  }

  /** Whether its file was moved. Nobody would find that one's log, so it's written to the file first. */
  function hasMoved(): boolean {
    try {
      return database.engine === 'sqlite' && !database.isInPlace() && database.emptyLog();
    } catch (error) {
      log.error(
        { err: error },
        'the file of the database cannot be looked at, or its log not be emptied yet',
      );
      return false;
    }
  }

  function watchPlace(): void {
    if (!hasMoved()) return;
    clearInterval(watching);
    void trouble.check(Date.now());
    options.onMoved?.();
  }

  const checking = startOutbox ? setInterval(checkAll, MINUTE).unref() : undefined;
  const watching = startOutbox ? setInterval(watchPlace, WATCH_MS).unref() : undefined;
  if (startOutbox) {
    void outbox.start();
    // What an outage held up goes out first, so that no daily mail calls it not mailed.
    const caughtUp = outbox.runDue().catch(() => undefined);
    void caughtUp.then(() => (isStopping ? undefined : checkAll()));
  }

  /** From now on, readiness fails and no mail is begun; all else carries on. Waits for the mails in hand. */
  function stopSending(): Promise<void> {
    isStopping = true;
    return outbox.stop();
  }

  return {
    app,
    database,
    mailer,
    outbox,
    trouble,
    schedule,
    isAway,
    stopSending,
    async close() {
      clearInterval(checking);
      clearInterval(watching);
      await Promise.all([stopSending(), schedule.stop()]);
      if (startOutbox) hasMoved();
      await trouble.settled();
      await database.close();
    },
  };
}
