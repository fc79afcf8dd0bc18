import type { Expression, SqlBool } from 'kysely';
import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../contract/time.ts';
import { idOf, openWith, placesOf } from '../../tests/support/database/message-rows.ts';
import { START } from '../../tests/support/service.ts';
import { eachMessage, pageOfMessages, toRemind } from './queries.ts';
import { answerDueAt, isAnswered, isAny, isFrom, isIn, isUnanswered } from './table.ts';

const listed = async (...asked: Parameters<typeof eachMessage>) =>
  placesOf(await Array.fromAsync(eachMessage(...asked)));

test('each list has the messages that its rule selects, and a search ignores case and accents', async () => {
  const database = await openWith([
    { state: 'sent', sent_at: START, received_at: START - 1 },
    { email: 'ANA@example.org', message: 'Đặng, Straße in Köln' },
    { state: 'spam' },
    { answered_at: START },
    { message: 'I can’t find “three”\n\nأحمد' },
    { answered_at: START },
    { name: 'Köln', email: 'bo@example.org' },
  ]);
  const found = (which: Expression<SqlBool>) => listed(database, which, 'oldest first');
  expect(await found(isIn('sent'))).toEqual([0]);
  expect(await found(isIn('spam'))).toEqual([2]);
  expect(await found(isFrom('Ana@Example.org'))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await found(isUnanswered)).toEqual([0, 1, 4, 6]);
  const { rows: all } = await pageOfMessages(database, {}, 'oldest first', { most: 9 });
  expect(placesOf(all.filter((message) => answerDueAt(message) === START + DAY))).toEqual([1, 4, 6]);
  expect(placesOf(all.filter((message) => answerDueAt(message) === null))).toEqual([2, 3, 5]);
  expect(await found(isAnswered)).toEqual([3, 5]);
  const search = async (text: string) =>
    placesOf((await pageOfMessages(database, { text }, 'oldest first', { most: 9 })).rows);
  expect(await search('KÖLN')).toEqual([1, 6]);
  for (const typed of ['ko\u0308ln', 'Koln']) expect(await search(typed)).toEqual([1, 6]);
  for (const typed of ['I CAN\'T FIND "', 'can’t find “', 'three” احمد'])
    expect(await search(typed)).toEqual([4]);
  for (const typed of ['köln  ana', 'Dang', 'STRASSE']) expect(await search(typed)).toEqual([1]);
});

test('a long list has each message once, pages follow each other, and a search that ends early says where to continue', async () => {
  const rows = Array.from({ length: 1_200 }, (_, location) => (location === 3 ? { name: 'Rare' } : {}));
  const database = await openWith(rows);
  const places = [...rows.keys()];
  expect(await listed(database, isAny, 'oldest first')).toEqual(places);
  expect(await listed(database, isAny, 'newest first')).toEqual(places.toReversed());
  type Asked = Parameters<typeof pageOfMessages>;
  const page = async (filter: Asked[1], options: Asked[3]) => {
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

test('the owner is reminded of the oldest mailed messages, up to a daily limit, whatever clock noted them', async () => {
  const sent = { state: 'sent', sent_at: START } as const;
  const database = await openWith([
    { ...sent, seen_at: START - 2 },
    // Long past, or by a slow clock: the daily mail names it.
    { ...sent, received_at: START - 3 * DAY },
    { ...sent, reminded_at: START - DAY },
    // By a fast clock.
    { ...sent, reminded_at: START + 2 * HOUR },
    // Long past, too, though it came by a fast clock.
    { ...sent, seen_at: START - 3 * DAY },
    // Its time was longer.
    { ...sent, received_at: START - 3 * DAY, reply_hours: 37 },
    // Just now, by another server.
    { ...sent, reminded_at: START + 1 },
  ]);
  const remind = async (now: number, mostADay: number) => placesOf(await toRemind(database, now, mostADay));
  expect(await remind(START, 5)).toEqual([5, 0, 3]);
  expect(await remind(START, 1)).toEqual([5]);
  // The reminder of a day ago counts until the day is over.
  expect(await remind(START - 1, 2)).toEqual([5]);
  expect(await remind(START - 1, 0)).toEqual([]);
});
