import { describeFault } from '../../server/mail/faults.ts';
import type { Filter, Found } from '../../server/messages/queries.ts';
import { whyHeld } from '../../server/messages/suspicion.ts';
import type { Message } from '../../server/messages/table.ts';
import { span } from '../../server/messages/time.ts';
import { localTime, whenCame } from '../sheet/time.ts';

// What became of a message, in the words of her pages.

/** Which messages a list shows. */
export const VIEWS = {
  unanswered: { words: 'To answer', filter: { unanswered: true } },
  answered: { words: 'Answered', filter: { answered: true } },
  spam: { words: 'Suspected', filter: { state: 'spam' } },
  set_aside: { words: 'Not mailed', filter: { state: 'set_aside' } },
} as const satisfies Record<string, { words: string; filter: Filter }>;
export type View = keyof typeof VIEWS;
export const VIEW_NAMES = Object.keys(VIEWS) as View[];

/** Its mail won't reach her, or nobody knows: she has to do something. */
export const isAdrift = ({ state, lastError }: Message) =>
  state === 'set_aside' || (state === 'waiting' && lastError !== null);

/** What matters most about it, beside how long its sender has waited; nothing if it's as usual. */
export function markOf(message: Message): string {
  if (message.state === 'spam') return message.heldFor.length > 0 ? 'Spam?' : 'Spam';
  if (isAdrift(message)) return 'Not mailed to you';
  return message.answeredAt === null ? '' : 'Answered';
}

/**
 * Whether and when she was mailed it, and why not.
 *
 * @param isFile whether its mail only became a file
 */
export function explainMail(message: Found, isFile: boolean, timeZone: string, now: number): string {
  const { state, lastError, inHand, heldFor, deliveredAt, receivedAt, nextAttemptAt } = message;
  const why = lastError ? `: ${describeFault(lastError)}` : '';
  if (inHand) return 'On its way to you just now.';
  if (state === 'spam')
    return heldFor.length > 0
      ? `Kept, and not mailed to you, since ${whyHeld(heldFor)}.`
      : 'Kept. You marked it as spam.';
  if (state === 'sent')
    return `${isFile ? 'Saved as a mail file' : 'Mailed to you'}${why && ` without its words${why},`} ${whenCame(deliveredAt ?? receivedAt, now, timeZone)}`;
  if (state === 'set_aside') return `Not mailed to you, and not tried again${why}.`;
  const next = lastError ? ` Next try: ${whenCame(nextAttemptAt, now, timeZone)}` : '';
  return `Not mailed to you yet${why}.${next}`;
}

/** `Sat, Nov 21, 2026, 2:05 p.m., 3 h after it came` */
export const whenAnswered = ({ receivedAt, answeredAt }: Message, timeZone: string) =>
  answeredAt === null
    ? undefined
    : `${localTime(answeredAt, timeZone)}, ${span(Math.max(answeredAt - receivedAt, 0))} after it came`;
