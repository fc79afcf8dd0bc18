import type { Sentences } from '../contract/refusal-sentences.ts';
import { MINUTE } from '../contract/time.ts';
import type { Settings } from '../settings/settings.ts';
import { ENGLISH } from './http/answers.ts';
import { createApp, type FunctionHost } from './http/app.ts';
import { createRateLimits } from './http/limits.ts';
import type { Fetch } from './http/listen.ts';
import type { Pages } from './http/static.ts';
import { createSubmit } from './http/submit.ts';
import type { Log } from './log.ts';
import { composeNotification } from './mail/mails.ts';
import { type Mailer, openMailer } from './mail/transport.ts';
import type { Database, SqliteDatabase } from './messages/database.ts';
import { openDatabase } from './messages/open.ts';
import { smallChange } from './messages/table.ts';
import { createSchedule, openJobs } from './outbox/jobs.ts';
import { createOutbox } from './outbox/loop.ts';
import { sendWholeOrPlain } from './outbox/send.ts';
import { createTroubleWatch } from './outbox/trouble.ts';
import { arrivalWords, openWebhook } from './outbox/webhook.ts';

export type Service = Awaited<ReturnType<typeof openService>>;

type Options = {
  log: Log;
  pages?: Pages;
  /** What's said to visitors; defaults to the pages' own, and to English without pages. */
  sentences?: Sentences;
  /** False: mails go out only when `outbox.runDue` is called. */
  startOutbox?: boolean;
  /** Defaults to the one in the settings. */
  mailer?: Mailer;
  /** Already open; defaults to the one in the settings. */
  database?: Database;
  /** Called when the process has to end, since only a new start can use the file in the database's place. */
  onMoved?: (() => void) | undefined;
  /** Makes what answers below /desk. */
  desk?: ((parts: DeskParts) => Fetch) | undefined;
  /** A platform that calls the function; mails then go out after a response, and during sweeps. */
  host?: FunctionHost;
};

/** What the desk has of the server that it's part of. */
export type DeskParts = { database: Database; mailer: Mailer; log: Log };

/** For platforms that end an instance after some seconds of work, or some minutes in all. */
const AT_A_TIME_MS = 40_000;
const WATCH_MS = 1_000;
/** Anyone may ask whether we're ready, and each look writes to disk, so all who ask within this time share one. */
export const SHARED_MS = 3_000;

/** Everything except listening. */
export async function openService(settings: Settings, options: Options) {
  const { log, pages, host, startOutbox = !host } = options;
  const sentences = options.sentences ?? pages?.sentences ?? ENGLISH;
  const replyHours = () => sentences.replyHours;
  let isAway = false;
  const database = options.database ?? (await openDatabase(settings.database, { onAway, replyHours }));
  const mailDomain = settings.mailFrom.address.split('@')[1] ?? 'localhost';
  const mailer = options.mailer ?? openMailer(settings);
  const webhook = openWebhook(settings, log);
  const trouble = createTroubleWatch({ database, log, webhook });
  const outbox = createOutbox({
    database,
    deliver(message, signal) {
      if (webhook && message.attempts === 1) {
        const told = webhook(arrivalWords(message, sentences.replyHours, settings));
        host?.inBackground(told);
      }
      const compose = (refusal?: string) => composeNotification(message, sentences, settings, { refusal });
      return sendWholeOrPlain(mailer, compose, signal);
    },
    settings,
    log,
  });
  const jobs = openJobs({ database, mailer, settings, sentences, log, onDelivered: outbox.delivered });
  const schedule = createSchedule({ database, log, timeZone: settings.timeZone, jobs });
  const limits = createRateLimits({ database, log });
  const submit = createSubmit({ database, mailDomain, limits, sentences, log, onStored, onNotStored });
  const desk = options.desk && wakingAfter(options.desk({ database, mailer, log }), () => outbox.wake());
  const app = createApp({ settings, submit, sentences, log, pages, desk, isReady, host, sweep });
  const stops: (() => unknown)[] = [outbox.stop, schedule.stop];
  let stopping = false;
  let looked: { at: number; canStore: Promise<boolean> } | undefined;

  function onAway({ message }: Error): void {
    isAway = true;
    log.error(
      { fault: message },
      'the database cannot be used yet; visitors read that nothing was saved, and it is tried again',
    );
  }

  /** A message that should be mailed. */
  function onStored(): void {
    if (host) host.inBackground(outbox.runDue(AT_A_TIME_MS).catch(() => undefined));
    else outbox.wake();
  }

  function onNotStored(error: unknown): void {
    const told = trouble.notStored(error, Date.now());
    host?.inBackground(told);
  }

  /** Everything once. Returns how the mails fared. */
  async function sweep(): Promise<object> {
    const { sent, failed, setAside } = await outbox.runDue(AT_A_TIME_MS);
    await checkAll();
    return { sent, failed, set_aside: setAside };
  }

  async function checkAll(): Promise<void> {
    await Promise.all([trouble.check(Date.now()), schedule.check(Date.now()), limits.forgetExpired()]);
  }

  /** By timers. */
  function start(): void {
    const timer = setInterval(checkAll, MINUTE).unref();
    stops.push(() => clearInterval(timer));
    if (database.engine === 'sqlite') {
      const onMoved = () => {
        void trouble.check(Date.now());
        options.onMoved?.();
      };
      stops.push(watchFile(database, log, onMoved));
    }
    void outbox.start();
    void checkAll();
  }

  async function isReady(): Promise<boolean> {
    const now = Date.now();
    // However far somebody has set the clock.
    if (!looked || Math.abs(now - looked.at) >= SHARED_MS) looked = { at: now, canStore: canStore(now) };
    return !stopping && looked.canStore;
  }

  async function canStore(now: number): Promise<boolean> {
    try {
      await database.write(smallChange(database.db, now));
      await trouble.confirmRoom(now);
      return true;
    } catch (error) {
      log.error({ err: error }, 'not ready: the database takes no messages');
      return false;
    }
  }

  if (startOutbox) start();
  return {
    /** Serves the function, the health checks and, if given, the pages. */
    app,
    database,
    outbox,
    trouble,
    schedule,
    /** It couldn't be used yet at the start. */
    isAway,
    /** From now on readiness fails and no mail is begun; all else carries on. Waits for the mails in hand. */
    stopSending(): Promise<void> {
      stopping = true;
      return outbox.stop();
    },
    /** Waits for what's in hand, then closes the database. */
    async close() {
      stopping = true;
      await Promise.all(stops.map((stop) => stop()));
      await trouble.settled();
      await database.close();
    },
  };
}

/** What she changes on the desk may make messages due. */
function wakingAfter(desk: Fetch, wake: () => void): Fetch {
  return async (request, env) => {
    const answer = await desk(request, env);
    if (request.method === 'POST') wake();
    return answer;
  };
}

/** Checks every second whether the file is still in place. Returns how to stop. */
function watchFile(database: SqliteDatabase, log: Log, onMoved: () => void): () => void {
  const timer = setInterval(() => {
    if (!hasLeft()) return;
    clearInterval(timer);
    onMoved();
  }, WATCH_MS).unref();

  /** A file that was moved: nobody finds its log, so what's in that is brought to it first. */
  function hasLeft(): boolean {
    try {
      return !database.isInPlace() && database.emptyLog();
    } catch (error) {
      log.error(
        { err: error },
        'the file of the database cannot be looked at, or its log not be emptied yet',
      );
      return false;
    }
  }

  return () => {
    clearInterval(timer);
    hasLeft();
  };
}
