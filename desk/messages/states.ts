import { describeFault } from '../../server/mail/faults.ts';
import type { Found, Unanswered } from '../../server/messages/queries.ts';
import { whyHeld } from '../../server/messages/suspicion.ts';
import { isAnswered, isIn, isUnanswered, type Message } from '../../server/messages/table.ts';
import { count } from '../command/terminal.ts';

// What became of a message, in the words of her pages.

/** Which messages a list shows. */
export const VIEWS = {
  unanswered: { words: 'To answer', which: isUnanswered },
  answered: { words: 'Answered', which: isAnswered },
  spam: { words: 'Spam', which: isIn('spam') },
  set_aside: { words: 'Not mailed', which: isIn('set_aside') },
};
export type View = keyof typeof VIEWS;
export const VIEW_NAMES = Object.keys(VIEWS) as View[];

/** Its mail won't reach her, or nobody knows: she has to do something. */
export const isAdrift = ({ state, last_error }: Message) =>
  state === 'set_aside' || (state === 'waiting' && last_error !== null);

/** What matters most about it, beside how long its sender has waited; nothing if it's as usual. */
export function markOf(message: Message): string {
  if (message.state === 'spam') return message.held_for ? 'Spam?' : 'Spam';
  if (isAdrift(message)) return 'Not mailed to you';
  return message.answered_at === null ? '' : 'Answered';
}

/** Whether and when she was mailed it, and why not. @param isFile whether its mail only became a file */
export function explainMail(message: Found, isFile: boolean, when: (time: number) => string): string {
  const { state, last_error, inHand, held_for, sent_at, received_at, next_attempt_at } = message;
  const why = last_error ? `: ${describeFault(last_error)}` : '';
  if (inHand) return 'On its way to you just now.';
  const mailed = `${isFile ? 'Saved as a mail file' : 'Mailed to you'}${why && ` without its words${why},`} ${when(sent_at ?? received_at)}`;
  if (state === 'spam' && held_for) return `Kept, and not mailed to you, since ${whyHeld(held_for)}.`;
  if (state === 'spam') return `${sent_at ? `${mailed}. ` : ''}You marked it as spam, and it’s kept.`;
  if (state === 'sent') return mailed;
  if (state === 'set_aside') return `Not mailed to you, and not tried again${why}.`;
  return `Not mailed to you yet${why}.${last_error ? ` Next try: ${when(next_attempt_at)}` : ''}`;
}

/** `3 messages wait for your answer, 1 of them for over 24 hours.` */
export function waitWords(counts: Unanswered): string {
  const { unanswered, late, replyHours } = counts;
  if (unanswered === 0) return 'Nobody waits for your answer.';
  const isOne = unanswered === 1;
  const ofThem = isOne ? '' : ` ${late.toLocaleString('en')} of them`;
  const tooLong = late > 0 ? `,${ofThem} for over ${replyHours} hours` : '';
  return `${count(unanswered, 'message')} ${isOne ? 'waits' : 'wait'} for your answer${tooLong}.`;
}
