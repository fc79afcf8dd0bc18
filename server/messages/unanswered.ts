import { REPLY_HOURS } from '../../contract/promise.ts';
import { span } from './day.ts';
import { answerTimes, type MessageTimes } from './figures.ts';
import type { Unanswered } from './queries.ts';

// Who waits for an answer, and how the promise was kept, in the words of the desk.

/** Of messages that came in the last 30 days, say. Durations are in milliseconds. */
export function answersOf(messages: MessageTimes, now: number) {
  const { times, ...answers } = answerTimes(messages, now);
  /** Null before the first answer. */
  return { ...answers, medianAnswerMs: times[Math.floor((times.length - 1) / 2)] ?? null };
}

/** `5 h left`, or `3 h late`. */
export function timeToAnswer(dueAt: number, now: number): string {
  const left = dueAt - now;
  return left > 0 ? `${span(Math.max(left, 60_000))} left` : `${span(Math.max(-left, 60_000))} late`;
}

/** `3 messages wait for your answer, 1 of them for over 24 hours.` */
export function waitWords({ unanswered, late }: Pick<Unanswered, 'unanswered' | 'late'>): string {
  if (unanswered === 0) return 'Nobody waits for your answer.';
  if (unanswered === 1)
    return `1 message waits for your answer${late > 0 ? `, for over ${REPLY_HOURS} hours` : ''}.`;
  const tooLong = late > 0 ? `, ${late.toLocaleString('en')} of them for over ${REPLY_HOURS} hours` : '';
  return `${unanswered.toLocaleString('en')} messages wait for your answer${tooLong}.`;
}

/** The same, and `The oldest: 2 h late.` For where they aren't listed. */
export function unansweredWords(counts: Unanswered, now: number): string {
  const { unanswered, oldestAnswerDueAt } = counts;
  if (oldestAnswerDueAt === undefined) return waitWords(counts);
  const oldest = timeToAnswer(oldestAnswerDueAt, now);
  return unanswered === 1
    ? `1 message waits for your answer: ${oldest}.`
    : `${waitWords(counts)} The oldest: ${oldest}.`;
}

type Kept = ReturnType<typeof answersOf>;

/** How the promise was kept in the last 30 days, as a label and its figure. Undefined as long as no answer was due. */
export function answersFigure({ answersDue, answeredInTime, medianAnswerMs }: Kept) {
  if (answersDue === 0) return undefined;
  const median = medianAnswerMs === null ? '' : `, median ${span(medianAnswerMs)}`;
  return {
    label: `Answered within ${REPLY_HOURS} hours`,
    value: `${answeredInTime.toLocaleString('en')} of ${answersDue.toLocaleString('en')}${median}`,
  };
}
