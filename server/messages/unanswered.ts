import { promisedMs, replyHours } from '../../contract/promise.ts';
import type { Unanswered } from './counts.ts';
import type { Database } from './database.ts';
import { span } from './day.ts';
import { isDelivered } from './message.ts';
import { UNTRACKED } from './table.ts';

// Who waits for an answer, and how the promise was kept, in the words of the desk.

export type MessageTimes = Awaited<ReturnType<typeof messageTimes>>;

/**
 * When each message that came since then was received, mailed to the owner and answered, in milliseconds since 1970, or
 * null. By the indexes of what was mailed and of what wasn't, since none has all messages by their time.
 */
export async function messageTimes({ db }: Pick<Database, 'db'>, since: number) {
  const recent = db
    .selectFrom('contact_message')
    .select(['state', 'received_at', 'sent_at', 'answered_at'])
    .where('received_at', '>=', since);
  const delivered = await recent.where(isDelivered).where('sent_at', '>=', since).execute();
  const others = await recent.where('state', 'in', ['waiting', 'set_aside', 'spam']).execute();
  return [...delivered, ...others].map((row) => ({
    isSpam: row.state === 'spam',
    receivedAt: row.received_at,
    deliveredAt: row.sent_at,
    answeredAt: row.answered_at,
  }));
}

/**
 * How soon these messages were answered, without suspected spam. One that isn't answered counts once its time is up.
 *
 * @returns how many were in time, of how many, and the median of how long they took: in milliseconds, null before the
 * first answer
 */
export function answersOf(messages: MessageTimes, now: number) {
  const counted = messages.filter(({ isSpam, answeredAt }) => !isSpam && answeredAt !== UNTRACKED);
  const times = counted
    // A clock that ran ahead may have stored it as received after its answer.
    .flatMap(({ answeredAt, receivedAt }) =>
      answeredAt === null ? [] : [Math.max(0, answeredAt - receivedAt)],
    )
    .toSorted((a, b) => a - b);
  const missed = counted.filter((each) => each.answeredAt === null && each.receivedAt <= now - promisedMs());
  return {
    answeredInTime: times.filter((ms) => ms <= promisedMs()).length,
    answersDue: times.length + missed.length,
    medianAnswerMs: times[Math.floor((times.length - 1) / 2)] ?? null,
  };
}

/** `5 h left`, or `3 h over`. */
export function timeToAnswer(dueAt: number, now: number): string {
  const left = dueAt - now;
  return left > 0 ? `${span(Math.max(left, 60_000))} left` : `${span(Math.max(-left, 60_000))} over`;
}

/** `3 messages wait for your answer, 1 of them for over 24 hours.` */
export function waitWords({ unanswered, late }: Pick<Unanswered, 'unanswered' | 'late'>): string {
  if (unanswered === 0) return 'Nobody waits for your answer.';
  if (unanswered === 1)
    return `1 message waits for your answer${late > 0 ? `, for over ${replyHours()} hours` : ''}.`;
  const tooLong = late > 0 ? `, ${late.toLocaleString('en')} of them for over ${replyHours()} hours` : '';
  return `${unanswered.toLocaleString('en')} messages wait for your answer${tooLong}.`;
}

/** The same, and `The oldest: 2 h over.` For where they aren't listed. */
export function unansweredWords(counts: Unanswered, now: number): string {
  const { unanswered, oldestAnswerDueAt } = counts;
  if (oldestAnswerDueAt === undefined) return waitWords(counts);
  const oldest = timeToAnswer(oldestAnswerDueAt, now);
  return unanswered === 1
    ? `1 message waits for your answer: ${oldest}.`
    : `${waitWords(counts)} The oldest: ${oldest}.`;
}

type Kept = ReturnType<typeof answersOf>;

/** How the promise was kept. Undefined as long as no answer was due. */
export function answersFigure({ answersDue, answeredInTime, medianAnswerMs }: Kept): string | undefined {
  if (answersDue === 0) return undefined;
  const median = medianAnswerMs === null ? '' : ` Half of all answers took ${span(medianAnswerMs)} or less.`;
  const kept = `${answeredInTime.toLocaleString('en')} of ${answersDue.toLocaleString('en')}`;
  return `${kept} within ${replyHours()} hours.${median}`;
}
