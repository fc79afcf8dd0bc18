import type { Database } from './database.ts';
import { PROMISED_MS } from './message.ts';
import { UNTRACKED } from './table.ts';

type Source = Pick<Database, 'db'>;

/** Counts messages that are still there, with suspected spam counted separately. */
export async function countBetween({ db }: Source, from: number, until: number) {
  const count = async (time: 'received_at' | 'sent_at', spam: boolean) => {
    const { found } = await db
      .selectFrom('contact_message')
      .select(({ fn }) => fn.countAll<number>().as('found'))
      .where(time, '>=', from)
      .where(time, '<', until)
      .where('state', spam ? '=' : '!=', 'spam')
      .executeTakeFirstOrThrow();
    return found;
  };
  return {
    received: await count('received_at', false),
    delivered: await count('sent_at', false),
    spam: await count('received_at', true),
  };
}

/** When each message since then arrived. */
export async function receivedTimes({ db }: Source, since: number): Promise<number[]> {
  const rows = await db
    .selectFrom('contact_message')
    .select('received_at')
    .where('received_at', '>=', since)
    .execute();
  return rows.map(({ received_at }) => received_at);
}

/** From insert to mail; null until one has been delivered. */
export async function deliveryTimes({ db }: Source) {
  const times = db
    .selectFrom('contact_message')
    .select(({ eb }) => eb('sent_at', '-', eb.ref('received_at')).as('ms'))
    .where('sent_at', 'is not', null)
    .orderBy('ms');
  const { delivered } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.count<number>('sent_at').as('delivered'))
    .executeTakeFirstOrThrow();
  const at = async (place: number) =>
    delivered === 0 ? null : ((await times.limit(1).offset(place).executeTakeFirst())?.ms ?? null);
  return {
    medianDeliveryMs: await at(Math.floor((delivered - 1) / 2)),
    slowestDeliveryMs: await at(delivered - 1),
  };
}

/**
 * How soon messages that came since then were answered, without suspected spam. One that isn't answered counts once its
 * time is up.
 *
 * @returns how long each answer took, shortest first, in milliseconds; how many were in time; and of how many
 */
export async function answerTimes({ db }: Source, since: number, now: number) {
  const rows = await db
    .selectFrom('contact_message')
    .select(['received_at', 'answered_at'])
    .where('received_at', '>=', since)
    .where('state', '!=', 'spam')
    .where(({ eb, or }) => or([eb('answered_at', 'is', null), eb('answered_at', '!=', UNTRACKED)]))
    .execute();
  const times = rows
    // A clock that ran ahead may have stored it as received after its answer.
    .flatMap((row) => (row.answered_at === null ? [] : [Math.max(0, row.answered_at - row.received_at)]))
    .toSorted((a, b) => a - b);
  const missed = rows.filter((row) => row.answered_at === null && row.received_at <= now - PROMISED_MS);
  const answeredInTime = times.filter((ms) => ms <= PROMISED_MS).length;
  return { times, answeredInTime, answersDue: times.length + missed.length };
}
