import { describe, expect, test } from 'vitest';
import { DAY } from '../../contract/time.ts';
import { idOf, openWith } from '../../tests/support/database/message-rows.ts';
import { ENGINES, type Engine, newDatabase, openAt } from '../../tests/support/database/new-database.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { MESSAGE, START } from '../../tests/support/service.ts';
import type { Database } from './database.ts';
import { eraseMessages } from './erase.ts';
import { markSpam, notSpam, requeue, setAnswered } from './owner.ts';
import { countUnanswered } from './queries.ts';
import { isFrom, isInHand, isOld, LONGEST_WAIT_MS, type Message } from './table.ts';

const LEASE = 120_000;
const ANSWERED_AT = START + 5_000;
const LATER = START + 60_000;

/** A message in each of its states, and where it is. `waiting` comes last, or it would be claimed. */
const BEFORE = {
  'in hand': 'in hand',
  failed: 'waiting',
  'set aside': 'set_aside',
  delivered: 'sent',
  'spam in hand': 'spam',
  'spam delivered': 'spam',
  spam: 'spam',
  waiting: 'waiting',
};
type Place = keyof typeof BEFORE;
const PLACES = Object.keys(BEFORE) as Place[];

async function openWithAll(engine: Engine) {
  const database = await openAt(await newDatabase(engine));
  const store = createStore(database);
  const ids = new Map<Place, string>();
  const claims = new Map<Place, Message>();
  for (const location of PLACES) {
    const heldFor = location === 'spam' ? (['trap'] as const) : [];
    const { id } = await store.add({ ...MESSAGE, message: location }, { now: START, heldFor });
    ids.set(location, id);
    if (location === 'spam' || location === 'waiting') continue;
    const claim = await store.claim(START, LEASE);
    if (claim?.id !== id) throw new Error(`${location} was not claimed`);
    claims.set(location, claim);
    const waitMs = LATER + LEASE - Date.now();
    if (location === 'failed') await store.markFailed(claim, waitMs, 'retry smtp-451', START);
    if (location === 'set aside') await store.setAside(claim, 'refused smtp-550');
    if (location.endsWith('delivered')) await store.markSent(claim, START);
    if (location.startsWith('spam')) await markSpam(database, id, START);
  }
  return { database, store, ids, claims };
}

async function places(database: Database, ids: Map<Place, string>) {
  const found: Partial<Record<Place, string>> = {};
  for (const [location, id] of ids) {
    const which = database.db.selectFrom('contact_message').where('id', '=', id);
    const row = await which.select(['state', isInHand(LATER).as('inHand')]).executeTakeFirst();
    if (row) found[location] = row.inHand ? 'in hand' : row.state;
  }
  return found;
}

type Change = (database: Database, id: string) => Promise<boolean>;

const CHANGES: [string, Change, after: Partial<Record<Place, string>>][] = [
  [
    'sent again',
    (database, id) => requeue(database, id, LATER),
    { failed: 'waiting', 'set aside': 'waiting', delivered: 'waiting', waiting: 'waiting' },
  ],
  [
    'marked as spam',
    (database, id) => markSpam(database, id, LATER),
    // Even what was only suspected.
    Object.fromEntries(PLACES.filter((place) => !place.startsWith('spam ')).map((place) => [place, 'spam'])),
  ],
  [
    'taken from the spam',
    (database, id) => notSpam(database, id, LATER),
    { 'spam in hand': 'in hand', 'spam delivered': 'sent', spam: 'waiting' },
  ],
];

describe.each(ENGINES)('on %s', (engine) => {
  test.each(CHANGES)('a message is %s from these states, and from no others', async (_, change, after) => {
    const { database, ids } = await openWithAll(engine);
    expect(await places(database, ids)).toEqual(BEFORE);
    for (const location of PLACES)
      expect(await change(database, ids.get(location) ?? ''), location).toBe(location in after);
    expect(await places(database, ids)).toEqual({ ...BEFORE, ...after });
  });

  test('a message can be answered in any state and stays in it, and the first answer’s time counts', async () => {
    const { database, ids } = await openWithAll(engine);
    const answerAll = async (at: number | null) => {
      const changed = await Array.fromAsync(ids.values(), (id) => setAnswered(database, id, at));
      const rows = await database.db.selectFrom('contact_message').select('answered_at').distinct().execute();
      return [...new Set(changed), ...rows.map(({ answered_at }) => answered_at)];
    };
    const counted = () => countUnanswered(database, START + DAY);
    expect(await counted()).toEqual({ unanswered: 5, late: 5 });
    expect(await answerAll(null)).toEqual([false, null]);
    expect(await answerAll(ANSWERED_AT)).toEqual([true, ANSWERED_AT]);
    expect(await answerAll(LATER)).toEqual([false, ANSWERED_AT]);
    expect(await places(database, ids)).toEqual(BEFORE);
    expect(await counted()).toMatchObject({ unanswered: 0, late: 0 });
    expect(await answerAll(null)).toEqual([true, null]);
    expect(await setAnswered(database, 'gone', LATER)).toBe(false);
  });

  test('only whoever has a message in hand marks it, and a mail that went out is never sent twice', async () => {
    const { database, store, ids, claims } = await openWithAll(engine);
    const inHand: Place[] = ['in hand', 'spam in hand'];
    for (const location of inHand) {
      const claim = claims.get(location);
      if (!claim) throw new Error('not claimed');
      const earlier = { ...claim, attempts: claim.attempts - 1 };
      expect(await store.markSent(earlier, LATER)).toBe(false);
      expect(await store.setAside(earlier, 'refused smtp-550')).toBe(false);
      expect(await store.markSent(claim, LATER)).toBe(true);
      expect(await store.putOff(claim, 0)).toBe(false);
    }
    expect(await places(database, ids)).toEqual({ ...BEFORE, 'in hand': 'sent' });
    expect(await notSpam(database, ids.get('spam in hand') ?? '', LATER)).toBe(true);
  });

  test('age erases delivered messages, and set-aside or spam ones that she was told about; an address or an id erases all, and overwrites it', async () => {
    const { database, ids } = await openWithAll(engine);
    const old = isOld(START + 1);
    await database.db.updateTable('contact_message').set({ seen_at: START }).execute();
    expect(await eraseMessages(database, old, ''), 'delivered or judged').toMatchObject({ messages: 3 });
    await database.db.updateTable('contact_message').set({ opened_at: START }).execute();
    expect(await eraseMessages(database, old, '')).toMatchObject({ messages: 2 });
    const left = { 'in hand': 'in hand', failed: 'waiting', waiting: 'waiting' };
    expect(await places(database, ids)).toEqual(left);
    const erased = await eraseMessages(database, isFrom(MESSAGE.email), '');
    expect(erased).toMatchObject({ messages: 3, overwritten: true });
    expect(await places(database, ids)).toEqual({});
    if (database.engine === 'sqlite') return;
    // A vacuum leaves nothing of an empty table.
    const size = await database.pool.query("select pg_relation_size('contact_message')::int as bytes");
    expect(size.rows).toEqual([{ bytes: 0 }]);
  });
});

test('what’s put back starts over, and what the owner has judged is no longer held as suspected spam', async () => {
  const tried = { failures: 5, first_failure_at: START + 1, last_error: 'retry smtp-451' };
  const database = await openWith([
    { ...tried, state: 'set_aside', next_attempt_at: START + DAY },
    { ...tried, state: 'sent', sent_at: START + 2 },
    { ...tried, state: 'spam', held_for: 'trap' },
    { state: 'spam', held_for: 'trap' },
  ]);
  await requeue(database, idOf(0), START);
  await requeue(database, idOf(1), START);
  await notSpam(database, idOf(2), START + 9);
  await markSpam(database, idOf(3), START + 9);
  const anew = { failures: 0, first_failure_at: null, last_error: null, sent_at: null };
  const queued = { ...anew, state: 'waiting', next_attempt_at: 0 };
  const judged = { held_for: null, judged_at: START + 9 };
  const rows = database.db.selectFrom('contact_message').selectAll().orderBy('id');
  const spam = { state: 'spam', ...judged };
  expect(await rows.execute()).toMatchObject([queued, queued, { ...queued, ...judged }, spam]);
});

test('what’s in hand isn’t requeued, and an impossibly long lease was set by a fast clock', async () => {
  const until = (ms: number) => ({ attempts: 1, next_attempt_at: START + ms });
  const database = await openWith([until(LONGEST_WAIT_MS), until(LONGEST_WAIT_MS + 1)]);
  const requeued = [0, 1].map((at) => requeue(database, idOf(at), START));
  expect(await Promise.all(requeued)).toEqual([false, true]);
});
