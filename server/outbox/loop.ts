import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';
import { classifyMailError, type FaultKind } from '../mail/faults.ts';
import {
  claim,
  makeDue,
  markFailed,
  markSent,
  nextDueAt,
  noteDelivered,
  putOff,
  setAside,
} from '../messages/claims.ts';
import type { Database } from '../messages/database.ts';
import { deliveredWith, FILED, noteDone } from '../messages/last-done.ts';
import { requeueFiled } from '../messages/owner.ts';
import { LONGEST_WAIT_MS, type Message } from '../messages/table.ts';

/** Few mail servers take more from one client. */
const MOST_CONNECTIONS = 8;
/** Faults that clear for all messages at once, when the mail server, the settings or the owner's mailbox are fixed. */
const MAIL_SERVER_FAULTS: readonly FaultKind[] = ['unreachable', 'setup', 'mailbox'];
/** While the login is refused. Many mail providers lock an account after repeated wrong passwords. */
const PAUSES_MS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE];

const FIRST_WAITS_MS = [10_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR];
/** Even after days of downtime, a message gets this many attempts. */
const GIVE_UP = { failures: 12, afterMs: 5 * DAY };

/** No other worker takes the message until then, even if this one is killed. */
const LEASE_MS = 120_000;
/** Between renewals while the mail is in hand: a mail server may take minutes to answer. */
const RENEW_MS = 40_000;

const DATABASE_PAUSE_MS = 5_000;
/** Finds what another process left behind, or a clock that jumped. */
const LOOK_AGAIN_MS = MINUTE;
/** For what's due but can't be claimed: MAIL_PER_HOUR is used up, or the database's clock lags ours. */
const SHORTEST_PAUSE_MS = 1_000;
const NOT_OURS = 'mail not sent; its message was erased, or is another server’s by now';
/** How long mails in hand get at shutdown, so the whole shutdown stays under 10 s. */
const STOP_MS = 8_000;

type Options = {
  database: Database;
  /** Resolves once a mail was accepted, to the label of the refusal if it went without the visitor's words. */
  deliver: (message: Message, signal: AbortSignal) => Promise<string | null>;
  settings: Settings;
  log: Log;
};

type Outcome = { sent: number; failed: number; setAside: number };

/** No mail is begun after `until`. Times that aren't stored use `performance.now()`, which nobody can set. */
type Turn = { until: number; outcome: Outcome; fault?: unknown };
type Lease = { endsAt: number };

function newTurn(withinMs = Infinity): Turn {
  return { until: performance.now() + withinMs, outcome: { sent: 0, failed: 0, setAside: 0 } };
}

/** Claims what's due, mails it, records what became of it, and looks again when the next is due. */
export function createOutbox({ database, deliver, settings, log }: Options) {
  const isFiling = settings.mail.via === 'folder';
  const stopNow = new AbortController();
  const lanes = new Set<Promise<void>>();
  /** While the login is refused, all mails are kept back. */
  const pause = { until: 0, faults: 0 };
  const inHand = new Set<string>();
  let started = false;
  let stopped = false;
  /** Since a lane last looked. */
  let woken = false;
  let nextLook: ReturnType<typeof setTimeout> | undefined;

  /** In whole milliseconds, since the database takes only those. */
  const pauseMs = () => Math.max(0, Math.ceil(pause.until - performance.now()));

  function openLane(turn: Turn): void {
    // After a refused login one message finds out, and once it's sent, the others follow.
    if (stopped || lanes.size >= (pause.faults > 0 ? 1 : MOST_CONNECTIONS)) return;
    const lane = work(turn)
      .catch((error) => {
        turn.fault = error;
        cannotRead(error);
        lookIn(DATABASE_PAUSE_MS);
      })
      .finally(() => lanes.delete(lane));
    lanes.add(lane);
  }

  /** Mails one message after another until none is due. Each one found opens another lane. */
  async function work(turn: Turn): Promise<void> {
    for (;;) {
      woken = false;
      if (stopped || pauseMs() > 0 || performance.now() >= turn.until) break;
      // Taken before the lease starts.
      const lease = { endsAt: performance.now() + LEASE_MS };
      // Any more in an hour wait, so that a flood can't exhaust the owner's mail account.
      const claimed = await claim(database, LEASE_MS, settings.mailPerHour, [...inHand]);
      if (claimed) {
        inHand.add(claimed.id);
        openLane(turn);
        const became = await send(claimed, lease).catch((error: unknown) => {
          // Sent or not, it couldn't be marked, so its lease will run out and it's sent again.
          log.error({ err: error, id: claimed.id }, 'the outbox cannot mark a message');
        });
        if (became) turn.outcome[became] += 1;
        inHand.delete(claimed.id);
      } else if (!woken) break;
    }
    if (!started || stopped) return;
    const dueAt = (await nextDueAt(database)) ?? Infinity;
    const next = Math.max(dueAt - Date.now(), pauseMs(), SHORTEST_PAUSE_MS);
    lookIn(woken ? 0 : Math.min(next, LOOK_AGAIN_MS));
  }

  function lookIn(ms: number): void {
    clearTimeout(nextLook);
    if (started && !stopped) nextLook = setTimeout(() => openLane(newTurn()), ms);
  }

  function wake(): void {
    woken = true;
    lookIn(0);
  }

  const cannotRead = (error: unknown) =>
    log.error({ err: error }, 'the outbox cannot read the stored messages');

  /** Messages that were only waiting for the mail server needn't wait hours longer, whoever found it down. */
  async function delivered(now: number): Promise<void> {
    Object.assign(pause, { until: 0, faults: 0 });
    await makeDue(database, MAIL_SERVER_FAULTS, now);
    await noteDelivered(database, deliveredWith(settings), now);
    if (isFiling) await noteDone(database, FILED, now);
    wake();
  }

  async function send(claimed: Message, lease: Lease): Promise<keyof Outcome> {
    const facts = { id: claimed.id, attempt: claimed.attempts };
    // Aborts once it's known that the message may be another worker's.
    const lost = new AbortController();
    const timer = setInterval(async () => {
      const now = performance.now();
      // While the database is down, the lease keeps running.
      const renew = () => putOff(database, claimed, LEASE_MS).catch(() => undefined);
      const isOurs = now <= lease.endsAt && (await renew());
      if (isOurs) lease.endsAt = now + LEASE_MS;
      if (isOurs === false) lost.abort();
    }, RENEW_MS);
    let refusal: string | null;
    try {
      // A process frozen past its lease mustn't wake up and send what another one has already sent.
      if (performance.now() > lease.endsAt) lost.abort();
      refusal = await deliver(claimed, AbortSignal.any([lost.signal, stopNow.signal]));
    } catch (error) {
      if (!stopNow.signal.aborted) return notSent(claimed, error);
      await putOff(database, claimed, 0);
      log.warn(facts, 'mail broken off by the stop; it goes out at the next start');
      return 'failed';
    } finally {
      clearInterval(timer);
    }
    const isOurs = await markSent(database, claimed, Date.now(), refusal ?? (isFiling ? FILED : null));
    const level = isOurs && !refusal ? 'info' : 'warn';
    log[level]({ ...facts, ...(refusal && { fault: refusal }), isOurs }, 'mail sent');
    await delivered(Date.now());
    return 'sent';
  }

  async function notSent(claimed: Message, error: unknown): Promise<keyof Outcome> {
    const { kind, label } = classifyMailError(error);
    const facts = { id: claimed.id, attempt: claimed.attempts, err: error, fault: label };
    if (kind === 'setup') {
      // Mails that were on their way together fail together, which counts as one fault.
      if (pauseMs() === 0) {
        pause.until = performance.now() + (PAUSES_MS[pause.faults] ?? 0);
        pause.faults = Math.min(pause.faults + 1, PAUSES_MS.length - 1);
      }
      const waitMs = pauseMs();
      // A platform's next instance doesn't know this pause, only how often the message was tried without a fault of its own.
      const tries = claimed.attempts - claimed.failures;
      const ownMs = PAUSES_MS[Math.min(tries, PAUSES_MS.length) - 1] ?? 0;
      // So that it comes after newer ones.
      const putOffMs = Math.max(waitMs, ownMs) + SHORTEST_PAUSE_MS;
      await putOff(database, claimed, putOffMs, label);
      log.error(
        { ...facts, pauseSeconds: Math.round(waitMs / 1000) },
        'NO MAIL GOES OUT: the mail server refuses our login, sender or quota. Every message is kept. Check SMTP_URL and MAIL_FROM',
      );
      return 'failed';
    }
    // Even for refused content: the plain mail was refused as well, so it isn't about this message.
    const now = Date.now();
    const waitMs = retryWait(claimed, now);
    if (waitMs === undefined) {
      const isOurs = await setAside(database, claimed, label);
      const words = isOurs ? 'mail set aside after days of tries. The message is kept' : NOT_OURS;
      log.error(facts, words);
      return isOurs ? 'setAside' : 'failed';
    }
    const isOurs = await markFailed(database, claimed, waitMs, label, now);
    const words = isOurs ? 'mail not sent; it is tried again' : NOT_OURS;
    log.warn({ ...facts, retrySeconds: Math.round(waitMs / 1000) }, words);
    return 'failed';
  }

  return {
    /** For callers that do their own timing: mails all that's due, and begins no mail once `withinMs` have passed. */
    async runDue(withinMs?: number): Promise<Outcome> {
      const turn = newTurn(withinMs);
      openLane(turn);
      while (lanes.size > 0) await Promise.race(lanes);
      if (turn.fault) throw turn.fault;
      return turn.outcome;
    },

    /**
     * The settings may have been fixed since an earlier run. One message finds out now, and once it's sent, the others
     * follow: a wrong password isn't tried with each of them.
     */
    async start(): Promise<void> {
      started = true;
      // Noted at once, so that no crash can come between a first file and its note.
      const settle = isFiling ? noteDone(database, FILED, Date.now()) : requeueFiled(database);
      await settle.catch(cannotRead);
      await makeDue(database, MAIL_SERVER_FAULTS, Date.now(), { most: 1 }).catch(cannotRead);
      wake();
    },

    wake,
    /** Call when any other mail was taken. */
    delivered,
    /** Claims no more messages and waits for the mails in hand; one that takes too long is given back. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(nextLook);
      const timer = setTimeout(() => stopNow.abort(), STOP_MS);
      await Promise.all(lanes);
      clearTimeout(timer);
    },
  };
}

/** How long to wait after another failure, in milliseconds; undefined to give up. */
function retryWait({ failures, first_failure_at }: Message, now: number): number | undefined {
  const isLong = now - (first_failure_at ?? now) >= GIVE_UP.afterMs;
  if (isLong && failures + 1 >= GIVE_UP.failures) return undefined;
  const first = FIRST_WAITS_MS[failures];
  // Jitter, so that messages that failed together aren't retried together.
  const random = Math.random();
  return Math.round(first ? first * (1 + random * 0.2) : LONGEST_WAIT_MS - random * HOUR);
}
