import type { Database } from '../messages/database.ts';
import { countBetween, countsOfDays } from '../messages/figures.ts';
import { countUndelivered } from '../messages/queries.ts';
import { type Day, dayAt, daysAfter } from './day.ts';

/** The figures for some days, without erased messages, and the current state of the queue. */
export type Digest = Awaited<ReturnType<typeof readDigest>>;

type Days = { first: Day; last: Day };

/** Yesterday, or the last seven whole days. */
export function daysBefore(time: number, days: 1 | 7, timeZone: string): Days {
  const today = dayAt(time, timeZone);
  return { first: daysAfter(today, -days, timeZone), last: daysAfter(today, -1, timeZone) };
}

export async function readDigest(database: Pick<Database, 'db'>, { first, last }: Days) {
  const counted = await countsOfDays(database, first.name, last.name);
  return {
    first,
    last,
    ...(await countUndelivered(database)),
    // Overrides the total spam count with the count for these days.
    ...(await countBetween(database, first.startsAt, last.endsAt)),
    counted: counted && { visits: counted.visits, messages: counted.messages },
  };
}
