import type { Expression, SqlBool } from 'kysely';
import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../contract/time.ts';
import { idOf, openWith, placesOf, rowAt } from '../../tests/support/database/message-rows.ts';
import { START } from '../../tests/support/service/open-test-service.ts';
import type { Database } from './database.ts';
import { forget, lastDoneAt, noteDone, takeTurn } from './last-done.ts';
import { setTold } from './owner.ts';
import {
  countUnanswered,
  countUnsent,
  eachMessage,
  type Filter,
  failingSince,
  pageOfMessages,
  toRemind,
  unreported,
} from './queries.ts';
import { answerDueAt, isAnswered, isAny, isFrom, isIn, isUnanswered } from './table.ts';

type Order = 'newest first' | 'oldest first';

/** Which messages a list has, in its order. */
async function listed(database: Database, which: Expression<SqlBool>, order: Order) {
  const places: number[] = [];
  for await (const message of eachMessage(database, which, order)) places.push(...placesOf([message]));
  return places;
}

test('each list has the messages that its rule names, and a search finds words in any case and spelling', async () => {
  const database = await openWith([
    { state: 'sent', sent_at: START, received_at: START - 1 },
    { email: 'ANA@example.org', message: 'Straße in Köln' },
    { state: 'spam' },
    { answered_at: START },
    {},
    { answered_at: START },
    { name: 'Köln', email: 'bo@example.org' },
  ]);
  const found = (which: Expression<SqlBool>) => listed(database, which, 'oldest first');
  expect(await found(isIn('sent'))).toEqual([0]);
  expect(await found(isIn('spam'))).toEqual([2]);
  expect(await found(isFrom('Ana@Example.org'))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await found(isUnanswered)).toEqual([0, 1, 4, 6]);
  expect(await found(isAnswered)).toEqual([3, 5]);
  const search = async (text: string) =>
    placesOf((await pageOfMessages(database, { text }, 'oldest first', { most: 9 })).rows);
  expect(await search('KÖLN')).toEqual([1, 6]);
  expect(await search('ko\u0308ln')).toEqual([1, 6]);
  expect(await search('souza\nana')).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a long list has each message once, pages follow each other, and a search that ends early says where to go on', async () => {
  const rows = Array.from({ length: 1_200 }, (_, location) => (location === 3 ? { name: 'Rare' } : {}));
  const database = await openWith(rows);
  const places = [...rows.keys()];
  expect(await listed(database, isAny, 'oldest first')).toEqual(places);
  expect(await listed(database, isAny, 'newest first')).toEqual(places.toReversed());
  const page = async (filter: Filter, options: Parameters<typeof pageOfMessages>[3]) => {
    const { rows: found, ...rest } = await pageOfMessages(database, filter, 'newest first', options);
    return { places: placesOf(found), ...rest };
  };
  const first = await page({ which: isAny }, { most: 2 });
  expect(first).toEqual({ places: [1_199, 1_198], next: idOf(1_198) });
  expect((await page({ which: isAny }, { most: 2, after: first.next })).places).toEqual([1_197, 1_196]);
  expect(await page({ which: isAny }, { most: 1_200 })).not.toHaveProperty('next');

  const early = await page({ text: 'rare' }, { most: 5, limit: 1_000 });
  expect(early).toEqual({ places: [], next: idOf(200), searched: 1_000 });
  const rest = await page({ text: 'rare' }, { most: 5, limit: 1_000, after: early.next });
  expect(rest).toEqual({ places: [3] });
  // Words that many messages have don't reach the limit.
  expect(await page({ text: 'ana' }, { most: 5, limit: 1_000 })).not.toHaveProperty('searched');
});

test('the owner is reminded of the oldest that were mailed, and of no more in a day than that, whatever clock noted them', async () => {
  const sent = { state: 'sent', sent_at: START } as const;
  const database = await openWith([
    { ...sent, seen_at: START - 3 },
    { ...sent, seen_at: START - 2 },
    { ...sent, received_at: START - 60 * DAY },
    { ...sent, reminded_at: START - DAY },
    // By a clock that was ahead.
    { ...sent, reminded_at: START + 1 },
    { ...sent, received_at: START - 1, answered_at: START },
    { received_at: START - 1 },
    { state: 'spam', sent_at: START },
  ]);
  const remind = async (now: number, mostADay: number) =>
    placesOf(await toRemind(database, now, { after: START - 3, mostADay }));
  expect(await remind(START, 5)).toEqual([2, 1]);
  expect(await remind(START, 1)).toEqual([2]);
  // The reminder of a day ago counts until the day is over.
  expect(await remind(START - 1, 2)).toEqual([2]);
  expect(await remind(START - 1, 1)).toEqual([]);
  expect(await remind(START - 1, 0)).toEqual([]);
});

test('what nobody was mailed is counted by its state, and who waits for an answer, late from the promised hour on', async () => {
  const database = await openWith([
    { state: 'set_aside', received_at: START - DAY },
    { state: 'waiting', received_at: START - DAY + 1 },
    { state: 'waiting', received_at: START - 2 * DAY, answered_at: START },
    { state: 'spam', received_at: START - 2 * DAY },
    { state: 'sent', received_at: START },
  ]);
  expect(await countUnsent(database)).toEqual({ waiting: 2, set_aside: 1, spam: 1 });
  expect(await countUnanswered(database, START)).toEqual({ unanswered: 3, late: 1, replyHours: 24 });
  const dueAt = (change: Parameters<typeof rowAt>[1]) => answerDueAt(rowAt(0, change), 24);
  expect(dueAt({})).toBe(START + DAY);
  expect([dueAt({ answered_at: START + 1 }), dueAt({ state: 'spam' })]).toEqual([null, null]);
  const none = await openWith([]);
  expect(await countUnsent(none)).toEqual({ waiting: 0, set_aside: 0, spam: 0 });
  expect(await countUnanswered(none, START)).toMatchObject({ unanswered: 0, late: 0 });
});

test('mails fail since the first failure of the oldest, unless a clock that was ahead wrote it', async () => {
  const database = await openWith([
    { last_error: 'retry smtp-451', first_failure_at: START - 2 },
    { last_error: 'setup smtp-535', received_at: START - 3 },
    { last_error: 'retry smtp-450', first_failure_at: START + 1 },
    { last_error: 'unreachable ETIMEDOUT', first_failure_at: START + DAY + 1 },
    { last_error: null, received_at: START - HOUR },
    { last_error: 'refused smtp-550', state: 'set_aside', received_at: START - HOUR },
  ]);
  expect(await failingSince(database, START, START + DAY)).toEqual({
    count: 3,
    oldestAt: START - 3,
    fault: 'setup smtp-535',
  });
  expect(await failingSince(database, START - 2)).toMatchObject({ count: 2 });
  expect(await failingSince(database, START - 4)).toEqual({ count: 0, oldestAt: 0, fault: null });
});

test('a turn is taken once in its time, whatever a clock that was ahead has noted', async () => {
  const database = await openWith([]);
  const take = (now: number) => takeTurn(database, 'alert', now, HOUR);
  for (const [at, isTaken] of [
    [START, true],
    [START + HOUR - 1, false],
    [START + HOUR, true],
    [START, false],
    [START - 1, true],
  ] as const)
    expect(await take(at)).toBe(isTaken);
  await forget(database, 'alert');
  expect(await lastDoneAt(database, 'alert')).toBeUndefined();
  await noteDone(database, 'backup', START);
  await noteDone(database, 'backup', START + 1);
  expect(await lastDoneAt(database, 'backup')).toBe(START + 1);
});

test('one mail counts all that the owner was not told of, and names the first, those that no mail brings before the late', async () => {
  const late = { state: 'waiting', received_at: START - 2 * DAY } as const;
  const ahead = { state: 'set_aside', received_at: START + 365 * DAY } as const;
  const database = await openWith([late, ahead, late, { state: 'sent' }, late]);
  const next = async (now: number) => {
    const { counts, first, ids } = await unreported(database, now, { most: 2, delivered: true });
    await setTold(database, 'listed', ids, START);
    return [counts.set_aside, counts.waiting, placesOf(first)];
  };
  // However far the clock is set back.
  expect([await next(START), await next(START - DAY)]).toEqual([
    [1, 3, [1, 0]],
    [0, 0, []],
  ]);
});
