import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { runSql, startPostgres } from '../../tests/support/database/postgres-server.ts';
import { stopTime } from '../../tests/support/database/test-postgres.ts';
import {
  call,
  MESSAGE,
  openTestService,
  START,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';
import { smallChange } from './table.ts';

type TestService = Awaited<ReturnType<typeof openTestService>>;

/** The same words from several senders, whatever their numbers, are held back. */
const letter = (index: number) => String.fromCodePoint(0x4e00 + index);

/** Sends long messages, each from its own address, until one isn't stored. Returns the stored ones. */
async function fill({ app }: TestService, words = () => 'x'.repeat(9_000)): Promise<string[]> {
  const stored: string[] = [];
  for (let index = 0; index < 2000; index += 1) {
    const text = `${letter(index)} ${words()}`;
    const response = await app.request(...call({ ...MESSAGE, message: text }), from(index));
    if (response.status === 200) {
      stored.push(text);
      continue;
    }
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({
      code: 'NOT_STORED',
      error: expect.stringMatching(/could not be saved/),
    });
    return stored;
  }
  throw new Error('The disk never got full');
}

const from = (index: number) => ({
  incoming: { socket: { remoteAddress: `10.0.${index >> 8}.${index & 255}` } },
});

/** Each of many at once must get the true answer. */
async function statusesOfMany({ app }: TestService, count: number, start: number): Promise<Set<number>> {
  const responses = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      app.request(
        ...call({ ...MESSAGE, message: `${letter(start + index)} ${'y'.repeat(9_000)}` }),
        from(start + index),
      ),
    ),
  );
  return new Set(responses.map(({ status }) => status));
}

function storedTexts(file: string): string[] {
  const sqlite = new Database(file, { readonly: true });
  try {
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    return sqlite.prepare('select message from contact_message').pluck().all() as string[];
  } finally {
    sqlite.close();
  }
}

async function expectServiceAgain(service: TestService, stored: string[]): Promise<void> {
  expect(await statusesOfMany(service, 50, 5_000)).toEqual(new Set([200]));
  const texts = storedTexts(service.databaseFile);
  expect(texts).toHaveLength(stored.length + 50);
  expect(stored.filter((text) => !texts.includes(text))).toEqual([]);
  expect(await service.readiness()).toBe(200);
  expect(await service.outbox.runDue()).toMatchObject({ sent: stored.length + 50 });
  expect(readdirSync(service.settings.mailDir)).toHaveLength(stored.length + 50);
}

/** A small disk, or undefined if this user may not mount one. */
function smallDisk(options = 'size=1m'): string | undefined {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}

test('a visitor learns that the disk is full; nothing is spoiled, and all works again once there is space', async (context) => {
  const disk = smallDisk();
  if (!disk) return context.skip('This user may not mount a small disk');
  const service = await openTestService({
    DATABASE_URL: `file:${join(disk, 'contact.db')}`,
    MAIL_PER_HOUR: '100000',
  });
  const stored = await fill(service);
  expect(stored.length).toBeGreaterThan(10);
  expect(await statusesOfMany(service, 200, 3_000)).toEqual(new Set([503]));
  expect(await service.readiness()).toBe(503);
  expect(storedTexts(service.databaseFile)).toEqual(stored);
  expect(service.lines.join('')).toMatch(/SQLITE_FULL/);
  execFileSync('mount', ['-o', 'remount,size=16m', disk]);
  await expectServiceAgain(service, stored);
});

test('a visitor learns that Postgres has a full disk, and readiness fails until there is space', async (context) => {
  // Owned by the user the tests' Postgres runs as.
  const disk = smallDisk('size=12m,uid=65534,mode=700');
  if (!disk) return context.skip('This user may not mount a small disk');
  chmodSync(dirname(disk), 0o755);
  // Its own server, since a full tablespace fails the checkpoints of every other database on it.
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const admin = (text: string) => runSql(`${server.url}/postgres`, text);
  await admin(`create tablespace small_disk location '${disk}'`);
  await admin('create database on_small_disk tablespace small_disk');
  const service = await openTestService({ DATABASE_URL: `${server.url}/on_small_disk` });
  expect(await service.readiness()).toBe(200);
  const { blocks, bfree, bsize } = statfsSync(disk);
  execFileSync('mount', ['-o', `remount,size=${(blocks - bfree) * bsize + 262_144}`, disk]);
  // Random, because Postgres would compress a repeated letter to almost nothing.
  const stored = await fill(service, () => randomBytes(6_000).toString('base64'));
  // It changes one small row in place, and a full disk has room for that.
  await service.database.write(smallChange(service.database.db, START));
  expect(await service.readiness()).toBe(503);
  expect((await service.store.counts()).waiting).toBe(stored.length);
  execFileSync('mount', ['-o', 'remount,size=64m', disk]);
  expect(await service.readiness()).toBe(200);
  stopTime();
  expect(await statusesOfMany(service, 50, 5_000)).toEqual(new Set([200]));
});
