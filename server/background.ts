import { MINUTE } from '../contract/time.ts';
import { watchFile } from './file-watch.ts';
import type { FunctionHost } from './http/app.ts';
import type { RateLimits } from './http/limits.ts';
import type { Log } from './log.ts';
import type { Database } from './messages/database.ts';
import type { Workers } from './workers.ts';

/** For platforms that end an instance after some seconds of work, or some minutes in all. */
const AT_A_TIME = { most: 100, withinMs: 40_000 };
const LOOK_MS = MINUTE;

type Parts = Workers & {
  database: Database;
  log: Log;
  limits: RateLimits;
  host: FunctionHost | undefined;
  onMoved: (() => void) | undefined;
};

/**
 * When the workers work: by timers, or where a platform calls the function, after a response and when it's swept; and when
 * a visitor has sent something.
 */
export function createBackground(parts: Parts) {
  const { database, log, outbox, trouble, schedule, limits, tellArrival, host } = parts;
  const stops: (() => unknown)[] = [];
  let isStopped = false;

  function checkAll(): void {
    void trouble.check(Date.now());
    // These would only fail, and a failed job waits half an hour.
    if (database.pending) return;
    void schedule.check(Date.now());
    void limits.forgetExpired();
  }

  function begin(): void {
    if (isStopped) return;
    outbox.start();
    checkAll();
  }

  /** After a response, where nothing runs between requests. Never rejects. */
  async function mailNow(): Promise<void> {
    try {
      await runDue();
    } catch (error) {
      log.error({ err: error }, 'the outbox cannot read the stored messages; the next sweep does');
    }
  }

  const isClosed = () => undefined;
  void database.pending?.then(
    () => log.info({ location: database.location }, 'the database is there: messages are stored from now on'),
    isClosed,
  );
  const runDue = () => outbox.runDue(AT_A_TIME);

  return {
    /** Begins once the database is there. */
    start(): void {
      const timer = setInterval(checkAll, LOOK_MS).unref();
      stops.push(() => clearInterval(timer));
      if (database.engine === 'sqlite') {
        const onMoved = () => {
          void trouble.check(Date.now());
          parts.onMoved?.();
        };
        stops.push(watchFile(database, { log, wake: outbox.wake, onMoved }).stop);
      }
      void (database.pending ?? Promise.resolve()).then(begin, isClosed);
    },

    /** Everything once. Returns how the mails fared. */
    async sweep(): Promise<object> {
      const { sent, failed, setAside } = await runDue();
      await Promise.all([trouble.check(Date.now()), schedule.check(Date.now()), limits.forgetExpired()]);
      return { sent, failed, set_aside: setAside };
    },

    /** Call after each newly stored message that should be mailed. */
    onStored(): void {
      if (!host) outbox.wake();
      const notified = Promise.all([host && mailNow(), tellArrival?.()]);
      host?.inBackground(notified);
    },

    /** Call after each message that couldn't be stored. */
    onNotStored(error: unknown): void {
      if (!trouble.notStored(error, Date.now())) return;
      const notified = trouble.check(Date.now());
      host?.inBackground(notified);
    },

    /** Reads the whole of a SQLite file, beside everything else. If it's damaged, no message is taken from then on. */
    async checkFile(): Promise<void> {
      const fault = database.engine === 'sqlite' ? await database.findDamage() : undefined;
      if (!fault) return;
      log.error({ fault }, 'the database is damaged; visitors read that nothing was saved');
      await trouble.check(Date.now());
    },

    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all([...stops.map((stop) => stop()), outbox.stop(), schedule.stop()]);
    },
  };
}
