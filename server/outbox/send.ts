import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { classifyMailError } from '../mail/faults.ts';
import type { Mail, Mailer } from '../mail/transport.ts';
import { LONGEST_WAIT_MS, type Message } from '../messages/table.ts';

/** For the whole mail. A mail server that takes its full time for each step is done by then; one that trickles isn't. */
export const SEND_MS = 15 * MINUTE;

const FIRST_WAITS = [10_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR];
const GIVE_UP_AFTER = 5 * DAY;
/** Even after days of downtime, a message gets this many attempts. */
const GIVE_UP_FAILURES = 12;

/**
 * Sends a mail, or if the mail server refuses its content, at once the one without its words. What no person wrote isn't
 * tried on with words that are put off, either: a quoted spam would hold it up for days.
 *
 * @param compose given the refusal's label, it makes the one without words
 * @returns that label, if the one without words was taken
 * @throws if neither is taken
 */
export async function sendWholeOrPlain(
  mailer: Mailer,
  compose: (refusal?: string) => Mail,
  signal: AbortSignal,
): Promise<string | null> {
  const mail = compose();
  try {
    await mailer.send(mail, signal);
    return null;
  } catch (error) {
    const { kind, label } = classifyMailError(error);
    if (kind !== 'refused' && !(kind === 'retry' && mail.isAutomatic)) throw error;
    await mailer.send(compose(label), signal);
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
