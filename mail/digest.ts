import type { Database } from '../messages/database.ts';
import { countBetween } from '../messages/figures.ts';
import { countAstray } from '../messages/mailbox.ts';
import { countUndelivered, eachMessage } from '../messages/queries.ts';
import { readAnswers } from './answers.ts';
import { type Day, dayAt, daysAfter } from './day.ts';

/** The figures for some days, without erased messages, and who and what waits now. Nothing in it is personal. */
export type Digest = Awaited<ReturnType<typeof readDigest>>;

type Days = { first: Day; last: Day };

/** Yesterday, or the last seven whole days. */
export function daysBefore(time: number, days: 1 | 7, timeZone: string): Days {
  const today = dayAt(time, timeZone);
  return { first: daysAfter(today, -days, timeZone), last: daysAfter(today, -1, timeZone) };
}

/** How many of those who wait are listed. */
const LISTED = 5;

export async function readDigest(database: Pick<Database, 'db'>, { first, last }: Days, now: number) {
  return {
    first,
    last,
    ...(await countUndelivered(database)),
    // Overrides the total spam count with the count for these days.
    ...(await countBetween(database, first.startsAt, last.endsAt)),
    ...(await readAnswers(database, now)),
    ...(await countAstray(database, now)),
    longestWaits: await longestWaits(database),
  };
}

type Wait = { id: string; receivedAt: number; answerDueAt: number };

async function longestWaits(database: Pick<Database, 'db'>): Promise<Wait[]> {
  const waits: Wait[] = [];
  for await (const message of eachMessage(database, { unanswered: true }, 'oldest first')) {
    const { id, receivedAt, answerDueAt } = message;
    if (answerDueAt !== null) waits.push({ id, receivedAt, answerDueAt });
    if (waits.length === LISTED) break;
  }
  return waits;
}
