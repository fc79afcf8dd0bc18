import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import { storedTexts } from '../../tests/support/database/message-rows.ts';
import { openFile } from '../../tests/support/database/new-database.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { MESSAGE, openTestService, START, stopClocks, temporaryFolder } from '../../tests/support/service.ts';
import { checkRoom } from './insert.ts';
import { noteDone } from './last-done.ts';

vi.mock('node:fs', { spy: true });
vi.mock('node:timers/promises', { spy: true });

test('the file is written through to the disk at each commit, and forgets what is deleted', async () => {
  const { sqlite } = await openFile();
  const names = ['journal_mode', 'synchronous', 'secure_delete', 'busy_timeout'];
  expect(names.map((name) => sqlite.pragma(name, { simple: true }))).toEqual(['wal', 2, 1, 5_000]);
});

test('while another program writes, this one carries on with everything else, and gives up after five seconds', async () => {
  const database = await openFile();
  const other = await untilEnd(new Database(database.location));
  const note = (at: number) => noteDone(database, 'checked', at);
  other.exec('begin immediate');
  const noted = note(1);
  other.exec('commit');
  expect(await noted).toBe(true);
  other.exec('begin immediate');
  stopClocks('performance');
  vi.mocked(wait).mockImplementation(async (ms) => void vi.advanceTimersByTime(ms ?? 0));
  const startedAt = performance.now();
  await expect(note(2)).rejects.toThrow(/database is locked/);
  expect(performance.now() - startedAt).toBe(5_000);
  other.exec('commit');
  await note(3);
});

test('nobody else on the machine can read the messages, and an existing folder stays as it is', async () => {
  const parent = temporaryFolder();
  chmodSync(parent, 0o755);
  const file = join(parent, 'contact.db');
  writeFileSync(file, '', { mode: 0o644 });
  for (const path of [file, join(parent, 'data/contact.db')]) {
    const store = createStore(await openFile(path));
    await store.add(MESSAGE, { now: START });
    for (const end of ['', '-wal']) expect(statSync(path + end).mode & 0o777).toBe(0o600);
  }
  expect(statSync(parent).mode & 0o777).toBe(0o755);
  expect(statSync(join(parent, 'data')).mode & 0o777).toBe(0o700);
});

test.each([
  ['EACCES', /cannot be stored: .*contact\.db cannot be written \(EACCES\)\. Give .* or point .* elsewhere/],
  ['SQLITE_CANTOPEN', /cannot be written/],
  ['SQLITE_READONLY_DIRECTORY', /cannot be written/],
  ['SQLITE_BUSY_RECOVERY', /is held by another program \(SQLITE_BUSY_RECOVERY\)\. End that program/],
  ['ENOSPC', /^The disk of .* is full\./],
  ['SQLITE_FULL', /^The disk of .* is full\./],
  ['ENOTDIR', /^The database .*contact\.db cannot be opened \(ENOTDIR\)\.$/],
])('what keeps it from being opened is put in words: %s', async (code, words) => {
  const cause = Object.assign(new Error('no'), { code });
  vi.mocked(realpathSync).mockImplementationOnce(() => {
    throw cause;
  });
  await expect(openFile()).rejects.toMatchObject({
    name: 'StoreError',
    message: expect.stringMatching(words),
    cause,
  });
});

test('a folder in place of the file is named, and keeps its permissions', async () => {
  const folder = temporaryFolder();
  const rights = statSync(folder).mode;
  await expect(openFile(folder)).rejects.toThrow(`DATABASE_URL names a folder, ${folder}.`);
  expect(statSync(folder).mode).toBe(rights);
});

test('room is tried out with the longest message, which nobody sees and which does not stay', async () => {
  const database = await openFile();
  database.sqlite.exec(`create trigger seen after insert on contact_message
    begin insert into last_done (what, at) values (new.state || new.held_for || new.email, length(new.message)); end`);
  await checkRoom(database, START);
  const all = (table: string) => database.sqlite.prepare(`select * from ${table}`).all();
  expect([all('contact_message'), all('last_done')]).toEqual([[], [{ what: 'spamtrap', at: 44_000 }]]);
});

async function openWithFile(env: Record<string, string> = {}) {
  const service = await openTestService(env);
  const { database } = service;
  if (database.engine !== 'sqlite') throw new Error('These tests are about a file');
  return { ...service, database, folder: dirname(service.databaseFile) };
}

function textsAtNextStart(file: string): string[] {
  const copy = join(temporaryFolder(), 'copy');
  cpSync(dirname(file), copy, { recursive: true });
  return storedTexts(join(copy, basename(file)));
}

test.each([
  ['it is moved', '../away.db', 'contact.db'],
  ['its log is deleted', 'contact.db', 'contact.db-wal'],
  ['the index of its log is deleted', 'contact.db', 'contact.db-shm'],
])('once %s, visitors hear that nothing was saved, and what was is in the file', async (_, at, name) => {
  const { database, folder, send, readiness, outbox } = await openWithFile();
  expect([await send('saved'), await readiness(), database.isInPlace()]).toEqual([200, 200, true]);
  const file = join(folder, at);
  if (at === 'contact.db') rmSync(join(folder, name));
  else renameSync(join(folder, name), file);
  expect([await send('after'), await readiness(), database.isInPlace()]).toEqual([503, 503, false]);
  await expect(outbox.runDue()).rejects.toThrow(/no longer the file/);
  database.emptyLog();
  expect(textsAtNextStart(file)).toEqual(['saved']);
});

test('a path that is a link is followed, and a link that points elsewhere is noticed', async () => {
  const [folder, other] = [temporaryFolder(), await openFile()];
  const [link, file] = [join(folder, 'contact.db'), join(folder, 'disk/real.db')];
  mkdirSync(dirname(file));
  symlinkSync(file, link);
  const { database, send } = await openWithFile({ DATABASE_URL: `file:${link}` });
  const sendWith = (target: string) => {
    rmSync(link);
    symlinkSync(target, link);
    return send(target);
  };
  expect([await send('one'), await sendWith(other.location), await sendWith(file)]).toEqual([200, 503, 200]);
  // What SQLite has beside the file itself.
  rmSync(`${file}-shm`);
  expect(await send('without its index')).toBe(503);
  database.emptyLog();
  expect([textsAtNextStart(file), textsAtNextStart(other.location)]).toEqual([['one', file], []]);
});

test('once SQLite finds a damaged page, no message is taken', async () => {
  const { database, send } = await openWithFile();
  expect(await send('before')).toBe(200);
  vi.spyOn(database.sqlite, 'prepare').mockImplementationOnce(() => {
    throw Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT_INDEX' });
  });
  await expect(noteDone(database, 'checked', START)).rejects.toThrow(/is damaged/);
  expect(await send('after')).toBe(503);
});

test('a message is not acknowledged if the file is moved while it is committed', async () => {
  const { database, databaseFile } = await openWithFile();
  database.sqlite.function('move', () => renameSync(databaseFile, `${databaseFile}.away`));
  const change = database.write({ compile: () => sql`select move()`.compile(database.db) });
  await expect(change).rejects.toThrow(/no longer the file/);
});

/** Begins with a word of its own: the same words from several senders, whatever their numbers, are held back. */
const textOf = (index: number) => `${String.fromCodePoint(0x4e00 + index)} ${'x'.repeat(9_000)}`;
const textsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => textOf(start + index));

function smallDisk({ skip }: TestContext): string {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    skip('This user may not mount a small disk');
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}

test('a visitor learns that the disk is full; nothing is spoiled, and all works again once there is space', async (context) => {
  const disk = smallDisk(context);
  const { send, readiness, databaseFile, lines, outbox, settings } = await openWithFile({
    DATABASE_URL: `file:${join(disk, 'contact.db')}`,
    MAIL_PER_HOUR: '100000',
  });
  const sendMany = async (start: number, count: number) =>
    new Set(await Promise.all(textsFrom(start, count).map(send)));
  const stored: string[] = [];
  while ((await send(textOf(stored.length))) === 200) stored.push(textOf(stored.length));
  expect(stored.length).toBeGreaterThan(10);
  expect(await sendMany(3_000, 200)).toEqual(new Set([503]));
  expect(await readiness()).toBe(503);
  expect(storedTexts(databaseFile)).toEqual(stored);
  expect(lines.join('')).toMatch(/SQLITE_FULL/);
  execFileSync('mount', ['-o', 'remount,size=16m', disk]);
  expect(await sendMany(5_000, 50)).toEqual(new Set([200]));
  stored.push(...textsFrom(5_000, 50));
  expect(storedTexts(databaseFile).toSorted()).toEqual(stored.toSorted());
  expect(await readiness()).toBe(200);
  expect(await outbox.runDue()).toMatchObject({ sent: stored.length });
  expect(readdirSync(settings.mailDir)).toHaveLength(stored.length);
});

test('a server that starts on a full disk says that nothing was saved, and asks to be restarted once there is space', async (context) => {
  const disk = smallDisk(context);
  // As where the data is on a disk of its own
  const file = join(temporaryFolder(), 'contact.db');
  symlinkSync(join(disk, 'contact.db'), file);
  const open = () => openWithFile({ DATABASE_URL: `file:${file}` });
  const before = await open();
  expect(await before.send('one')).toBe(200);
  await before.close();
  expect(() => writeFileSync(join(disk, 'others'), Buffer.alloc(2 ** 20))).toThrow('ENOSPC');
  const full = await open();
  expect([full.isAway, await full.send('two'), await full.readiness()]).toEqual([true, 503, 503]);
  expect(full.database.isInPlace()).toBe(true);
  expect(full.lines.join('')).toContain('is full.');
  execFileSync('mount', ['-o', 'remount,size=16m', disk]);
  expect([full.database.isInPlace(), await full.send('two')]).toEqual([false, 503]);
  const after = await open();
  expect([after.isAway, await after.send('three')]).toEqual([false, 200]);
  expect(storedTexts(file)).toEqual(['one', 'three']);
});
