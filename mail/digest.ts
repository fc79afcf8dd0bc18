import type { Database } from '../messages/database.ts';
import { countBetween, countsOfDays } from '../messages/figures.ts';
import { countUndelivered } from '../messages/queries.ts';
import { type Day, dayAt, daysAfter } from './day.ts';

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
  database: Pick<Database, 'db'>,
  { first, last }: Pick<Digest, 'first' | 'last'>,
): Promise<Digest> {
  const { waiting, setAside, oldestUndeliveredAt } = await countUndelivered(database);
  const counted = await countsOfDays(database, first.name, last.name);
  return {
    first,
    last,
    ...(await countBetween(database, first.startsAt, last.endsAt)),
    counted: counted && { visits: counted.visits, messages: counted.messages },
    waiting,
    setAside,
    oldestUndeliveredAt,
  };
}
