import { watchFile } from './file-watch.ts';
import type { createRateLimits } from './http/rate-limits.ts';
import type { Log } from './log.ts';
import { BEAT_MS, type MailboxWatch } from './mailbox/watch.ts';
import type { Database } from './messages/database.ts';
import type { createOutbox } from './outbox/outbox.ts';
import type { createSchedule } from './outbox/schedule.ts';
import type { createTroubleWatch } from './outbox/trouble.ts';

/** For platforms that end an instance after some seconds of work, or some minutes in all. */
const AT_A_TIME = { most: 100, withinMs: 40_000 };
const LOOK_MS = 60_000;

type Parts = {
  database: Database;
  log: Log;
  outbox: ReturnType<typeof createOutbox>;
  trouble: ReturnType<typeof createTroubleWatch>;
  schedule: ReturnType<typeof createSchedule>;
  limits: ReturnType<typeof createRateLimits>;
  mailbox: MailboxWatch | undefined;
  onMoved: (() => void) | undefined;
};

/** All that's done again and again: by timers, or where a platform calls the function, when it's swept. */
export function createRounds({ database, log, outbox, trouble, schedule, limits, mailbox, onMoved }: Parts) {
  const { clock } = database;
  const stops: (() => unknown)[] = [];
  let isStopped = false;

  function lookAround(): void {
    void trouble.check(clock.now());
    // These would only fail, and a failed job waits half an hour.
    if (database.pending) return;
    void schedule.check(clock.now());
    void limits.forgetExpired();
  }

  function begin(): void {
    if (isStopped) return;
    outbox.start();
    void mailbox?.start(clock.now());
    lookAround();
  }

  const runDue = () => outbox.runDue({ now: clock.now(), ...AT_A_TIME });

  return {
    /** Begins once the database is there. */
    start(): void {
      stops.push(clock.every(LOOK_MS, lookAround));
      if (mailbox)
        stops.push(clock.every(BEAT_MS, () => void (database.pending ?? mailbox.check(clock.now()))));
      if (database.engine === 'sqlite') {
        const onGone = () => void trouble.check(clock.now());
        stops.push(watchFile(database, { log, wake: outbox.wake, onGone, onMoved }).stop);
      }
      // Rejects if the service is closed first.
      void (database.pending ?? Promise.resolve()).then(begin, () => undefined);
    },

    /** Everything once. Returns how the mails fared. */
    async sweep(): Promise<object> {
      const { sent, failed, setAside } = await runDue();
      await Promise.all([
        (mailbox?.sweep(clock.now()) ?? Promise.resolve()).then(() => trouble.check(clock.now())),
        schedule.check(clock.now()),
        limits.forgetExpired(),
      ]);
      return { sent, failed, set_aside: setAside };
    },

    /** After a response. Never rejects. */
    async mailNow(): Promise<void> {
      try {
        await runDue();
      } catch (error) {
        log.error({ err: error }, 'the outbox cannot read the stored messages; the next sweep does');
      }
    },

    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all([...stops.map((stop) => stop()), outbox.stop(), schedule.stop(), mailbox?.stop()]);
    },
  };
}
