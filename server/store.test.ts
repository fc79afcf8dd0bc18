import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { MESSAGE, START, temporaryFolder } from './open-test-service.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { openStore, type Store } from './store.ts';

const LEASE = 120_000;
const MINUTE = 60_000;

async function open(file: string): Promise<Store> {
  const store = await openStore({ engine: 'sqlite', file }, { mailDomain: 'example.com' });
  onTestFinished(() => store.close());
  return store;
}

async function emptyStore(): Promise<Store> {
  return open(join(temporaryFolder(), 'contact.db'));
}

function inFile<Row>(file: string, query: string): Row[] {
  const sqlite = new Database(file, { readonly: true });
  try {
    return sqlite.prepare<[], Row>(query).all();
  } finally {
    sqlite.close();
  }
}

test('a stored message is in the file, word for word, before the promise resolves', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const store = await open(file);
  const message = { ...MESSAGE, name: 'Zoë 👩🏽‍🔧', message: 'one\n\n  two' };
  const { id } = await store.add(message, { now: START });
  expect(inFile(file, 'select * from contact_message')).toEqual([
    expect.objectContaining({
      ...message,
      id,
      state: 'waiting',
      received_at: START,
      message_id: `<${id}@example.com>`,
    }),
  ]);
});

test('the file is written through to the disk at each commit, and forgets what is deleted', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const database = await openSqliteFile(file);
  onTestFinished(() => database.close());
  const { sqlite } = database;
  const pragma = (name: string) => sqlite.pragma(name, { simple: true });
  expect([
    pragma('journal_mode'),
    pragma('synchronous'),
    pragma('foreign_keys'),
    pragma('secure_delete'),
  ]).toEqual(['wal', 2, 1, 1]);
  expect(pragma('busy_timeout')).toBeGreaterThan(0);
});

test('nobody else on the machine can read the messages', async () => {
  const folder = join(temporaryFolder(), 'data');
  const store = await open(join(folder, 'contact.db'));
  await store.add(MESSAGE, { now: START });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of ['contact.db', 'contact.db-wal']) {
    expect([name, (statSync(join(folder, name)).mode & 0o777).toString(8)]).toEqual([name, '600']);
  }
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

test('the same Idempotency-Key is one message, however late', async () => {
  const store = await emptyStore();
  const first = await store.add(MESSAGE, { now: START, idempotencyKey: 'k1' });
  const again = await store.add(
    { ...MESSAGE, name: 'A.' },
    { now: START + 60 * MINUTE, idempotencyKey: 'k1' },
  );
  expect(again).toEqual({ id: first.id, duplicate: true });
  const other = await store.add(
    { ...MESSAGE, name: 'A.' },
    { now: START + 60 * MINUTE, idempotencyKey: 'k2' },
  );
  expect(other.duplicate).toBe(false);
});

test('many equal submits at the same moment are one message', async () => {
  const store = await emptyStore();
  const results = await Promise.all(Array.from({ length: 50 }, () => store.add(MESSAGE, { now: START })));
  expect(new Set(results.map(({ id }) => id)).size).toBe(1);
  expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
});

test('suspected spam is kept, is not to be mailed, and does not swallow the real message after it', async () => {
  const store = await emptyStore();
  await store.add(MESSAGE, { now: START, suspectedSpam: true });
  expect(await store.claim(START, LEASE)).toBeUndefined();
  expect(await store.add(MESSAGE, { now: START + 1 })).toMatchObject({ duplicate: false });
  expect(await store.counts()).toMatchObject({ spam: 1, waiting: 1 });
});

test('messages are taken oldest first, each by one worker only', async () => {
  const store = await emptyStore();
  for (const [index, now] of [START + 2, START, START + 1].entries()) {
    await store.add({ ...MESSAGE, message: `message ${index}` }, { now });
  }
  const claims = await Promise.all(Array.from({ length: 5 }, () => store.claim(START + 10, LEASE)));
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
  expect(second?.messageId).toBe(first?.messageId);
});

test('who has lost the lease cannot mark the message any more', async () => {
  const store = await emptyStore();
  await store.add(MESSAGE, { now: START });
  const slow = await store.claim(START, LEASE);
  const quick = await store.claim(START + LEASE, LEASE);
  if (!slow || !quick) throw new Error('not claimed');
  const failure = { now: START + LEASE, nextAttemptAt: START, error: 'retry smtp-451' };
  expect(await store.markFailed(slow, failure)).toBe(false);
  expect(await store.setAside(slow, 'refused smtp-550')).toBe(false);
  expect(await store.markSent(slow, START + LEASE)).toBe(false);
  expect(await store.markSent(quick, START + LEASE)).toBe(true);
  expect(await store.counts()).toMatchObject({ waiting: 0, setAside: 0 });
});

test('the counts tell how long the oldest message has been undelivered', async () => {
  const store = await emptyStore();
  expect(await store.counts()).toEqual({ waiting: 0, setAside: 0, spam: 0, oldestUndeliveredAt: undefined });
  await store.add({ ...MESSAGE, name: 'spam' }, { now: START - 5, suspectedSpam: true });
  await store.add(MESSAGE, { now: START });
  const claimed = await store.claim(START, LEASE);
  if (claimed) await store.setAside(claimed, 'refused smtp-550');
  await store.add({ ...MESSAGE, name: 'B' }, { now: START + 7 });
  expect(await store.counts()).toEqual({ waiting: 1, setAside: 1, spam: 1, oldestUndeliveredAt: START });
});

test('messages are still there after the store was closed and opened again', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const store = await openStore({ engine: 'sqlite', file }, { mailDomain: 'example.com' });
  const { id } = await store.add(MESSAGE, { now: START });
  await store.close();
  expect(await (await open(file)).claim(START, LEASE)).toMatchObject({ ...MESSAGE, id });
});

test('two stores on one file share the work and take no message twice', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const stores = [await open(file), await open(file)] as const;
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      stores[index % 2 === 0 ? 0 : 1].add({ ...MESSAGE, message: `message ${index >> 1}` }, { now: START }),
    ),
  );
  const claims = await Promise.all(
    Array.from({ length: 40 }, (_, index) => stores[index % 2 === 0 ? 0 : 1].claim(START, LEASE)),
  );
  const taken = claims.filter((claim) => claim !== undefined).map(({ message }) => message);
  expect(taken).toHaveLength(20);
  expect(new Set(taken).size).toBe(20);
});

test('several processes may make the same new database at once', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const script = `const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, 'store.ts'))});
    const store = await openStore(${JSON.stringify({ engine: 'sqlite', file })}, { mailDomain: 'example.com' });
    await store.add(${JSON.stringify(MESSAGE)}, { now: ${START} });
    await store.close();`;
  const codes = await Promise.all(
    Array.from(
      { length: 4 },
      () =>
        new Promise((resolve) => {
          spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }).on(
            'close',
            resolve,
          );
        }),
    ),
  );
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(inFile(file, 'select count(*) as count from contact_message')).toEqual([{ count: 1 }]);
});

test('a file that is no database is refused in words, and left as it is', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const content = 'these are my notes, not a database\n'.repeat(200);
  writeFileSync(file, content);
  await expect(open(file)).rejects.toThrow(/is damaged, or is no SQLite database.*backup/s);
  expect(readFileSync(file, 'utf8')).toBe(content);
});

test('a damaged database is refused in words', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const store = await openStore({ engine: 'sqlite', file }, { mailDomain: 'example.com' });
  for (let index = 0; index < 50; index += 1) {
    await store.add({ ...MESSAGE, message: `${index} ${'x'.repeat(2000)}` }, { now: START });
  }
  await store.close();
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 8192, 40_960);
  writeFileSync(file, bytes);
  await expect(open(file)).rejects.toThrow(/is damaged/);
});

test('a database of a newer version is refused and left alone', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  await (await openStore({ engine: 'sqlite', file }, { mailDomain: 'example.com' })).close();
  const sqlite = new Database(file);
  sqlite.prepare("insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00.000Z')").run();
  sqlite.close();
  await expect(open(file)).rejects.toThrow(/newer version.*9999-later/);
});

test('a folder that cannot be written is refused in words', async () => {
  const folder = join(temporaryFolder(), 'readonly');
  mkdirSync(folder);
  const file = join(folder, 'contact.db');
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    await expect(open(file)).rejects.toThrow(/cannot be written \(EACCES\).*DATABASE_URL/s);
    return;
  }
  // Root may write anywhere, so another user tries.
  chmodSync(folder, 0o755);
  chmodSync(join(folder, '..'), 0o755);
  const script = `process.setgid(65534); process.setuid(65534);
    const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, 'store.ts'))});
    await openStore(${JSON.stringify({ engine: 'sqlite', file })}, { mailDomain: 'example.com' }).catch((error) => console.log(error.message));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(said).toMatch(/cannot be written \(EACCES\).*DATABASE_URL/s);
});
