import { type Day, dayAt, daysAfter } from '../mail/day.ts';
import type { Database } from '../messages/database.ts';

/** The figures of some days, and how things stand at the moment. */
export type Digest = {
  /** The first and the last day; the same for a digest of one day. */
  first: Day;
  last: Day;
  /** Without suspected spam. What has been erased since is missing. */
  received: number;
  delivered: number;
  spam: number;
  /** Visits of the page, and messages for comparison; undefined where nothing was counted. */
  counted: { visits: number; messages: number } | undefined;
  waiting: number;
  setAside: number;
  /** Of those that wait or were set aside; milliseconds since 1970. */
  oldestUndeliveredAt: number | undefined;
};

/** The last whole day before a time, or the last seven, by the clock of that zone. */
export function daysBefore(time: number, days: 1 | 7, timeZone: string): Pick<Digest, 'first' | 'last'> {
  const today = dayAt(time, timeZone);
  return { first: daysAfter(today, -days, timeZone), last: daysAfter(today, -1, timeZone) };
}

export async function readDigest(
  { db }: Pick<Database, 'db'>,
  { first, last }: Pick<Digest, 'first' | 'last'>,
): Promise<Digest> {
  const count = async (time: 'received_at' | 'sent_at', spam: boolean) => {
    const { found } = await db
      .selectFrom('contact_message')
      .select(({ fn }) => fn.countAll<number>().as('found'))
      .where(time, '>=', first.startsAt)
      .where(time, '<', last.endsAt)
      .where('state', spam ? '=' : '!=', 'spam')
      .executeTakeFirstOrThrow();
    return found;
  };
  const undelivered = await db
    .selectFrom('contact_message')
    .select(({ fn }) => ['state', fn.countAll<number>().as('found'), fn.min('received_at').as('oldest')])
    .where('state', 'in', ['waiting', 'set_aside'])
    .groupBy('state')
    .execute();
  const inState = (state: string) => undelivered.find((row) => row.state === state)?.found ?? 0;
  const sums = await db
    .selectFrom('daily_count')
    .select(({ fn }) => ['what', fn.sum<number | string>('count').as('sum')])
    .where('day', '>=', first.name)
    .where('day', '<=', last.name)
    .groupBy('what')
    .execute();
  const sum = (what: string) => Number(sums.find((row) => row.what === what)?.sum ?? 0);
  return {
    first,
    last,
    received: await count('received_at', false),
    delivered: await count('sent_at', false),
    spam: await count('received_at', true),
    counted: sums.length > 0 ? { visits: sum('visit'), messages: sum('message') } : undefined,
    waiting: inState('waiting'),
    setAside: inState('set_aside'),
    oldestUndeliveredAt:
      undelivered.length > 0 ? Math.min(...undelivered.map((row) => row.oldest)) : undefined,
  };
}
