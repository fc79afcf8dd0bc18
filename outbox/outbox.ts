import type { Logger as Log } from 'pino';
import { classifyMailError, retryWait } from '../mail/faults.ts';
import type { MailFault } from '../mail/mail.ts';
import type { Clock } from '../messages/clock.ts';
import type { Message } from '../messages/message.ts';
import { forAnyClient } from '../messages/states.ts';
import type { Store } from '../messages/store.ts';

/** How long a claim lasts. No other worker takes the message until then. */
const LEASE_MS = 120_000;
/**
 * For the whole mail, unlike nodemailer's timeouts, which are per step. Ends well before the lease, so a slow mail is
 * aborted before a second worker sends it.
 */
export const SEND_MS = 90_000;
/** So one slow mail doesn't hold up the rest. */
const CONCURRENCY = 4;
/** How long to wait before retrying a database that's down. */
const DATABASE_PAUSE_MS = 5_000;
/** Between tries to record what became of a mail. */
const MARK_PAUSES = { first: 100, most: 2_000 };
/** Finds what another process left behind, or a clock that jumped. */
const LOOK_AGAIN_MS = 60_000;
/** The database's clock may lag ours; this avoids a busy loop until it catches up. */
const SHORTEST_PAUSE_MS = 100;
/** How long mails in hand get at shutdown, so the whole shutdown stays under 10 s. */
const STOP_MS = 8_000;
/** The hour's budget may be used up only briefly, e.g. if another process has a mail in hand and it fails. */
const SPENT_MS = 1_000;
/** The least time between two log lines saying the budget is used up. */
const TELL_SPENT_MS = 60 * 60_000;
/** Faults that clear for all messages at once, when the mail server or the settings are fixed. */
const MAIL_SERVER_FAULTS = ['unreachable', 'setup'];
/** Many mail providers lock an account after repeated wrong passwords. */
const SETUP_PAUSES = [60_000, 5 * 60_000, 15 * 60_000, 30 * 60_000];

/** `takenAt` is in the clock's ticks. */
type Taken = Message & { takenAt: number };

export type Outcome = { sent: number; failed: number; setAside: number };
const MAIL = { what: 'mail', taker: 'the mail server', setBy: 'SMTP_URL or RESEND_API_KEY, and MAIL_FROM' };
type Due = { now: number; most?: number; withinMs?: number };

type Options = {
  /** The queue of mails, or of notices. */
  store: Store['notices'];
  /** What goes out, and who takes it, for the log. */
  words?: typeof MAIL;
  /** Resolves once it was accepted. */
  deliver: (message: Message, signal: AbortSignal) => Promise<void>;
  log: Log;
  clock: Clock;
  /** Called when a mail was just sent, but its message was erased while it was on its way. */
  onErased?: (id: string) => Promise<unknown>;
  /** Mails beyond this number wait for the next hour. */
  mailPerHour: number;
};

export function createOutbox({
  store,
  words: { what, taker, setBy } = MAIL,
  deliver,
  onErased = async () => undefined,
  log,
  clock,
  mailPerHour,
}: Options) {
  const inHand = new Set<Promise<void>>();
  /** When no message was found that may still be mailed this hour, and whether that goes for every client. */
  let spentAt = Number.NEGATIVE_INFINITY;
  let isSpentForAll = false;
  let toldSpentAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = 0;
  let setupFaults = 0;

  let started = false;
  let probed = false;
  let stopped = false;
  let taking: Promise<void> | undefined;
  let cancelTurn = () => {};
  const stopNow = new AbortController();

  /** Claims due messages until none is left or enough are on their way. */
  async function take(time: () => number, outcome: Outcome, isEnough = () => false): Promise<void> {
    while (!stopped && inHand.size < CONCURRENCY && !isPaused(time()) && !isEnough()) {
      // On a clock nobody sets, and from before the lease starts.
      const takenAt = clock.ticks();
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
          // Sent or not, it couldn't be marked, so its lease runs out and it's sent again.
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
   * Claims the next due message, unless MAIL_PER_HOUR is used up: a flood from thousands of addresses mustn't exhaust
   * the owner's mail account. Sent mails are counted from the rows, so all instances share one budget, and a restart
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
      log.warn({ mailPerHour }, `MAIL_PER_HOUR is reached; further ${what}s go out later`);
    }
    return undefined;
  }

  async function attempt(claimed: Taken, time: () => number): Promise<keyof Outcome> {
    const facts = { id: claimed.id, attempt: claimed.attempts };
    try {
      // A process frozen past its lease mustn't wake up and send what another one has already sent.
      const left = Math.max(0, Math.round(claimed.takenAt + SEND_MS - clock.ticks()));
      await deliver(claimed, AbortSignal.any([clock.timeout(left), stopNow.signal]));
    } catch (error) {
      if (stopNow.signal.aborted) {
        await store.giveBack(claimed, { nextAttemptAt: time() });
        log.warn(facts, `${what} broken off by the stop; it goes out at the next start`);
        return 'failed';
      }
      return failed(claimed, time(), classifyMailError(error), { ...facts, err: error });
    }
    if (await mark(claimed, () => store.markSent(claimed, time()))) log.info(facts, `${what} sent`);
    else if (await store.has(claimed.id))
      log.warn(facts, `${what} sent, but only after its lease had run out`);
    else {
      await onErased(claimed.id);
      log.warn(facts, `${what} sent, but its message was erased meanwhile`);
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
        `NO ${what.toUpperCase()} GOES OUT: ${taker} refuses our login, sender or quota. Every message is kept. Check ${setBy}`,
      );
      return 'failed';
    }
    const pause = kind === 'refused' ? undefined : retryWait(claimed, now, clock.random());
    if (pause === undefined) {
      await mark(claimed, () => store.setAside(claimed, label));
      log.error(
        { ...facts, fault: label },
        `${what} set aside: ${taker} does not take it. The message is kept`,
      );
      return 'setAside';
    }
    const failure = { now, nextAttemptAt: Math.round(now + pause), error: label };
    await mark(claimed, () => store.markFailed(claimed, failure));
    log.warn(
      { ...facts, fault: label, retrySeconds: Math.round(pause / 1000) },
      `${what} not sent; it is tried again`,
    );
    return 'failed';
  }

  /** Retries, so a mail that was sent doesn't go out again because the database was down for a moment. */
  async function mark({ takenAt }: Taken, change: () => Promise<boolean>): Promise<boolean> {
    for (let pause = MARK_PAUSES.first; ; pause = Math.min(2 * pause, MARK_PAUSES.most)) {
      try {
        return await change();
      } catch (error) {
        const tooLate = clock.ticks() + pause > takenAt + LEASE_MS;
        if (tooLate || stopNow.signal.aborted) throw error;
        log.warn({ err: error }, `the database does not take what became of a ${what}; it is tried again`);
      }
      await clock.wait(pause, stopNow.signal).catch(() => undefined);
    }
  }

  /** A longer pause was set by a clock that has since been corrected. */
  function isPaused(now: number): boolean {
    return now < pausedUntil && pausedUntil - now <= Math.max(...SETUP_PAUSES);
  }

  function pauseForSetup(now: number): number {
    // Mails that were on their way together fail together; that's one fault, not several.
    if (!isPaused(now)) {
      pausedUntil = now + (SETUP_PAUSES[Math.min(setupFaults, SETUP_PAUSES.length - 1)] ?? 0);
      setupFaults += 1;
    }
    return pausedUntil;
  }

  /**
   * The mail server works, so messages that were only waiting for it needn't wait hours longer, whichever process
   * found it away, and when.
   */
  async function recovered(now: number): Promise<void> {
    setupFaults = 0;
    pausedUntil = 0;
    await store.makeDue(MAIL_SERVER_FAULTS, now);
  }

  function schedule(ms: number): void {
    cancelTurn();
    if (started && !stopped) cancelTurn = clock.after(ms, turn);
  }

  function wake(): void {
    schedule(0);
  }

  /** While it's taking, there's no need for another turn: what's come in meanwhile is found due at the end. */
  function turn(): void {
    taking ??= takeAndSchedule().finally(() => {
      taking = undefined;
    });
  }

  /**
   * The settings may have been fixed since the last run. One message finds out now, rather than at its next try in
   * hours; once it's sent, the others follow. That way, a wrong password isn't tried with each of them.
   */
  async function probe(): Promise<void> {
    if (probed) return;
    await store.makeDue(MAIL_SERVER_FAULTS, clock.now(), 1);
    probed = true;
  }

  async function takeAndSchedule(): Promise<void> {
    let next = LOOK_AGAIN_MS;
    try {
      await probe();
      await take(clock.now, { sent: 0, failed: 0, setAside: 0 });
      const dueAt = await store.nextDueAt();
      if (dueAt !== undefined && inHand.size < CONCURRENCY)
        next = Math.max(dueAt, pausedUntil, spentAt + SPENT_MS) - clock.now();
    } catch (error) {
      // The database is gone or its disk is full; look again later.
      log.error({ err: error }, 'the outbox cannot read the stored messages');
      next = DATABASE_PAUSE_MS;
    }
    schedule(Math.min(Math.max(next, SHORTEST_PAUSE_MS), LOOK_AGAIN_MS));
  }

  return {
    /**
     * Sends everything due at `now`, for callers that do their own timing. Starts at most `most` mails, and none once
     * `withinMs` have passed.
     */
    async runDue({ now, most = Infinity, withinMs = Infinity }: Due): Promise<Outcome> {
      const outcome: Outcome = { sent: 0, failed: 0, setAside: 0 };
      const until = clock.ticks() + withinMs;
      const isEnough = () =>
        outcome.sent + outcome.failed + outcome.setAside + inHand.size >= most || clock.ticks() >= until;
      for (;;) {
        await take(() => now, outcome, isEnough);
        if (inHand.size === 0) return outcome;
        await Promise.race(inHand);
      }
    },

    /** Starts with what an earlier run left waiting. */
    start(): void {
      started = true;
      wake();
    },

    /** Call when a message has just been stored. */
    wake,

    /** Call about once a minute, so nothing waits for a time that was set by a clock running ahead. */
    async forgetFarTimes(now: number): Promise<void> {
      try {
        if (await store.makeFarDue(now)) wake();
      } catch (error) {
        log.error({ err: error }, 'the outbox cannot read the stored messages');
      }
    },

    /** Claims no more messages and waits for the mails in hand; one that takes too long is given back. */
    async stop(): Promise<void> {
      stopped = true;
      cancelTurn();
      const cancelAbort = clock.after(STOP_MS, () => stopNow.abort());
      await taking;
      await Promise.all(inHand);
      cancelAbort();
    },
  };
}

/** False once the clock has gone back. */
function isWithin(ms: number, since: number, now: number): boolean {
  return now >= since && now < since + ms;
}
