import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { ENGINES, newDatabase, openAt } from '../../tests/support/database/new-database.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { MESSAGE, openTestService, START, setTime, stopClocks } from '../../tests/support/service.ts';
import type { Database } from './database.ts';
import { noteDone } from './last-done.ts';
import { markSpam } from './owner.ts';
import { countMessages } from './queries.ts';

const LEASE = 120_000;

describe.each(ENGINES)('on %s', (engine) => {
  async function open(url?: string) {
    const database = await openAt(url ?? (await newDatabase(engine)));
    return { database, store: createStore(database) };
  }

  test('what’s written together is stored together or not at all', async () => {
    const { database } = await open();
    const { db, write } = database;
    await noteDone(database, 'checked', START);
    const wrong = db.insertInto('contact_message').values({ id: 'x' } as never);
    await expect(write(db.deleteFrom('last_done'), wrong)).rejects.toThrow(/null/i);
    expect(await db.selectFrom('last_done').selectAll().execute()).toHaveLength(1);
  });

  test('a stored message is in the database, word for word, before the promise resolves', async () => {
    const url = await newDatabase(engine);
    const { store } = await open(url);
    const message = { ...MESSAGE, name: 'Zoë 👩🏽‍🔧', message: 'one\n\n  two' };
    const { id } = await store.add(message, { now: START });
    await store.add(MESSAGE, { now: START + 1, heldFor: ['trap', 'copies'], sentBefore: 3 });
    const { database: others } = await open(url);
    const rows = others.db.selectFrom('contact_message').selectAll().orderBy('received_at');
    expect(await rows.execute()).toMatchObject([
      {
        ...message,
        ...{ id, state: 'waiting', held_for: null, received_at: START, sent_before: 0, next_attempt_at: 0 },
        ...{ attempts: 0, failures: 0, message_id: `<${id}@example.com>` },
      },
      { ...MESSAGE, state: 'spam', held_for: 'trap copies', sent_before: 3 },
    ]);
  });

  test('the same content within ten minutes, before or after, is one message, so a fast clock swallows none', async () => {
    const { store } = await open();
    const { id } = await store.add(MESSAGE, { now: START });
    for (const within of [10 * MINUTE - 1, 1 - 10 * MINUTE])
      expect(await store.add(MESSAGE, { now: START + within })).toEqual({ id, duplicate: true });
    for (const without of [10 * MINUTE, -10 * MINUTE])
      expect(await store.add(MESSAGE, { now: START + without })).toMatchObject({ duplicate: false });
    const other = await store.add({ ...MESSAGE, message: 'Another' }, { now: START });
    expect([other.duplicate, (await store.counts()).waiting]).toEqual([false, 4]);
  });

  test('ids go by the times of messages, even once a fast clock is right again', async () => {
    const { store } = await open();
    const ids: string[] = [];
    for (const [index, now] of [START + DAY, START, START].entries())
      ids.push((await store.add({ ...MESSAGE, message: `${index}` }, { now })).id);
    expect(ids.toSorted()).toEqual([ids[1], ids[2], ids[0]]);
  });

  test('other words under a known Idempotency-Key are stored, and sending either again finds its own', async () => {
    const { store } = await open();
    const keyed = (change: Partial<typeof MESSAGE>, now: number) =>
      store.add({ ...MESSAGE, ...change }, { now, idempotencyKey: 'guessed' });
    const first = await keyed({}, START);
    const second = await keyed({ message: 'Other words' }, START + 1);
    const third = await keyed({ email: 'somebody@example.net' }, START + 2);
    expect([first, second, third].map(({ duplicate }) => duplicate)).toEqual([false, false, false]);
    const later = START + 60 * MINUTE;
    expect(await keyed({ message: 'Other words' }, later)).toEqual({ id: second.id, duplicate: true });
    expect(await keyed({}, later)).toEqual({ id: first.id, duplicate: true });
    expect((await store.counts()).waiting).toBe(3);
  });

  test.each([
    ['under the same key', 'one', 'one'],
    ['under another key', 'one', 'two'],
    ['without a key', undefined, undefined],
  ])('a held message that a person sends again %s is itself mailed at once', async (_, key, again) => {
    const { store } = await open();
    const held = await store.add(MESSAGE, { now: START + MINUTE, heldFor: ['fast'], idempotencyKey: key });
    expect(await store.claim(START + MINUTE, LEASE)).toBeUndefined();
    // By a clock that was fast and is right now.
    const resent = { now: START, idempotencyKey: again };
    expect(await store.add(MESSAGE, resent)).toEqual({ id: held.id, duplicate: false });
    expect(await store.add(MESSAGE, resent)).toEqual({ id: held.id, duplicate: true });
    expect(await store.counts()).toMatchObject({ spam: 0, waiting: 1 });
    expect(await store.claim(START, LEASE)).toMatchObject({ id: held.id, held_for: null });
    expect(await store.claim(START, LEASE)).toBeUndefined();
  });

  test('a held message that’s held again stays held, and one that’s to be mailed is never held because of its twin', async () => {
    const { store } = await open();
    const held = { now: START, heldFor: ['trap'], idempotencyKey: 'one' } as const;
    const first = await store.add(MESSAGE, held);
    expect(await store.add(MESSAGE, held)).toEqual({ id: first.id, duplicate: true });
    const other = { ...MESSAGE, message: 'Another' };
    const mailed = await store.add(other, { now: START, idempotencyKey: 'two' });
    for (const idempotencyKey of ['two', 'three', undefined])
      expect(await store.add(other, { ...held, idempotencyKey })).toEqual({ id: mailed.id, duplicate: true });
    expect(await store.counts()).toMatchObject({ spam: 1, waiting: 1 });
  });

  // Before it's sent again, before it's looked for, and before it's released.
  test.each([
    [0, 1],
    [1, 0],
    [0, 2],
  ])('what the owner calls spam, even just then, swallows no person’s message', async (after, before) => {
    const { database, store: usual } = await open();
    const { id } = await usual.add(MESSAGE, { now: START, heldFor: ['fast'], idempotencyKey: 'one' });
    let writes = 0;
    const write: Database['write'] = async (...changes) => {
      writes += 1;
      if (writes === before) await markSpam(database, id, START);
      const written = await database.write(...changes);
      if (writes === after) await markSpam(database, id, START);
      return written;
    };
    const store = createStore({ ...database, write });
    const again = { now: START + 1, idempotencyKey: 'one' };
    const answer = await store.add(MESSAGE, again);
    expect(answer).toEqual({ id: expect.not.stringMatching(id), duplicate: false });
    expect(await store.add(MESSAGE, again)).toEqual({ id: answer.id, duplicate: true });
    expect(await store.counts()).toMatchObject({ spam: 1, waiting: 1 });
    expect(await store.claim(START, LEASE)).toMatchObject({ id: answer.id });
  });

  test('submissions that race on several stores are one message per content, whatever their key', async () => {
    const url = await newDatabase(engine);
    const { database, store } = await open(url);
    const stores = [store];
    while (stores.length < 4) stores.push((await open(url)).store);
    // No connection times out, however busy the machine is.
    stopClocks('setTimeout', 'clearTimeout', 'performance');
    for (let round = 0; round < 10; round += 1) {
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          // Even rounds match by content. In odd rounds, all share a key, and every second one shares its content too.
          stores[index % 4]?.add(
            { ...MESSAGE, message: round % 2 && index % 2 ? randomUUID() : `round ${round}` },
            { now: START, idempotencyKey: round % 2 ? `key ${round}` : undefined },
          ),
        ),
      );
      const messages = round % 2 ? 7 : 1;
      expect(new Set(results.map((result) => result?.id)).size).toBe(messages);
      expect(results.filter((result) => !result?.duplicate)).toHaveLength(messages);
    }
    expect(await countMessages(database)).toBe(5 * 1 + 5 * 7);
  });

  test('no more are claimed than may be mailed in an hour, counting those in hand but not what a fast clock noted', async () => {
    const { store } = await open();
    for (const message of ['one', 'two', 'three']) await store.add({ ...MESSAGE, message }, { now: START });
    for (const sentAt of [START + 365 * DAY, START]) {
      const claimed = await store.claim(START, LEASE, 2);
      if (claimed) await store.markSent(claimed, sentAt);
    }
    expect(await store.claim(START, LEASE, 2, ['one'])).toBeUndefined();
    expect(await store.claim(START, LEASE, 2)).toBeDefined();
  });

  test('what a fast clock put off is mailed within a minute', async () => {
    const mail = await untilEnd(startSmtpServer());
    const env = { SMTP_URL: mail.url, DATABASE_URL: await newDatabase(engine) };
    const { store, outbox, trouble } = await openTestService(env);
    const ahead = START + 365 * DAY;
    setTime(ahead);
    await store.add({ ...MESSAGE, message: 'failed' }, { now: ahead });
    await mail.goDown();
    expect(await outbox.runDue()).toMatchObject({ failed: 1 });
    await store.add({ ...MESSAGE, message: 'in hand at a kill' }, { now: ahead });
    expect(await store.claim(ahead, LEASE)).toBeDefined();
    await mail.comeBack();
    for (const now of [START, START + MINUTE]) {
      setTime(now);
      await outbox.runDue();
      await trouble.check(now);
    }
    expect(mail.received).toHaveLength(2);
    expect(await store.counts()).toMatchObject({ waiting: 0 });
  });
});

test('on Postgres, the database’s clock says what’s due, and when a lease ends', async () => {
  const url = await newDatabase('postgres');
  const [fast, slow] = [createStore(await openAt(url)), createStore(await openAt(url))];
  const now = Date.now();
  // A clock an hour fast delays nothing; one a day slow finds what's due, and one a day fast doesn't claim it again.
  await fast.add(MESSAGE, { now: now + HOUR });
  setTime(now - DAY);
  expect(await slow.claim(undefined, MINUTE)).toMatchObject(MESSAGE);
  setTime(now + DAY);
  expect(await fast.claim(undefined, MINUTE)).toBeUndefined();
});
