import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MINUTE } from '../../contract/time.ts';
import type { DatabaseSetting } from '../../settings/checks.ts';
import { createStore, openStore, type Store } from '../../tests/support/database/open-store.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { newPostgresDatabase, stopTime } from '../../tests/support/database/test-postgres.ts';
import { MESSAGE, START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import type { Database } from './database.ts';
import { openDatabase } from './open.ts';
import { markSpam } from './owner.ts';
import type { Message } from './table.ts';

const LEASE = 120_000;

/** Everything a store promises holds on either engine. */
describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  async function newDatabase(): Promise<DatabaseSetting> {
    if (engine === 'postgres') return { engine, url: await newPostgresDatabase() };
    return { engine, file: join(temporaryFolder(), 'contact.db') };
  }

  async function open(setting: DatabaseSetting): Promise<Store> {
    const store = await openStore(setting);
    onTestFinished(() => store.close());
    return store;
  }

  async function openBoth() {
    const database = await openDatabase(await newDatabase());
    onTestFinished(() => database.close());
    return { database, store: createStore(database) };
  }

  async function emptyStore(): Promise<Store> {
    return open(await newDatabase());
  }

  /** What's in the database, as read by another program. */
  async function stored(setting: DatabaseSetting): Promise<unknown[]> {
    const query = 'select * from contact_message';
    if (setting.engine === 'postgres') {
      // Postgres returns times as text.
      const rows = await runSql(setting.url, query);
      return rows.map((row) => ({ ...row, received_at: Number(row.received_at) }));
    }
    const sqlite = new Sqlite(setting.file, { readonly: true });
    onTestFinished(() => void sqlite.close());
    return sqlite.prepare<[]>(query).all();
  }

  test('a stored message is in the database, word for word, before the promise resolves', async () => {
    const setting = await newDatabase();
    const store = await open(setting);
    const message = { ...MESSAGE, name: 'Zoë 👩🏽‍🔧', message: 'one\n\n  two' };
    const { id } = await store.add(message, { now: START });
    expect(await stored(setting)).toEqual([
      expect.objectContaining({
        ...message,
        id,
        state: 'waiting',
        received_at: START,
        message_id: `<${id}@example.com>`,
        // The same in each version, so that an update doubles none.
        content_hash: 'EDZO2aqcpznmFlUkKipk3y1m6eZa1FUtxjP-7qK2bTU',
      }),
    ]);
  });

  test('the same content within ten minutes is one message', async () => {
    const store = await emptyStore();
    const first = await store.add(MESSAGE, { now: START });
    expect(await store.add(MESSAGE, { now: START + 10 * MINUTE - 1 })).toEqual({
      id: first.id,
      duplicate: true,
    });
    expect(await store.add(MESSAGE, { now: START + 10 * MINUTE })).toMatchObject({ duplicate: false });
    expect(await store.add({ ...MESSAGE, message: 'Another' }, { now: START })).toMatchObject({
      duplicate: false,
    });
    expect((await store.counts()).waiting).toBe(3);
  });

  test('a clock that was ahead and went back neither doubles a message nor swallows the same words later', async () => {
    const store = await emptyStore();
    const ahead = await store.add(MESSAGE, { now: START + 60 * 24 * 60 * MINUTE });
    const first = await store.add(MESSAGE, { now: START });
    expect(first.duplicate).toBe(false);
    expect(first.id).not.toBe(ahead.id);
    expect(await store.add(MESSAGE, { now: START - 10 * MINUTE + 1 })).toEqual({
      id: first.id,
      duplicate: true,
    });
    expect(await store.add(MESSAGE, { now: START - 10 * MINUTE })).toMatchObject({ duplicate: false });
  });

  test('other words under a known Idempotency-Key are stored, and sending either again finds its own', async () => {
    const store = await emptyStore();
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
  ])(
    'a held message that a person sends again %s is the one that is mailed, at once',
    async (_, key, again) => {
      const store = await emptyStore();
      const held = await store.add(MESSAGE, { now: START + MINUTE, heldFor: ['fast'], idempotencyKey: key });
      expect(await store.claim(START + MINUTE, LEASE)).toBeUndefined();
      // By a clock that was ahead and is right now.
      const resent = { now: START, idempotencyKey: again };
      expect(await store.add(MESSAGE, resent)).toEqual({ id: held.id, duplicate: false });
      expect(await store.add(MESSAGE, resent)).toEqual({ id: held.id, duplicate: true });
      expect(await store.counts()).toMatchObject({ spam: 0, waiting: 1 });
      expect(await store.claim(START, LEASE)).toMatchObject({ id: held.id, held_for: null });
      expect(await store.claim(START, LEASE)).toBeUndefined();
    },
  );

  test('a held message that is held again stays held, and one that is to be mailed is never held for its twin', async () => {
    const store = await emptyStore();
    const held = { now: START, heldFor: ['trap'], idempotencyKey: 'one' } as const;
    const first = await store.add(MESSAGE, held);
    expect(await store.add(MESSAGE, held)).toEqual({ id: first.id, duplicate: true });
    const other = { ...MESSAGE, message: 'Another' };
    const mailed = await store.add(other, { now: START, idempotencyKey: 'two' });
    for (const idempotencyKey of ['two', 'three', undefined])
      expect(await store.add(other, { ...held, idempotencyKey })).toEqual({ id: mailed.id, duplicate: true });
    expect(await store.counts()).toMatchObject({ spam: 1, waiting: 1 });
  });

  test('what the owner called spam swallows no message that a person sends, under its key either', async () => {
    const { database, store } = await openBoth();
    const spam = await store.add(MESSAGE, { now: START, heldFor: ['fast'], idempotencyKey: 'one' });
    await markSpam(database, spam.id, START);
    const again = { now: START + 1, idempotencyKey: 'one' };
    const first = await store.add(MESSAGE, again);
    expect(first).toEqual({ id: expect.not.stringMatching(spam.id), duplicate: false });
    expect(await store.add(MESSAGE, again)).toEqual({ id: first.id, duplicate: true });
    expect(await store.counts()).toMatchObject({ spam: 1, waiting: 1 });
  });

  // Before it's looked for, and before it's released.
  test.each([
    [1, 0],
    [0, 2],
  ])('a held message that the owner judges while it is sent again is stored anew', async (after, before) => {
    const { database, store: usual } = await openBoth();
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
    const answer = await store.add(MESSAGE, { now: START, idempotencyKey: 'one' });
    expect(await store.counts()).toMatchObject({ spam: 1, waiting: 1 });
    expect(await store.claim(START, LEASE)).toMatchObject({ id: answer.id });
  });

  test('messages are taken oldest first, each by one worker only', async () => {
    const store = await emptyStore();
    for (const [index, now] of [START + 2, START, START + 1].entries()) {
      await store.add({ ...MESSAGE, message: `message ${index}` }, { now });
    }
    const claims: (Message | undefined)[] = [];
    for (let count = 0; count < 5; count += 1) claims.push(await store.claim(START + 10, LEASE));
    expect(claims.map((claim) => claim?.message)).toEqual([
      'message 1',
      'message 2',
      'message 0',
      undefined,
      undefined,
    ]);
  });

  test('a message whose worker died can be taken again when its lease is over, and not before', async () => {
    const store = await emptyStore();
    await store.add(MESSAGE, { now: START });
    const first = await store.claim(START, LEASE);
    expect(await store.claim(START + LEASE - 1, LEASE)).toBeUndefined();
    const second = await store.claim(START + LEASE, LEASE);
    expect([first?.attempts, second?.attempts]).toEqual([1, 2]);
    expect(second?.message_id).toBe(first?.message_id);
  });

  test('submits that race on several stores are one message for each content, whatever their key', async () => {
    const setting = await newDatabase();
    const stores = [await open(setting), await open(setting), await open(setting), await open(setting)];
    stopTime();
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
    expect(await stored(setting)).toHaveLength(5 * 1 + 5 * 7);
  });

  test('no more are taken than may be mailed in an hour, whoever sent them', async () => {
    const setting = await newDatabase();
    const stores = [await open(setting), await open(setting), await open(setting)];
    stopTime();
    for (let index = 0; index < 7; index += 1)
      await stores[0]?.add({ ...MESSAGE, message: `message ${index}` }, { now: START });
    for (let index = 0; index < 5; index += 1) {
      const claimed = await stores[index % 3]?.claim(START, LEASE, 5);
      if (claimed) await stores[1]?.markSent(claimed, START);
    }
    expect(await stores[2]?.claim(START + 59 * MINUTE, LEASE, 5)).toBeUndefined();
    expect(await stores[2]?.claim(START + 60 * MINUTE, LEASE, 5, 5)).toBeUndefined();
    expect(await stores[2]?.claim(START + 60 * MINUTE, LEASE, 5, 4)).toBeDefined();
  });
});
