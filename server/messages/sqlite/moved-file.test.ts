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
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  call,
  MESSAGE,
  openTestService,
  START,
  temporaryFolder,
} from '../../../tests/support/service/open-test-service.ts';
import { type Clock, machineClock } from '../../clock.ts';
import { createLog } from '../../log.ts';
import { openService } from '../../service.ts';
import { openDatabase, openSqlite } from '../open.ts';
import { createStore } from '../store.ts';

async function openWithFile(env: Record<string, string> = {}) {
  const service = await openTestService(env);
  const { app, database } = service;
  if (database.engine !== 'sqlite') throw new Error('These tests are about a file');
  const send = async (message: string) => (await app.request(...call({ ...MESSAGE, message }))).status;
  return { ...service, database, folder: dirname(service.databaseFile), send };
}

/** What the next start finds if the process is killed now, together with what it takes in. */
async function textsAtNextStart(file: string): Promise<string[]> {
  const copy = join(temporaryFolder(), 'copy');
  cpSync(dirname(file), copy, { recursive: true });
  const { sqlite, close } = await openSqlite(join(copy, 'contact.db'));
  onTestFinished(close);
  expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(readdirSync(copy).filter((name) => name.includes('undelivered'))).toEqual([]);
  return sqlite
    .prepare<[], string>('select message from contact_message order by received_at, id')
    .pluck()
    .all();
}

/** A backup from another disk: one file, with one message that was mailed long ago. */
async function makeBackup(): Promise<string> {
  const file = join(temporaryFolder(), 'backup.db');
  const store = createStore(await openDatabase({ engine: 'sqlite', file }), { mailDomain: 'example.com' });
  await store.add({ ...MESSAGE, message: 'from the backup' }, { now: START - 1000 });
  const claimed = await store.claim(START, 1000);
  if (claimed) await store.markSent(claimed, START);
  await store.close();
  return file;
}

test.each([
  ['its folder is deleted', 'missing', (folder: string) => rmSync(folder, { recursive: true })],
  ['its folder is moved', 'missing', (folder: string) => renameSync(folder, `${folder}.away`)],
  ['it is deleted', 'missing', (folder: string) => rmSync(join(folder, 'contact.db'))],
  ['its log is deleted', 'changed', (folder: string) => rmSync(join(folder, 'contact.db-wal'))],
  ['the index of its log is deleted', 'changed', (folder: string) => rmSync(join(folder, 'contact.db-shm'))],
])(
  'once %s, visitors hear that nothing was saved, and what was is there at the next start',
  async (_, found, spoil) => {
    const { databaseFile, database, folder, send, readiness, outbox } = await openWithFile();
    expect([await send('delivered'), await readiness(), database.look()]).toEqual([200, 200, 'in place']);
    await outbox.runDue({ now: START });
    await send('not mailed yet');
    spoil(folder);
    expect([await send('after'), await readiness(), database.look()]).toEqual([503, 503, found]);
    await expect(outbox.runDue({ now: START })).rejects.toThrow(/no longer the file/);
    database.leave();
    // Delivered messages in a deleted file are gone with it.
    const kept = found === 'missing' ? ['not mailed yet'] : ['delivered', 'not mailed yet'];
    expect(await textsAtNextStart(databaseFile)).toEqual(kept);
  },
);

test.each([
  ['the file', 'contact.db'],
  ['its folder', '.'],
])('when %s is moved away and back, service goes on and nothing is lost', async (_, name) => {
  const { databaseFile, database, folder, send, readiness, outbox, clock } = await openWithFile();
  await send('before');
  const path = join(folder, name);
  renameSync(path, `${folder}.away`);
  expect(await send('meanwhile')).toBe(503);
  renameSync(`${folder}.away`, path);
  expect([await readiness(), await send('after'), database.look()]).toEqual([200, 200, 'in place']);
  expect(await textsAtNextStart(databaseFile)).toEqual(['before', 'after']);
  expect(await outbox.runDue(clock)).toMatchObject({ sent: 2 });
});

test('a backup in its place gets none of its log, and at the next start what nobody has been mailed', async () => {
  const backup = await makeBackup();
  const { databaseFile, database, send, outbox } = await openWithFile();
  await send('delivered');
  await outbox.runDue({ now: START });
  await send('not mailed yet');
  const away = join(temporaryFolder(), 'contact.db');
  renameSync(databaseFile, away);
  renameSync(backup, databaseFile);
  expect([await send('meanwhile'), database.look()]).toEqual([503, 'changed']);
  database.leave();
  expect(await textsAtNextStart(away)).toEqual(['delivered', 'not mailed yet']);
  const file = new Database(`${databaseFile}.undelivered`);
  onTestFinished(() => void file.close());
  // It may have been erased on purpose.
  expect(readFileSync(`${databaseFile}.undelivered`).includes('"delivered')).toBe(false);
  expect(file.prepare('select message from contact_message').pluck().all()).toEqual(['not mailed yet']);
  expect(await textsAtNextStart(databaseFile)).toEqual(['from the backup', 'not mailed yet']);
});

test('while another program needs the old log, the server does not end, and then takes it along', async () => {
  const backup = await makeBackup();
  const { databaseFile, database, send } = await openWithFile();
  await send('one');
  const reader = new Database(databaseFile, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.exec('begin; select * from contact_message');
  await send('two');
  renameSync(backup, databaseFile);
  expect(() => database.leave()).toThrow(/moved, deleted or replaced.* Another program reads the old one/);
  reader.exec('commit');
  database.leave();
  expect(await textsAtNextStart(databaseFile)).toEqual(['from the backup', 'one', 'two']);
});

test('a backup that is still being copied into its place is left alone until it is whole', async () => {
  const bytes = readFileSync(await makeBackup());
  const { databaseFile, database, folder, send } = await openWithFile();
  await send('not mailed yet');
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  writeFileSync(databaseFile, '');
  expect(database.look()).toBe('missing');
  database.leave();
  for (const size of [4096, Math.round(bytes.length / 2)]) {
    writeFileSync(databaseFile, bytes.subarray(0, size));
    await expect(openSqlite(databaseFile)).rejects.toThrow(/is damaged/);
    expect(readFileSync(databaseFile).equals(bytes.subarray(0, size))).toBe(true);
  }
  writeFileSync(databaseFile, bytes);
  expect(await textsAtNextStart(databaseFile)).toEqual(['from the backup', 'not mailed yet']);
});

test('a file that turns out to be damaged takes no more messages, and another one can take its place', async () => {
  const backup = await makeBackup();
  const { databaseFile, database, send, readiness } = await openWithFile();
  await send('lost');
  expect(await database.findDamage()).toBeUndefined();
  database.sqlite.pragma('wal_checkpoint(TRUNCATE)');
  const bytes = readFileSync(databaseFile);
  // A page that nobody has asked for.
  writeFileSync(databaseFile, bytes.fill(0x5a, bytes.length - 4096));
  expect(await database.findDamage()).toMatch(/is damaged/);
  expect([await send('after'), await readiness()]).toEqual([503, 503]);
  renameSync(backup, databaseFile);
  database.leave();
  expect(await textsAtNextStart(databaseFile)).toContain('from the backup');
});

test('once SQLite finds a page damaged, no message is taken', async () => {
  const { database, send, trouble, lines } = await openWithFile();
  expect(await send('before')).toBe(200);
  const damaged = Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT_INDEX' });
  const change = database.transact(() => {
    throw damaged;
  });
  await expect(change).rejects.toThrow(/is damaged/);
  expect(await send('after')).toBe(503);
  await trouble.check(START);
  expect(lines.join('')).toMatch(/VISITORS ARE TURNED AWAY.* is damaged/);
});

test('the server ends once another file is in its place, or none for a minute', async () => {
  const backup = await makeBackup();
  const { settings, databaseFile } = await openWithFile();
  let ticks = 0;
  const looks: (() => void)[] = [];
  const clock: Clock = {
    ...machineClock,
    ticks: () => ticks,
    every(ms, run) {
      if (ms === 1_000) looks.push(run);
      return () => undefined;
    },
  };
  const endsAfter = async (seconds: number) => {
    const onMoved = vi.fn();
    const service = await openService(settings, { log: createLog('silent'), clock, onMoved });
    onTestFinished(() => service.close());
    const look = looks.at(-1) ?? expect.fail('Nobody looks');
    look();
    rmSync(databaseFile);
    for (let second = 0; second < seconds; second += 1) {
      look();
      ticks += 1_000;
    }
    return { look, onMoved };
  };
  const waits = await endsAfter(60);
  expect(waits.onMoved).not.toHaveBeenCalled();
  waits.look();
  expect(waits.onMoved).toHaveBeenCalled();
  const other = await endsAfter(59);
  renameSync(backup, databaseFile);
  expect(other.onMoved).not.toHaveBeenCalled();
  other.look();
  expect(other.onMoved).toHaveBeenCalled();
});

test('a message is not acknowledged if the file is moved while it is committed', async () => {
  const { database, databaseFile } = await openWithFile();
  const change = database.transact(() => renameSync(databaseFile, `${databaseFile}.away`));
  await expect(change).rejects.toThrow(/no longer the file/);
});

test('a path that is a link is followed, and a link that points elsewhere is noticed', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'disk'));
  const link = join(folder, 'contact.db');
  symlinkSync(join(folder, 'disk/contact.db'), link);
  const { database, send } = await openWithFile({ DATABASE_URL: `file:${link}` });
  expect(await send('before')).toBe(200);
  expect(existsSync(join(folder, 'disk/contact.db-wal'))).toBe(true);
  rmSync(link);
  symlinkSync(await makeBackup(), link);
  expect([await send('meanwhile'), database.look()]).toEqual([503, 'changed']);
  database.leave();
  expect(await textsAtNextStart(link)).toEqual(['from the backup', 'before']);
  expect(await textsAtNextStart(join(folder, 'disk/contact.db'))).toEqual(['before']);
});
