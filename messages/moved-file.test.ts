import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../tests/open-store.ts';
import { call, MESSAGE, openTestService, START, temporaryFolder } from '../tests/open-test-service.ts';

async function openWithFile(env: Record<string, string> = {}) {
  const service = await openTestService(env);
  const { app, database } = service;
  if (database.engine !== 'sqlite') throw new Error('These tests are about a file');
  const folder = dirname(service.databaseFile);
  const send = async (message: string) => {
    const response = await app.request(...call({ ...MESSAGE, message }));
    const body = (await response.json()) as { error?: string };
    return body.error ? [response.status, body.error] : response.status;
  };
  const ready = async () => (await app.request('/readyz')).status;
  return { ...service, database, folder, send, ready };
}

const REFUSED = [503, expect.stringMatching(/could not be saved/)];

/** What the next start would find if the process were killed now. */
function textsAfterKill(file: string): string[] {
  const copy = join(temporaryFolder(), 'copy');
  cpSync(dirname(file), copy, { recursive: true });
  const sqlite = new Database(join(copy, 'contact.db'), { fileMustExist: true });
  try {
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    return sqlite
      .prepare<[], string>('select message from contact_message order by received_at, id')
      .pluck()
      .all();
  } finally {
    sqlite.close();
  }
}

/** A backup from another disk: one file, with one message that was mailed long ago. */
async function makeBackup(): Promise<string> {
  const file = join(temporaryFolder(), 'backup.db');
  const store = await openStore({ engine: 'sqlite', file }, { mailDomain: 'example.com' });
  await store.add({ ...MESSAGE, message: 'from the backup' }, { now: START - 1000 });
  const claimed = await store.claim(START, 1000);
  if (claimed) await store.markSent(claimed, START);
  await store.close();
  return file;
}

/** Another program that goes on with what it began to read, until it's told to begin anew. */
async function startReader(file: string): Promise<() => Promise<unknown>> {
  const script = `import Database from 'better-sqlite3';
    const sqlite = new Database(${JSON.stringify(file)}, { readonly: true });
    const read = () => sqlite.exec('begin; select * from contact_message') && console.log('reading');
    read();
    process.stdin.on('data', () => sqlite.exec('commit') && read());`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  });
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.write('again');
    await once(child.stdout, 'data');
  };
}

test.each([
  ['its folder is deleted', (folder: string) => rmSync(folder, { recursive: true })],
  ['its folder is moved', (folder: string) => renameSync(folder, `${folder}.away`)],
  ['it is deleted', (folder: string) => rmSync(join(folder, 'contact.db'))],
  ['it is moved', (folder: string) => renameSync(join(folder, 'contact.db'), join(folder, 'away.db'))],
  ['its log is deleted', (folder: string) => rmSync(join(folder, 'contact.db-wal'))],
  ['the index of its log is deleted', (folder: string) => rmSync(join(folder, 'contact.db-shm'))],
])('once %s, no message is said to be saved, and the server is not ready', async (_, spoil) => {
  const { folder, send, ready, outbox } = await openWithFile();
  expect([await send('before'), await ready()]).toEqual([200, 200]);
  spoil(folder);
  expect([await send('after'), await ready()]).toEqual([REFUSED, 503]);
  await expect(outbox.runDue({ now: START })).rejects.toThrow(/no longer the file/);
});

test.each([
  ['the file', 'contact.db'],
  ['its folder', '.'],
])('when %s is moved away and back, service goes on and nothing is lost', async (_, name) => {
  const { databaseFile, database, folder, send, ready, outbox } = await openWithFile();
  await send('before');
  const path = join(folder, name);
  renameSync(path, `${folder}.away`);
  expect(await send('meanwhile')).toEqual(REFUSED);
  expect(await database.followFile()).toMatchObject({ found: 'nothing' });
  renameSync(`${folder}.away`, path);
  expect([await ready(), await send('after')]).toEqual([200, 200]);
  expect(await database.followFile()).toEqual({ found: 'in place' });
  expect(database.sqlite.pragma('busy_timeout', { simple: true })).toBe(5000);
  expect(textsAfterKill(databaseFile)).toEqual(['before', 'after']);
  expect(await outbox.runDue({ now: START })).toMatchObject({ sent: 2 });
});

test.each(['contact.db-wal', 'contact.db-shm'])(
  'without %s everything acknowledged stays, and service goes on',
  async (name) => {
    const { databaseFile, database, folder, send, ready } = await openWithFile();
    for (const text of ['one', 'two', 'three']) expect(await send(text)).toBe(200);
    rmSync(join(folder, name));
    expect(await database.followFile()).toEqual({ found: 'reopened', carried: 0 });
    expect(textsAfterKill(databaseFile)).toEqual(['one', 'two', 'three']);
    expect(await database.followFile()).toEqual({ found: 'in place' });
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['contact.db', 'contact.db-shm', 'contact.db-wal']),
    );
    expect([await ready(), await send('four')]).toEqual([200, 200]);
    expect(textsAfterKill(databaseFile)).toEqual(['one', 'two', 'three', 'four']);
  },
);

test('a log that is gone is written back even if another program keeps the file open', async () => {
  const { databaseFile, database, send } = await openWithFile();
  await send('before');
  const other = new Database(databaseFile);
  onTestFinished(() => void other.close());
  other.pragma('user_version');
  rmSync(`${databaseFile}-wal`);
  expect(await database.followFile()).toEqual({ found: 'reopened', carried: 0 });
  expect(textsAfterKill(databaseFile)).toEqual(['before']);
});

test('a backup that is moved into its place is used at once, with what nobody has been mailed yet', async () => {
  const backup = await makeBackup();
  const { databaseFile, database, send, ready, outbox, store } = await openWithFile();
  await send('delivered');
  await outbox.runDue({ now: START });
  await send('not mailed yet');
  const before = database.sqlite;
  const away = join(temporaryFolder(), 'contact.db');
  renameSync(databaseFile, away);
  renameSync(backup, databaseFile);
  expect(await send('meanwhile')).toEqual(REFUSED);
  expect(await database.followFile()).toEqual({ found: 'reopened', carried: 1 });
  expect(before.open).toBe(false);
  // It's complete without its log, which stayed.
  expect(textsAfterKill(away)).toEqual(['delivered', 'not mailed yet']);
  expect([await ready(), await send('after')]).toEqual([200, 200]);
  expect(textsAfterKill(databaseFile)).toEqual(['from the backup', 'not mailed yet', 'after']);
  expect(await store.counts()).toMatchObject({ waiting: 2 });
  expect(await outbox.runDue({ now: START })).toMatchObject({ sent: 2 });
});

test('the mail on its way while a backup takes the place is marked in the new file', async () => {
  const backup = await makeBackup();
  const { databaseFile, database, send, store } = await openWithFile();
  await send('in hand');
  const claimed = await store.claim(START, 1000);
  renameSync(backup, databaseFile);
  await database.followFile();
  expect(claimed && (await store.markSent(claimed, START))).toBe(true);
  expect(await store.counts()).toMatchObject({ waiting: 0 });
});

test('a copy of the folder that takes its place keeps its own log', async () => {
  const { databaseFile, database, folder, send } = await openWithFile();
  await send('copied');
  const copy = join(temporaryFolder(), 'copy');
  cpSync(folder, copy, { recursive: true });
  await send('later');
  renameSync(folder, `${folder}.away`);
  renameSync(copy, folder);
  expect(await database.followFile()).toEqual({ found: 'reopened', carried: 1 });
  expect(textsAfterKill(databaseFile)).toEqual(['copied', 'later']);
});

test('while another program reads the old file, a backup waits, and gets none of the old log', async () => {
  const backup = await makeBackup();
  const { databaseFile, database, send } = await openWithFile();
  await send('one');
  const readAnew = await startReader(databaseFile);
  await send('two');
  renameSync(backup, databaseFile);
  const fault = expect.stringMatching(
    /moved, deleted or replaced.* Another program reads the old one, which must end/,
  );
  expect(await database.followFile()).toEqual({ found: 'nothing', fault });
  // Now it needs nothing of the log, but keeps it from being emptied.
  await readAnew();
  expect(await database.followFile()).toEqual({ found: 'reopened', carried: 2 });
  expect(textsAfterKill(databaseFile)).toEqual(['from the backup', 'one', 'two']);
});

test('a backup that takes nothing in is not used, and the messages stay where they are', async () => {
  const backup = await makeBackup();
  const { databaseFile, database, send } = await openWithFile();
  await send('not mailed yet');
  const sqlite = new Database(backup);
  sqlite.exec(
    "create trigger no_room before insert on contact_message begin select raise(abort, 'full'); end",
  );
  sqlite.close();
  renameSync(backup, databaseFile);
  const fault = expect.stringMatching(/cannot be opened \(SQLITE_CONSTRAINT_TRIGGER\)/);
  expect(await database.followFile()).toEqual({ found: 'nothing', fault });
  // It's closed again, which writes its log back.
  expect(existsSync(`${databaseFile}-wal`)).toBe(false);
  expect(await send('meanwhile')).toEqual(REFUSED);
  const mended = new Database(databaseFile);
  mended.exec('drop trigger no_room');
  mended.close();
  expect(await database.followFile()).toEqual({ found: 'reopened', carried: 1 });
});

test('a file that is gone is made anew only when asked, and for messages that need one', async () => {
  const { databaseFile, database, folder, send, outbox } = await openWithFile();
  await send('delivered');
  await outbox.runDue({ now: START });
  rmSync(folder, { recursive: true });
  const nothing = {
    found: 'nothing',
    fault: expect.stringMatching(/no longer the file that the server opened/),
  };
  expect(await database.followFile({ make: true })).toEqual(nothing);
  expect(existsSync(folder)).toBe(false);

  const other = await openWithFile();
  await other.send('not mailed yet');
  rmSync(other.folder, { recursive: true });
  expect(await other.database.followFile()).toEqual(nothing);
  expect(existsSync(other.folder)).toBe(false);
  expect(await other.database.followFile({ make: true })).toEqual({ found: 'reopened', carried: 1 });
  expect(textsAfterKill(other.databaseFile)).toEqual(['not mailed yet']);
  expect(existsSync(databaseFile)).toBe(false);
});

test('once a file was damaged where it is, only another one helps', async () => {
  const backup = await makeBackup();
  const { databaseFile, database, folder, send } = await openWithFile();
  await send('lost');
  // Or the log would mend it.
  database.sqlite.pragma('wal_checkpoint(TRUNCATE)');
  writeFileSync(databaseFile, 'these are my notes, not a database\n'.repeat(500));
  rmSync(join(folder, 'contact.db-shm'));
  const damaged = { found: 'nothing', fault: expect.stringMatching(/is damaged/) };
  expect(await database.followFile()).toEqual(damaged);
  expect(await send('meanwhile')).toEqual(REFUSED);
  rmSync(databaseFile);
  expect(await database.followFile({ make: true })).toMatchObject({ found: 'nothing' });
  renameSync(backup, databaseFile);
  expect(await database.followFile()).toEqual({ found: 'reopened', carried: 0 });
  expect(await send('after')).toBe(200);
  expect(textsAfterKill(databaseFile)).toEqual(['from the backup', 'after']);
});

test('a backup that is still being copied into its place is left alone until it is whole', async () => {
  const bytes = readFileSync(await makeBackup());
  const { databaseFile, database, folder, send } = await openWithFile();
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  for (const size of [0, 4096, Math.round(bytes.length / 2)]) {
    writeFileSync(databaseFile, bytes.subarray(0, size));
    expect(await database.followFile()).toMatchObject({ found: 'nothing' });
    expect(readFileSync(databaseFile).equals(bytes.subarray(0, size))).toBe(true);
  }
  expect(await send('meanwhile')).toEqual(REFUSED);
  writeFileSync(databaseFile, bytes);
  expect(await database.followFile()).toMatchObject({ found: 'reopened' });
  expect(await send('after')).toBe(200);
  expect(textsAfterKill(databaseFile)).toEqual(['from the backup', 'after']);
});

test('a file that is no database takes nobody’s place', async () => {
  const { databaseFile, database, send, ready } = await openWithFile();
  await send('before');
  renameSync(databaseFile, `${databaseFile}.away`);
  writeFileSync(databaseFile, 'these are my notes, not a database\n'.repeat(500));
  expect(await database.followFile()).toEqual({
    found: 'nothing',
    fault: expect.stringMatching(/is damaged/),
  });
  expect([await send('meanwhile'), await ready()]).toEqual([REFUSED, 503]);
  renameSync(`${databaseFile}.away`, databaseFile);
  expect(await database.followFile()).toMatchObject({ found: 'reopened' });
  expect([await ready(), await send('after')]).toEqual([200, 200]);
  expect(textsAfterKill(databaseFile)).toEqual(['before', 'after']);
});

test('a path that is a link is followed, and a link that points elsewhere is noticed', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'disk'));
  const link = join(folder, 'link.db');
  symlinkSync(join(folder, 'disk/contact.db'), link);
  const { database, send } = await openWithFile({ DATABASE_URL: `file:${link}` });
  expect(await send('before')).toBe(200);
  expect(existsSync(join(folder, 'disk/contact.db-wal'))).toBe(true);
  rmSync(link);
  symlinkSync(await makeBackup(), link);
  expect(await send('meanwhile')).toEqual(REFUSED);
  expect(await database.followFile()).toEqual({ found: 'reopened', carried: 1 });
  expect(await send('after')).toBe(200);
  expect(textsAfterKill(join(folder, 'disk/contact.db'))).toEqual(['before']);
});
