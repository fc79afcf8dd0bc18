import type { Database } from './database.ts';
import { isDelivered, PROMISED_MS } from './message.ts';
import { UNTRACKED } from './table.ts';

type Source = Pick<Database, 'db'>;

export type MessageTimes = Awaited<ReturnType<typeof messageTimes>>;

/**
 * When each message that came since then was received, mailed to the owner and answered, in milliseconds since 1970, or
 * null. By the indexes of what was mailed and of what wasn't, since none has all messages by their time.
 */
export async function messageTimes({ db }: Source, since: number) {
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
 * @returns how long each answer took, shortest first, in milliseconds; how many were in time; and of how many
 */
export function answerTimes(messages: MessageTimes, now: number) {
  const counted = messages.filter(({ isSpam, answeredAt }) => !isSpam && answeredAt !== UNTRACKED);
  const times = counted
    // A clock that ran ahead may have stored it as received after its answer.
    .flatMap(({ answeredAt, receivedAt }) =>
      answeredAt === null ? [] : [Math.max(0, answeredAt - receivedAt)],
    )
    .toSorted((a, b) => a - b);
  const missed = counted.filter((each) => each.answeredAt === null && each.receivedAt <= now - PROMISED_MS);
  const answeredInTime = times.filter((ms) => ms <= PROMISED_MS).length;
  return { times, answeredInTime, answersDue: times.length + missed.length };
}
