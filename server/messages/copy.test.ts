import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openWith } from '../../tests/support/database/message-rows.ts';
import { newDatabase, openAt, openFile } from '../../tests/support/database/new-database.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { storedRows } from '../../tests/support/database/stored-rows.ts';
import { MESSAGE, START, temporaryFolder } from '../../tests/support/service.ts';
import { backUp, restore } from './copy.ts';
import type { SqliteDatabase } from './database.ts';
import { noteDone } from './last-done.ts';
import { eachMessage, pageOfMessages } from './queries.ts';
import { isAny } from './table.ts';

const contentsOf = ({ sqlite }: SqliteDatabase) =>
  ['contact_message', 'last_done'].map((table) => sqlite.prepare(`select * from ${table} order by 1`).all());

test('what was done last comes from the backup, whatever the database it’s restored to had noted', async () => {
  const [theirs, target] = [await openWith([{}]), await openFile()];
  await noteDone(theirs, 'digest', START);
  await noteDone(target, 'alert', START);
  expect(await restore(target, theirs, async () => {})).toEqual({ messages: 1, waiting: 1 });
  expect(contentsOf(target)).toEqual(contentsOf(theirs));
});

test('while a backup is restored to Postgres, a server there waits with what visitors send', async () => {
  const url = await newDatabase('postgres');
  // The lock that an insert takes, without waiting for it.
  const insert = 'begin; lock table contact_message in row exclusive mode nowait; rollback';
  await restore(await openAt(url), await openWith([{}]), async () => {
    await expect(runSql(url, insert)).rejects.toMatchObject({ code: '55P03' });
  });
  await runSql(url, insert);
});

test('a backup, a search and an export let visitors in between, and their messages are stored', async () => {
  // More than one batch.
  const full = await openWith(Array.from({ length: 450 }, () => ({})));
  const store = createStore(full);
  const search = () => pageOfMessages(full, { text: 'nowhere' }, 'newest first', { most: 5 });
  const readAll = () => Array.fromAsync(eachMessage(full, isAny, 'oldest first'));
  // As the command does, in a process of its own.
  const another = await openFile(full.location);
  const backup = join(temporaryFolder(), 'backup.db');
  for (const work of [() => backUp(another, backup), search, readAll]) {
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
  expect(storedRows(backup).length, 'all that was there when it began').toBeGreaterThanOrEqual(450);
});

test.each([
  ['with an id that leads out of a folder', "update contact_message set id = '../../' || id", / id /],
  ['with a header in an id', "update contact_message set message_id = '<a@b>' || char(10) || 'b:'", / id /],
  ['with a column of a later version', 'alter table contact_message add column later text', /can’t take/],
  [
    'with a state of its own',
    "pragma ignore_check_constraints = on; update contact_message set state = 'x'",
    /can’t take/,
  ],
  ['of which not everything finds room', '', /full/],
])('nothing is restored from a backup %s', async (_, change, error) => {
  const theirs = await openWith([{}]);
  theirs.sqlite.exec(change);
  const target = await openFile();
  const bringTheRest = () => Promise.reject(new Error('The disk is full'));
  await expect(restore(target, theirs, bringTheRest)).rejects.toThrow(error);
  expect(contentsOf(target)).toEqual([[], []]);
});
