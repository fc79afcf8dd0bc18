import type { Database } from '../../server/messages/database.ts';
import { dayAt, daysAfter } from '../../server/messages/day.ts';
import { lastDoneAt } from '../../server/messages/last-done.ts';
import { answersOf, messageTimes } from '../../server/messages/unanswered.ts';
import { isOnServer } from '../desk.ts';
import { backupTaken } from '../doctor/backup.ts';

const DAYS = 30;

export type Figures = Awaited<ReturnType<typeof readFigures>>;

/** Of messages that came in the last 30 days, and how many came in those before. Durations are in milliseconds; null if there's nothing to measure. */
export async function readFigures(database: Database, timeZone: string) {
  const now = Date.now();
  const today = dayAt(now, timeZone);
  const first = daysAfter(today, 1 - DAYS, timeZone);
  const days = Array.from({ length: DAYS }, (_, index) => daysAfter(first, index, timeZone));
  const { startsAt } = daysAfter(first, -DAYS, timeZone);
  const known = await messageTimes(database, startsAt);
  const messages = known.filter(({ receivedAt }) => receivedAt >= first.startsAt);
  const delays = messages
    .flatMap(({ deliveredAt, receivedAt }) => (deliveredAt === null ? [] : [deliveredAt - receivedAt]))
    .toSorted((a, b) => a - b);
  return {
    ...answersOf(messages, now),
    before: known.length - messages.length,
    medianDeliveryMs: delays[Math.floor((delays.length - 1) / 2)] ?? null,
    backup: isOnServer() && backupTaken(await lastDoneAt(database, 'backup-taken'), now),
    // In the owner's time zone, today last.
    days: days.map(({ name, startsAt, endsAt }) => ({
      day: name,
      received: messages.filter(({ receivedAt }) => receivedAt >= startsAt && receivedAt < endsAt).length,
    })),
  };
}
