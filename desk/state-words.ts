import { describeFault } from '../server/mail/faults.ts';
import type { Found } from '../server/messages/queries.ts';
import { whyHeld } from '../server/messages/suspicion.ts';
import { type Message, STATES } from '../server/messages/table.ts';
import { whenCame } from './time.ts';

// What became of a message, in the words of list and the page.

/** Which messages the inbox shows. */
export const VIEWS = ['unanswered', 'all', ...STATES] as const;
export type View = (typeof VIEWS)[number];

export const WORDS = {
  unanswered: 'to be answered',
  all: 'all',
  waiting: 'to be mailed',
  sent: 'mailed to you',
  set_aside: 'not mailed',
  spam: 'spam',
  answered: 'answered',
} as const satisfies Record<View, string> & Record<string, string>;
export type Mark = keyof typeof WORDS;

/** What matters most about it. */
export function markOf({ state, answeredAt }: Message): Mark {
  return answeredAt === null ? state : 'answered';
}

/** Its mail won't reach her, or nobody knows: she has to do something. */
export function isAdrift({ state, lastError }: Message): boolean {
  return state === 'set_aside' || (state === 'waiting' && lastError !== null);
}

/** What its state means for the owner, and why it's in it. */
export function explainState(
  message: Found,
  timeZone: string,
  now: number,
): { meaning: string; why: string } {
  const { state, lastError, inHand, heldFor, deliveredAt, receivedAt } = message;
  const words = WORDS[state];
  if (inHand) return { meaning: 'on its way to you just now', why: '' };
  if (state === 'spam')
    return heldFor.length > 0
      ? { meaning: `${words}, perhaps: kept, and not mailed to you`, why: `Why: ${whyHeld(heldFor)}` }
      : { meaning: `${words}: kept, since you marked it`, why: '' };
  if (state === 'sent') {
    const without = lastError ? ', without its words' : '';
    const when = whenCame(deliveredAt ?? receivedAt, now, timeZone);
    return {
      meaning: `${words}${without}, ${when}`,
      why: lastError ? `Why: ${describeFault(lastError)}` : '',
    };
  }
  const next = state === 'waiting' ? `. Next try: ${whenCame(message.nextAttemptAt, now, timeZone)}` : '';
  const why = lastError ? `Its last try: ${describeFault(lastError)}${next}` : '';
  return state === 'waiting'
    ? { meaning: `${words}, and stored`, why }
    : { meaning: `${words}, but stored: the mail server didn’t take it, and it isn’t tried again`, why };
}
