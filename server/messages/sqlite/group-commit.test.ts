import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../../../tests/support/database/open-store.ts';
import {
  call,
  MESSAGE,
  openTestService,
  START,
  temporaryFolder,
} from '../../../tests/support/service/open-test-service.ts';
import { type Clock, machineClock } from '../../clock.ts';
import { codeOf } from '../store-error.ts';
import { createGroupCommit } from './group-commit.ts';

function numbers({ confirmPlace = (): void => undefined, clock = machineClock } = {}) {
  const sqlite = new Database(join(temporaryFolder(), 'numbers.db'));
  onTestFinished(() => void sqlite.close());
  sqlite.exec('create table number (value integer unique)');
  const insert = sqlite.prepare<[number]>('insert into number values (?)');
  const exec = vi.spyOn(sqlite, 'exec');
  const write = createGroupCommit({ sqlite, confirmPlace, clock });
  const add = (value: number) => write(() => insert.run(value).changes);
  return {
    sqlite,
    write,
    add,
    commits: () => exec.mock.calls.filter(([text]) => text === 'commit').length,
    stored: () => sqlite.prepare('select value from number order by value').pluck().all(),
  };
}

test('whoever has waited as long as the database would fails, and the others go on waiting', async () => {
  let ticks = 0;
  const pending: { ms: number; run: () => void }[] = [];
  const clock: Clock = {
    ...machineClock,
    ticks: () => ticks,
    soon: (run) => void pending.push({ ms: 0, run }),
    after(ms, run) {
      pending.push({ ms, run });
      return () => undefined;
    },
  };
  const { sqlite, add, stored } = numbers({ clock });
  sqlite.pragma('busy_timeout = 40');
  const other = new Database(sqlite.name);
  onTestFinished(() => void other.close());
  other.exec('begin immediate');
  const ends: string[] = [];
  const ask = (value: number) =>
    void add(value).then(
      () => ends.push(`${value} is stored`),
      (error: unknown) => ends.push(`${value} ${codeOf(error)}`),
    );
  /** Lets what's next happen, and says what's ended by then and how long the next try is put off. */
  const step = async () => {
    const { ms, run } = pending.shift() ?? { ms: 0, run: () => undefined };
    ticks += ms;
    run();
    await new Promise((resolve) => setImmediate(resolve));
    return [ends.splice(0), pending.map((each) => each.ms)];
  };
  ask(1);
  expect(await step()).toEqual([[], [20]]);
  expect(await step()).toEqual([[], [20]]);
  ask(2);
  ask(3);
  expect(await step()).toEqual([['1 SQLITE_BUSY'], [20]]);
  other.exec('commit');
  expect(await step()).toEqual([['2 is stored', '3 is stored'], []]);
  expect([stored(), sqlite.pragma('busy_timeout', { simple: true })]).toEqual([[2, 3], 40]);
  ask(4);
  expect(await step()).toEqual([['4 is stored'], []]);
  other.exec('begin immediate');
  ask(5);
  expect([await step(), await step()]).toEqual([
    [[], [20]],
    [[], [20]],
  ]);
  expect(await step()).toEqual([['5 SQLITE_BUSY'], []]);
});

test('what comes at about the same time shares one commit', async () => {
  const { add, commits, stored } = numbers();
  await Promise.all(Array.from({ length: 100 }, (_, index) => add(index)));
  expect(commits()).toBe(1);
  expect(stored()).toHaveLength(100);
  await add(100);
  expect(commits()).toBe(2);
});

test('a very large group is parted, so that the pages get their turn between', async () => {
  const { add, commits, stored } = numbers();
  let turns = 0;
  const turn = () => {
    turns += 1;
    if (turns < 100) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(Array.from({ length: 1000 }, (_, index) => add(index)));
  expect(commits()).toBe(4);
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(stored()).toHaveLength(1000);
});

test('a faulty one fails alone', async () => {
  const { add, commits, stored } = numbers();
  const results = await Promise.allSettled([1, 2, 2, 3].map(add));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect([commits(), stored()]).toEqual([1, [1, 2, 3]]);
});

test('while another program writes, this one goes on with everything else', async () => {
  const { sqlite, add, stored } = numbers();
  const other = new Database(sqlite.name);
  onTestFinished(() => void other.close());
  other.exec('begin immediate');
  const added = add(1);
  // If the process blocked on the lock, this turn would never come.
  await new Promise((resolve) => setTimeout(resolve));
  other.exec('commit');
  await added;
  expect(stored()).toEqual([1]);
});

test('a file that is gone before or after the commit fails at once those that asked', async () => {
  let checks = 0;
  let goneAt = 1;
  const { sqlite, add, stored } = numbers({
    confirmPlace() {
      checks += 1;
      if (checks === goneAt) throw new Error('gone');
    },
  });
  await expect(add(1)).rejects.toThrow('gone');
  expect([checks, stored(), sqlite.inTransaction]).toEqual([1, [], false]);
  goneAt = 3;
  await expect(add(2)).rejects.toThrow('gone');
  expect([checks, stored(), sqlite.inTransaction]).toEqual([3, [2], false]);
  await add(3);
  expect(stored()).toEqual([2, 3]);
});

test('a fault that ends the transaction fails all in it, and none of them is stored', async () => {
  const { sqlite, write, add, stored } = numbers();
  const spoil = () =>
    write(() => {
      sqlite.exec('rollback');
      throw new Error('full');
    });
  const results = await Promise.allSettled([add(1), spoil(), add(3)]);
  expect(results).toEqual(results.map(() => ({ status: 'rejected', reason: new Error('full') })));
  expect(stored()).toEqual([]);
});

test('when the commit fails, nobody reads that it was stored', async () => {
  const { sqlite, add, stored } = numbers();
  sqlite.pragma('foreign_keys = on');
  sqlite.exec('create table child (value references number (value) deferrable initially deferred)');
  sqlite.exec('create trigger orphan after insert on number begin insert into child values (-1); end');
  const results = await Promise.allSettled([1, 2].map(add));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(stored()).toEqual([]);
  sqlite.exec('drop trigger orphan');
  expect(await add(3)).toBe(1);
});

test('what still waits is written before the database is closed', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const open = () => openStore({ engine: 'sqlite', file }, { mailDomain: 'example.com' });
  const store = await open();
  const texts = Array.from({ length: 600 }, (_, index) => `message ${index}`);
  const added = Promise.all(texts.map((message) => store.add({ ...MESSAGE, message }, { now: START })));
  await store.close();
  await added;
  const reopened = await open();
  expect((await reopened.counts()).waiting).toBe(texts.length);
  await reopened.close();
});

test('of 5,000 submits at once, each that is answered 200 is stored exactly once', async () => {
  const { app, store, databaseFile } = await openTestService({ LOG_LEVEL: 'silent' });
  const submit = async (index: number) => {
    const peer = { incoming: { socket: { remoteAddress: `10.0.${index >> 8}.${index & 255}` } } };
    // Every fifth is a double submit of the one before.
    const text = `message ${index % 5 === 4 ? index - 1 : index}`;
    const response = await app.request(...call({ ...MESSAGE, message: text }), peer);
    return { status: response.status, text, id: ((await response.json()) as { id: string }).id };
  };
  const answers = await Promise.all(Array.from({ length: 5000 }, (_, index) => submit(index)));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const sqlite = new Database(databaseFile, { readonly: true });
  onTestFinished(() => void sqlite.close());
  const rows = sqlite
    .prepare<[], { id: string; message: string }>('select id, message from contact_message')
    .all();
  const byText = new Map(rows.map(({ id, message }) => [message, id]));
  expect([rows.length, byText.size, (await store.counts()).waiting]).toEqual([4000, 4000, 4000]);
  expect(answers.filter(({ text, id }) => byText.get(text) !== id)).toEqual([]);
  expect((await store.claim(START, 1))?.id).toBeDefined();
});
