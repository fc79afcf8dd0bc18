import { MINUTE } from '../../contract/time.ts';
import type { Unanswered } from '../../server/messages/queries.ts';
import { span } from '../../server/messages/time.ts';

// Who waits for an answer, in the words of the desk.

/** `5 h left`, or `3 h over`. */
export function timeToAnswer(dueAt: number, now: number): string {
  const left = dueAt - now;
  return left > 0 ? `${span(Math.max(left, MINUTE))} left` : `${span(Math.max(-left, MINUTE))} over`;
}

/** `3 messages wait for your answer, 1 of them for over 24 hours.` */
export function waitWords(counts: Omit<Unanswered, 'oldestAnswerDueAt'>): string {
  const { unanswered, late, replyHours } = counts;
  if (unanswered === 0) return 'Nobody waits for your answer.';
  if (unanswered === 1)
    return `1 message waits for your answer${late > 0 ? `, for over ${replyHours} hours` : ''}.`;
  const tooLong = late > 0 ? `, ${late.toLocaleString('en')} of them for over ${replyHours} hours` : '';
  return `${unanswered.toLocaleString('en')} messages wait for your answer${tooLong}.`;
}
