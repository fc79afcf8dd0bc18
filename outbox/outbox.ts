import { setTimeout as wait } from 'node:timers/promises';
import type { Logger as Log } from 'pino';
import { classifyMailError, retryWait } from '../mail/faults.ts';
import type { MailFault } from '../mail/mail.ts';
import type { Message } from '../messages/message.ts';
import { forAnyClient } from '../messages/states.ts';
import type { Store } from '../messages/store.ts';

/** No other worker takes a claimed message until its lease is over. */
const LEASE_MS = 120_000;
/**
 * For the whole mail, where nodemailer's timeouts are for each step. It ends well before the lease, so that a slow mail
 * is broken off before a second worker sends it.
 */
const SEND_MS = 90_000;
/** A mail that hangs must not hold up the others. */
const CONCURRENCY = 4;
/** Before a database that was away is asked again. */
const DATABASE_PAUSE_MS = 5_000;
/** Between two tries to mark what became of a mail. */
const MARK_PAUSES = { first: 100, most: 2_000 };
/** Finds what another process has left behind, or a clock that jumped. */
const LOOK_AGAIN_MS = 60_000;
/** The database's clock may be behind ours, and isn't asked in a busy loop until it catches up. */
const SHORTEST_PAUSE_MS = 100;
/** Mails in hand at a stop get this long, so that the whole stop stays under 10 s. */
const STOP_MS = 8_000;
/** The hour's mails may be out for a moment only: another process has one in hand, and it fails. */
const SPENT_MS = 1_000;
/** The owner's log is told at most once in that time that they're out. */
const TELL_SPENT_MS = 60 * 60_000;
/** Kinds of faults that go away for all messages at once, when the mail server or the settings are right again. */
const MAIL_SERVER_FAULTS = ['unreachable', 'setup'];
/** A wrong password tried again and again locks the account at many mail providers. */
const SETUP_PAUSES = [60_000, 5 * 60_000, 15 * 60_000, 30 * 60_000];

/** `takenAt` is by `performance.now()`. */
type Taken = Message & { takenAt: number };

export type Outcome = { sent: number; failed: number; setAside: number };
type Due = { now: number; most?: number; withinMs?: number };

type Options = {
  store: Store;
  /** Resolves once the message's mail has been taken. */
  deliver: (message: Message, signal: AbortSignal) => Promise<void>;
  log: Log;
  clock: () => number;
  /** Its mail has just been sent, though the message was erased while it was on its way. */
  onErased?: (id: string) => Promise<unknown>;
  /** More mails than this wait for the next hour. */
  mailPerHour: number;
};

export function createOutbox({
  store,
  deliver,
  onErased = async () => undefined,
  log,
  clock,
  mailPerHour,
}: Options) {
  const inHand = new Set<Promise<void>>();
  /** When no message was found that may still be mailed in this hour, and whether that's so for every client. */
  let spentAt = Number.NEGATIVE_INFINITY;
  let isSpentForAll = false;
  let toldSpentAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = 0;
  let setupFaults = 0;
  /** True from the start: an earlier run may have ended during an outage. */
  let troubled = true;

  let started = false;
  let probed = false;
  let stopped = false;
  let taking: Promise<void> | undefined;
  let takeAgain = false;
  let timer: NodeJS.Timeout | undefined;
  const stopNow = new AbortController();

  /** Takes messages that are due, oldest first, until none is left or enough are on their way. */
  async function take(time: () => number, outcome: Outcome, isEnough = () => false): Promise<void> {
    while (!stopped && inHand.size < CONCURRENCY && !isPaused(time()) && !isEnough()) {
      // By a clock that nobody sets, and from before the lease begins.
      const takenAt = performance.now();
      const claimed = await claim(time());
      if (!claimed) return;
      if (stopped) {
        await store.giveBack(claimed, { nextAttemptAt: time() });
        return;
      }
      const sending = attempt({ ...claimed, takenAt }, time)
        .then((result) => {
          outcome[result] += 1;
        })
        .catch((error: unknown) => {
          // Sent or not, it could not be marked: its lease runs out and it goes out again.
          log.error({ err: error, id: claimed.id }, 'the outbox cannot mark a message');
        })
        .finally(() => {
          inHand.delete(sending);
          wake();
        });
      inHand.add(sending);
    }
  }

  /**
   * Takes the next message that's due, unless MAIL_PER_HOUR have gone out: a flood from thousands of addresses must not
   * use up the owner's mail account. The rows tell how many went out, so all instances share one budget, and a restart
   * doesn't renew it.
   */
  async function claim(now: number): Promise<Message | undefined> {
    if (isSpentForAll && isWithin(SPENT_MS, spentAt, now)) return undefined;
    const claimed = await store.claim(now, LEASE_MS, mailPerHour);
    if (claimed) return claimed;
    const { sent, inHand: claimedNow } = await store.mailsOfLastHour(now, mailPerHour);
    const most = forAnyClient(mailPerHour);
    isSpentForAll = sent + claimedNow >= mailPerHour;
    spentAt = sent + claimedNow >= most ? now : Number.NEGATIVE_INFINITY;
    if (sent >= most && !isWithin(TELL_SPENT_MS, toldSpentAt, now)) {
      toldSpentAt = now;
      log.warn({ mailPerHour }, 'MAIL_PER_HOUR is reached; further messages are mailed later');
    }
    return undefined;
  }

  async function attempt(claimed: Taken, time: () => number): Promise<keyof Outcome> {
    const facts = { id: claimed.id, attempt: claimed.attempts };
    try {
      // A process that was frozen past its lease must not wake up to send what another one has sent.
      const left = Math.max(0, Math.round(claimed.takenAt + SEND_MS - performance.now()));
      await deliver(claimed, AbortSignal.any([AbortSignal.timeout(left), stopNow.signal]));
    } catch (error) {
      if (stopNow.signal.aborted) {
        await store.giveBack(claimed, { nextAttemptAt: time() });
        log.warn(facts, 'mail broken off by the stop; it goes out at the next start');
        return 'failed';
      }
      return failed(claimed, time(), classifyMailError(error), { ...facts, err: error });
    }
    if (await mark(claimed, () => store.markSent(claimed, time()))) log.info(facts, 'mail sent');
    else if (await store.has(claimed.id)) log.warn(facts, 'mail sent, but only after its lease had run out');
    else {
      await onErased(claimed.id);
      log.warn(facts, 'mail sent, but its message was erased meanwhile');
    }
    await recovered(time());
    return 'sent';
  }

  async function failed(
    claimed: Taken,
    now: number,
    { kind, label }: MailFault,
    facts: object,
  ): Promise<keyof Outcome> {
    if (kind === 'setup') {
      const nextAttemptAt = pauseForSetup(now);
      await mark(claimed, () => store.giveBack(claimed, { nextAttemptAt, error: label }));
      log.error(
        { ...facts, fault: label, pauseSeconds: Math.round((nextAttemptAt - now) / 1000) },
        'NO MAIL GOES OUT: the mail server refuses our login, sender or quota. Every message is kept. Check SMTP_URL or RESEND_API_KEY, and MAIL_FROM',
      );
      return 'failed';
    }
    const pause = kind === 'refused' ? undefined : retryWait(claimed, now, Math.random());
    if (pause === undefined) {
      await mark(claimed, () => store.setAside(claimed, label));
      log.error(
        { ...facts, fault: label },
        'mail set aside: the mail server does not take it. The message is kept',
      );
      return 'setAside';
    }
    if (kind === 'unreachable') troubled = true;
    const failure = { now, nextAttemptAt: Math.round(now + pause), error: label };
    await mark(claimed, () => store.markFailed(claimed, failure));
    log.warn(
      { ...facts, fault: label, retrySeconds: Math.round(pause / 1000) },
      'mail not sent; it is tried again',
    );
    return 'failed';
  }

  /** A mail that went out must not go out again because the database was away for a moment. */
  async function mark({ takenAt }: Taken, change: () => Promise<boolean>): Promise<boolean> {
    for (let pause = MARK_PAUSES.first; ; pause = Math.min(2 * pause, MARK_PAUSES.most)) {
      try {
        return await change();
      } catch (error) {
        const tooLate = performance.now() + pause > takenAt + LEASE_MS;
        if (tooLate || stopNow.signal.aborted) throw error;
        log.warn({ err: error }, 'the database does not take what became of a mail; it is tried again');
      }
      await wait(pause, undefined, { signal: stopNow.signal }).catch(() => undefined);
    }
  }

  /** A longer pause was begun by a clock that has been corrected since. */
  function isPaused(now: number): boolean {
    return now < pausedUntil && pausedUntil - now <= Math.max(...SETUP_PAUSES);
  }

  function pauseForSetup(now: number): number {
    troubled = true;
    // Mails that were on their way together fail together; that is one fault, not several.
    if (!isPaused(now)) {
      pausedUntil = now + (SETUP_PAUSES[Math.min(setupFaults, SETUP_PAUSES.length - 1)] ?? 0);
      setupFaults += 1;
    }
    return pausedUntil;
  }

  /** The mail server is back: what waited for it alone need not wait for hours longer. */
  async function recovered(now: number): Promise<void> {
    setupFaults = 0;
    pausedUntil = 0;
    if (!troubled) return;
    troubled = false;
    await store.makeDue(MAIL_SERVER_FAULTS, now);
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (started && !stopped) timer = setTimeout(turn, ms);
  }

  function wake(): void {
    takeAgain = true;
    schedule(0);
  }

  function turn(): void {
    takeAgain = true;
    taking ??= takeAndSchedule().finally(() => {
      taking = undefined;
    });
  }

  /**
   * The settings may have been corrected since the last run. One message finds out now, rather than at its next
   * try in hours, and once it's sent the others follow: a wrong password isn't tried with each of them.
   */
  async function probe(): Promise<void> {
    if (probed) return;
    await store.makeDue(MAIL_SERVER_FAULTS, clock(), 1);
    probed = true;
  }

  async function takeAndSchedule(): Promise<void> {
    let next = LOOK_AGAIN_MS;
    try {
      await probe();
      while (takeAgain) {
        takeAgain = false;
        await take(clock, { sent: 0, failed: 0, setAside: 0 });
      }
      const dueAt = await store.nextDueAt();
      if (dueAt !== undefined && inHand.size < CONCURRENCY)
        next = Math.max(dueAt, pausedUntil, spentAt + SPENT_MS) - clock();
    } catch (error) {
      // The database is gone or its disk is full; what waits in it is looked for again later.
      log.error({ err: error }, 'the outbox cannot read the stored messages');
      next = DATABASE_PAUSE_MS;
    }
    // Woken since the look above, it must not sleep past what woke it.
    schedule(takeAgain ? 0 : Math.min(Math.max(next, SHORTEST_PAUSE_MS), LOOK_AGAIN_MS));
  }

  return {
    /**
     * Sends all that is due at `now`; for whoever keeps the time by other means. `most` so many are begun, and
     * none once `withinMs` are over.
     */
    async runDue({ now, most = Infinity, withinMs = Infinity }: Due): Promise<Outcome> {
      const outcome: Outcome = { sent: 0, failed: 0, setAside: 0 };
      const until = performance.now() + withinMs;
      const isEnough = () =>
        outcome.sent + outcome.failed + outcome.setAside + inHand.size >= most || performance.now() >= until;
      for (;;) {
        await take(() => now, outcome, isEnough);
        if (inHand.size === 0) return outcome;
        await Promise.race(inHand);
      }
    },

    /** Begins with what an earlier run has left waiting. */
    start(): void {
      started = true;
      wake();
    },

    /** A message has just been stored. */
    wake,

    /** To be called about once a minute: what a clock that was ahead has put off is not waited for. */
    async forgetFarTimes(now: number): Promise<void> {
      try {
        if (await store.makeFarDue(now)) wake();
      } catch (error) {
        log.error({ err: error }, 'the outbox cannot read the stored messages');
      }
    },

    /** Takes no more messages and waits for the mails in hand; one that takes too long is given back. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      const tooLong = setTimeout(() => stopNow.abort(), STOP_MS);
      await taking;
      await Promise.all(inHand);
      clearTimeout(tooLong);
    },
  };
}

/** False once the clock has gone back. */
function isWithin(ms: number, since: number, now: number): boolean {
  return now >= since && now < since + ms;
}
