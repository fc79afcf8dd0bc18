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

/** What's counted per day; a day is YYYY-MM-DD in the owner's time zone. */
export type Counted = 'visit' | 'message';

export async function addToDay(
  { db, write }: Pick<Database, 'db' | 'write'>,
  { day, what, count }: { day: string; what: Counted; count: number },
): Promise<void> {
  await write(
    db
      .insertInto('daily_count')
      .values({ day, what, count })
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'what'])
          .doUpdateSet((eb) => ({ count: eb('daily_count.count', '+', count) })),
      ),
  );
}

/** The counts for those days, inclusive; undefined where nothing was counted. */
export async function countsOfDays({ db }: Source, first: string, last: string) {
  const rows = await db
    .selectFrom('daily_count')
    .selectAll()
    .where('day', '>=', first)
    .where('day', '<=', last)
    .execute();
  const sum = (what: Counted) => rows.reduce((total, row) => total + (row.what === what ? row.count : 0), 0);
  const visitsOn = new Map(rows.filter(({ what }) => what === 'visit').map(({ day, count }) => [day, count]));
  return rows.length > 0 ? { visits: sum('visit'), messages: sum('message'), visitsOn } : undefined;
}
