import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openWith, storedTexts } from '../../tests/support/database/message-rows.ts';
import { openFile } from '../../tests/support/database/new-database.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { MESSAGE, START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { backUp, restore, withBackup } from './copy.ts';
import type { SqliteDatabase } from './database.ts';
import { noteDone } from './last-done.ts';
import { eachMessage, pageOfMessages } from './queries.ts';
import { isAny } from './table.ts';

const HELD = 450;

/** More of everything than is copied at once. */
async function openFull(): Promise<SqliteDatabase> {
  const database = await openWith(
    Array.from({ length: HELD }, (_, index) => (index < 2 ? { state: 'spam', held_for: 'trap' } : {})),
  );
  await noteDone(database, 'digest', START);
  return database;
}

/** All that's worth keeping. */
const contentsOf = ({ sqlite }: SqliteDatabase) =>
  ['contact_message', 'last_done'].map((table) => sqlite.prepare(`select * from ${table} order by 1`).all());

test('a backup holds everything, in one file, and fills an empty database again', async () => {
  const full = await openFull();
  const folder = temporaryFolder();
  const file = join(folder, 'backup.db');
  expect(await backUp(full, file)).toBe(HELD);
  expect(readdirSync(folder)).toEqual(['backup.db']);
  expect(storedTexts(file)).toHaveLength(HELD);

  const empty = await openFile();
  await noteDone(empty, 'alert', START);
  const restored = await withBackup(file, 'backup.db', (backup) => restore(empty, backup));
  expect(restored).toEqual({ messages: HELD, waiting: HELD - 2 });
  expect(contentsOf(empty)).toEqual(contentsOf(full));
  expect(contentsOf(full).map((rows) => rows.length)).toEqual([HELD, 1]);
});

test('a backup, a search and an export let visitors in between, and their messages are stored', async () => {
  const full = await openFull();
  const store = createStore(full);
  const search = () => pageOfMessages(full, { text: 'nowhere' }, 'newest first', { most: 5 });
  const readAll = async () => {
    for await (const _ of eachMessage(full, isAny, 'oldest first'));
  };
  for (const work of [() => backUp(full, join(temporaryFolder(), 'backup.db')), search, readAll]) {
    let isOver = false;
    const done = work().finally(() => {
      isOver = true;
    });
    let stored = 0;
    for (; !isOver; stored += 1) {
      const message = { ...MESSAGE, message: `${work} ${stored}` };
      expect(await store.add(message, { now: START })).toMatchObject({ duplicate: false });
      await setImmediate();
    }
    await done;
    expect(stored, String(work)).toBeGreaterThan(1);
  }
});

test.each([
  ['with an id that leads out of a folder', "update contact_message set id = '../../' || id", /an id/],
  [
    'with a header in an id',
    "update contact_message set message_id = '<a@b>' || char(10) || 'Bcc: x@y.z'",
    /an id/,
  ],
  ['with a column of a later version', 'alter table contact_message add column later text', /can’t take/],
  [
    'with a state of its own',
    "pragma ignore_check_constraints = on; update contact_message set state = 'x'",
    /can’t take/,
  ],
  ['of which not everything finds room', '', /full/],
])('of a backup %s, nothing is restored', async (_, change, error) => {
  const theirs = await openWith([{}]);
  theirs.sqlite.exec(change);
  const target = await openFile();
  const bringTheRest = () => Promise.reject(new Error('The disk is full'));
  await expect(restore(target, theirs, bringTheRest)).rejects.toThrow(error);
  expect(contentsOf(target)).toEqual([[], []]);
});
