import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Logger as Log } from 'pino';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { classifyMailError } from '../mail/faults.ts';
import type { Composed } from '../mail/mails.ts';
import type { Mailer } from '../mail/transport.ts';
import { giveBack, LONGEST_WAIT_MS, markFailed, markSent, renew, setAside } from '../messages/claims.ts';
import type { Database } from '../messages/database.ts';
import { messageWithId } from '../messages/queries.ts';
import type { Message } from '../messages/table.ts';

/** How long a claim lasts, unless it's renewed: no other worker takes the message until then, even if this one is killed. */
export const LEASE_MS = 120_000;
/** How often it's renewed while the mail is in hand: a mail server may take minutes to answer. */
const RENEW_MS = 40_000;
/** For the whole mail. A mail server that takes its full time for each step is done by then; one that trickles isn't. */
export const SEND_MS = 15 * MINUTE;
/** Between tries to record what became of a mail. */
const MARK_AGAIN_MS = 1_000;

const FIRST_WAITS = [10_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR];
const GIVE_UP_AFTER = 5 * DAY;
/** Even after days of downtime, a message gets this many attempts. */
const GIVE_UP_FAILURES = 12;
/** While the login is refused. Many mail providers lock an account after repeated wrong passwords. */
const PAUSES_MS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE];

/**
 * Sends a mail, or if the mail server refuses its content, at once the one without its words. What no person wrote isn't
 * tried on with words that are put off, either: a quoted spam would hold it up for days.
 *
 * @returns the refusal's label, if the one without words was taken
 * @throws if neither is taken
 */
export async function sendWholeOrPlain(
  mailer: Mailer,
  mail: Composed,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    await mailer.send(mail, signal);
    return null;
  } catch (error) {
    const { kind, label } = classifyMailError(error);
    if (kind !== 'refused' && !(kind === 'retry' && mail.isAutomatic)) throw error;
    await mailer.send(mail.withoutWords(label), signal);
    return label;
  }
}

/** How long to wait after another failure; undefined to give up. */
export function retryWait(message: Message, now: number, random: number): number | undefined {
  const failures = message.failures + 1;
  const firstFailureAt = message.first_failure_at ?? now;
  if (failures >= GIVE_UP_FAILURES && now - firstFailureAt >= GIVE_UP_AFTER) return undefined;
  const first = FIRST_WAITS[failures - 1];
  // Jitter, so that messages that failed together aren't retried together.
  return first === undefined ? LONGEST_WAIT_MS - random * HOUR : first * (1 + random * 0.2);
}

/** Keeps all mails back while the mail server refuses our login. By `performance.now()`, which nobody sets. */
export function createPause() {
  let until = Number.NEGATIVE_INFINITY;
  let faults = 0;
  // Whole milliseconds, since the database takes no others.
  const leftMs = (): number => Math.max(0, Math.ceil(until - performance.now()));
  return {
    /** 0: there's none. */
    leftMs,
    /** Call when the login was refused. Mails that were on their way together fail together, which is one fault. */
    begin(): number {
      if (leftMs() === 0) {
        until = performance.now() + (PAUSES_MS[Math.min(faults, PAUSES_MS.length - 1)] ?? 0);
        faults += 1;
      }
      return leftMs();
    },
    /** Call when a mail was sent. */
    end(): void {
      until = Number.NEGATIVE_INFINITY;
      faults = 0;
    },
  };
}

/** `takenAt` is when the lease began, by `performance.now()`, which nobody sets. */
export type Taken = Message & { takenAt: number };

export type Outcome = { sent: number; failed: number; setAside: number };

export type Options = {
  database: Database;
  /** Resolves once a mail was accepted, to the label of the refusal if it went without the visitor's words. */
  deliver: (message: Message, signal: AbortSignal) => Promise<string | null>;
  log: Log;
  /** Called when a mail was just sent, but its message was erased while it was on its way. */
  onErased: (id: string) => Promise<unknown>;
};

type Hands = {
  pause: ReturnType<typeof createPause>;
  /** Breaks off what's on its way. */
  stopNow: AbortSignal;
  /** Called after each mail that was taken. */
  onDelivered: (now: number) => Promise<void>;
};

/** Sends a claimed message and records what became of it. */
export function createSending(
  { database, deliver, log, onErased }: Options,
  { pause, stopNow, onDelivered }: Hands,
) {
  async function send(claimed: Taken, time: () => number): Promise<keyof Outcome> {
    const facts = { id: claimed.id, attempt: claimed.attempts };
    const lease = keepLease(claimed);
    let refusal: string | null;
    try {
      refusal = await deliver(claimed, AbortSignal.any([AbortSignal.timeout(SEND_MS), lease.lost, stopNow]));
    } catch (error) {
      if (!stopNow.aborted) return failed(claimed, time(), error);
      await giveBack(database, claimed, { nextAttemptAt: time() });
      log.warn(facts, 'mail broken off by the stop; it goes out at the next start');
      return 'failed';
    } finally {
      lease.end();
    }
    if (await mark(claimed, () => markSent(database, claimed, time(), refusal))) {
      if (refusal) log.warn({ ...facts, fault: refusal }, 'mail sent without the words of its message');
      else log.info(facts, 'mail sent');
    } else if (await messageWithId(database, claimed.id, time())) {
      log.warn(facts, 'mail sent, but only after its lease had run out');
    } else {
      await onErased(claimed.id);
      log.warn(facts, 'mail sent, but its message was erased meanwhile');
    }
    await onDelivered(time());
    return 'sent';
  }

  /** `lost` aborts once it's known that the message may be another worker's. */
  function keepLease(claimed: Taken) {
    const lost = new AbortController();
    // A process frozen past its lease mustn't wake up and send what another one has already sent.
    const isOver = () => performance.now() > claimed.takenAt + LEASE_MS;
    async function renewLease(): Promise<void> {
      const now = performance.now();
      // While the database is away, the lease runs on.
      const isOurs = isOver() ? false : await renew(database, claimed, LEASE_MS).catch(() => undefined);
      if (isOurs) claimed.takenAt = now;
      if (isOurs === false) lost.abort();
    }
    if (isOver()) lost.abort();
    const timer = setInterval(renewLease, RENEW_MS);
    return { lost: lost.signal, end: () => clearInterval(timer) };
  }

  async function failed(claimed: Taken, now: number, error: unknown): Promise<keyof Outcome> {
    const { kind, label } = classifyMailError(error);
    const facts = { id: claimed.id, attempt: claimed.attempts, err: error, fault: label };
    if (kind === 'setup') {
      const pauseMs = pause.begin();
      await mark(claimed, () => giveBack(database, claimed, { nextAttemptAt: now + pauseMs, error: label }));
      log.error(
        { ...facts, pauseSeconds: Math.round(pauseMs / 1000) },
        'NO MAIL GOES OUT: the mail server refuses our login, sender or quota. Every message is kept. Check SMTP_URL and MAIL_FROM',
      );
      return 'failed';
    }
    // Of content, too: the plain mail was refused as well, so it isn't about this message.
    const wait = retryWait(claimed, now, Math.random());
    if (wait === undefined) {
      await mark(claimed, () => setAside(database, claimed, label));
      log.error(facts, 'mail set aside: the mail server has not taken it for days. The message is kept');
      return 'setAside';
    }
    const failure = { now, nextAttemptAt: Math.round(now + wait), error: label };
    await mark(claimed, () => markFailed(database, claimed, failure));
    log.warn({ ...facts, retrySeconds: Math.round(wait / 1000) }, 'mail not sent; it is tried again');
    return 'failed';
  }

  /** Retries, so a mail that was sent doesn't go out again because the database was down for a moment. */
  async function mark({ takenAt }: Taken, change: () => Promise<boolean>): Promise<boolean> {
    for (;;) {
      try {
        return await change();
      } catch (error) {
        const isTooLate = performance.now() + MARK_AGAIN_MS > takenAt + LEASE_MS;
        if (isTooLate || stopNow.aborted) throw error;
        log.warn({ err: error }, 'the database does not take what became of a mail; it is tried again');
        await pauseFor(MARK_AGAIN_MS, undefined, { signal: stopNow }).catch(() => undefined);
      }
    }
  }

  return send;
}
