import type { Database } from '../messages/database.ts';
import { countBetween, countsOfDays } from '../messages/figures.ts';
import { countUndelivered } from '../messages/queries.ts';
import { type Day, dayAt, daysAfter } from './day.ts';

/** The figures of some days, without what has been erased since, and how things stand at the moment. */
export type Digest = Awaited<ReturnType<typeof readDigest>>;

/** The first and the last day; the same for a digest of one day. */
type Days = { first: Day; last: Day };

/** The last whole day before a time, or the last seven, by the clock of that zone. */
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
    // Its spam is of those days, and in place of all.
    ...(await countBetween(database, first.startsAt, last.endsAt)),
    counted: counted && { visits: counted.visits, messages: counted.messages },
  };
}
