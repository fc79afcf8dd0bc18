import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { call, MESSAGE, openTestService, START, temporaryFolder } from '../tests/open-test-service.ts';
import { machineClock } from './clock.ts';
import { createGroupCommit } from './group-commit.ts';
import { openStore } from './store.ts';

function numbers() {
  const sqlite = new Database(join(temporaryFolder(), 'numbers.db'));
  onTestFinished(() => void sqlite.close());
  sqlite.exec('create table number (value integer unique)');
  const insert = sqlite.prepare<[number]>('insert into number values (?)');
  const exec = vi.spyOn(sqlite, 'exec');
  const write = createGroupCommit({
    sqlite: () => sqlite,
    confirmPlace: () => undefined,
    clock: machineClock,
  });
  const add = (value: number) => write(() => insert.run(value).changes);
  return {
    sqlite,
    add,
    commits: () => exec.mock.calls.filter(([text]) => text === 'commit').length,
    stored: () => sqlite.prepare('select value from number order by value').pluck().all(),
  };
}

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

  other.exec('begin immediate');
  sqlite.pragma('busy_timeout = 30');
  await expect(add(2)).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
  other.exec('commit');
  await add(3);
  expect(stored()).toEqual([1, 3]);
});

test('when the commit fails nobody is told that it was stored', async () => {
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
