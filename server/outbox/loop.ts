import { HOUR, MINUTE } from '../../contract/time.ts';
import { MOST_CONNECTIONS } from '../mail/transport.ts';
import { claim, giveBack, makeDue, nextDueAt } from '../messages/claims.ts';
import { noteDelivered } from '../messages/last-done.ts';
import { createPause, createSending, LEASE_MS, type Outcome, type Options as SendOptions } from './send.ts';

/** Faults that clear for all messages at once, when the mail server, the settings or the owner's mailbox are fixed. */
const MAIL_SERVER_FAULTS = ['unreachable', 'setup', 'mailbox'];
/** What waits longer than this is tried when the first mail in an hour was taken, whatever its fault. */
const LONG_WAIT_MS = HOUR;

/** How long to wait before retrying a database that's down. */
const DATABASE_PAUSE_MS = 5_000;
/** Finds what another process left behind, or a clock that jumped. */
const LOOK_AGAIN_MS = MINUTE;
/** For what's due and yet can't be claimed: MAIL_PER_HOUR is used up, or the database's clock lags ours. */
const SHORTEST_PAUSE_MS = 1_000;
/** How long mails in hand get at shutdown, so the whole shutdown stays under 10 s. */
const STOP_MS = 8_000;

/** Without `now`, it's now, and on Postgres the database's clock says what that is. */
type Due = { now?: number; most?: number; withinMs?: number };

/**
 * `mailPerHour`: mails beyond this number wait for the next hour, so that a flood from thousands of addresses can't exhaust
 * the owner's mail account. A claim keeps to it, by counting sent mails from the rows: all instances share it, give or take
 * what they have in hand, and a restart doesn't renew it.
 */
type Options = SendOptions & {
  mailPerHour: number;
  /** The note that a mail was taken with these settings. */
  deliveredWith: string;
};

/** The loop: claims what's due, hands it on to be sent, and looks again when the next is due. */
export function createOutbox(options: Options) {
  const { database, log, mailPerHour, deliveredWith } = options;
  const stopNow = new AbortController();
  const pause = createPause();
  const send = createSending(options, { pause, stopNow: stopNow.signal, onDelivered });
  const inHand = new Set<Promise<void>>();
  /** How many mails have ended, and may have made others due. */
  let ended = 0;
  let started = false;
  let probed = false;
  let stopped = false;
  /** Since the last turn began. */
  let woken = false;
  let taking: Promise<void> | undefined;
  let nextTurn: ReturnType<typeof setTimeout> | undefined;

  /**
   * The mail server works, so messages that were only waiting for it needn't wait hours longer, whichever process found it
   * away, and when. Once an hour it's the same for any fault: nobody knows how long the mail server works this time.
   */
  async function onDelivered(now: number): Promise<void> {
    pause.end();
    await makeDue(database, MAIL_SERVER_FAULTS, now);
    if (await noteDelivered(database, deliveredWith, now))
      await makeDue(database, 'any', now, { leftMs: LONG_WAIT_MS });
  }

  /** Claims due messages until none is left or enough are on their way. */
  async function take(now: number | undefined, outcome: Outcome, isEnough = () => false): Promise<void> {
    const time = () => now ?? Date.now();
    while (!stopped && inHand.size < MOST_CONNECTIONS && pause.leftMs() === 0 && !isEnough()) {
      // On a clock nobody sets, and from before the lease starts.
      const takenAt = performance.now();
      const claimed = await claim(database, now, LEASE_MS, mailPerHour, inHand.size);
      if (!claimed) return;
      if (stopped) return void (await giveBack(database, claimed, { nextAttemptAt: time() }));
      const sending = send({ ...claimed, takenAt }, time)
        .then(
          (end) => {
            outcome[end] += 1;
          },
          // Sent or not, it couldn't be marked, so its lease runs out and it's sent again.
          (error) => log.error({ err: error, id: claimed.id }, 'the outbox cannot mark a message'),
        )
        .finally(() => {
          inHand.delete(sending);
          ended += 1;
          wake();
        });
      inHand.add(sending);
    }
  }

  function schedule(ms: number): void {
    clearTimeout(nextTurn);
    if (started && !stopped) nextTurn = setTimeout(turn, ms);
  }

  function wake(): void {
    woken = true;
    schedule(0);
  }

  function turn(): void {
    taking ??= takeAndSchedule().finally(() => {
      taking = undefined;
    });
  }

  async function takeAndSchedule(): Promise<void> {
    let next = LOOK_AGAIN_MS;
    woken = false;
    try {
      // The settings may have been fixed since the last run. One message finds out now, rather than at its next try in
      // hours; once it's sent, the others follow. That way, a wrong password isn't tried with each of them.
      if (!probed) await makeDue(database, MAIL_SERVER_FAULTS, Date.now(), { most: 1 });
      probed = true;
      await take(undefined, { sent: 0, failed: 0, setAside: 0 });
      // A mail that ends wakes the outbox, so nothing is due before.
      const dueAt = inHand.size < MOST_CONNECTIONS ? await nextDueAt(database) : undefined;
      if (dueAt !== undefined) next = Math.max(dueAt - Date.now(), pause.leftMs());
    } catch (error) {
      // The database is gone or its disk is full; look again later.
      log.error({ err: error }, 'the outbox cannot read the stored messages');
      next = DATABASE_PAUSE_MS;
    }
    // What has come in or ended meanwhile may not have been looked at.
    schedule(woken ? 0 : Math.min(Math.max(next, SHORTEST_PAUSE_MS), LOOK_AGAIN_MS));
  }

  return {
    /**
     * Sends everything that is due, for callers that do their own timing. Starts at most `most` mails, and none once
     * `withinMs` have passed.
     */
    async runDue({ now, most = Infinity, withinMs = Infinity }: Due = {}): Promise<Outcome> {
      const outcome: Outcome = { sent: 0, failed: 0, setAside: 0 };
      const until = performance.now() + withinMs;
      const isEnough = () =>
        outcome.sent + outcome.failed + outcome.setAside + inHand.size >= most || performance.now() >= until;
      for (;;) {
        const before = ended;
        await take(now, outcome, isEnough);
        if (ended > before) continue;
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

    /** Call when any other mail was taken. */
    async delivered(now: number): Promise<void> {
      await onDelivered(now);
      wake();
    },

    /** Claims no more messages and waits for the mails in hand; one that takes too long is given back. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(nextTurn);
      const timer = setTimeout(() => stopNow.abort(), STOP_MS);
      await taking;
      await Promise.all(inHand);
      clearTimeout(timer);
    },
  };
}
