import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import {
  call,
  MESSAGE,
  openTestService,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';

type TestService = Awaited<ReturnType<typeof openTestService>>;

/** The same words from several senders, whatever their numbers, are held back. */
const letter = (index: number) => String.fromCodePoint(0x4e00 + index);

/** Sends long messages, each from its own address, until one isn't stored. Returns the stored ones. */
async function fill({ app }: TestService): Promise<string[]> {
  const stored: string[] = [];
  for (let index = 0; index < 2000; index += 1) {
    const text = `${letter(index)} ${'x'.repeat(9_000)}`;
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

/** A small disk, or undefined if this user may not mount one. */
function smallDisk(): string | undefined {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
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
  expect(await statusesOfMany(service, 50, 5_000)).toEqual(new Set([200]));
  const texts = storedTexts(service.databaseFile);
  expect(texts).toHaveLength(stored.length + 50);
  expect(stored.filter((text) => !texts.includes(text))).toEqual([]);
  expect(await service.readiness()).toBe(200);
  expect(await service.outbox.runDue()).toMatchObject({ sent: stored.length + 50 });
  expect(readdirSync(service.settings.mailDir)).toHaveLength(stored.length + 50);
});

test('a server that starts on a full disk says that nothing was saved, and asks to be started anew once there is room', async (context) => {
  const disk = smallDisk();
  if (!disk) return context.skip('This user may not mount a small disk');
  const file = join(disk, 'contact.db');
  const open = () => openTestService({ DATABASE_URL: `file:${file}` });
  const before = await open();
  const send = async ({ app }: TestService, message: string) =>
    (await app.request(...call({ ...MESSAGE, message }))).status;
  expect(await send(before, 'before')).toBe(200);
  await before.close();
  expect(() => writeFileSync(join(disk, 'others'), Buffer.alloc(2 ** 20))).toThrow('ENOSPC');
  const full = await open();
  expect([full.isAway, await send(full, 'full'), await full.readiness(), isInPlace(full)]).toEqual([
    ...[true, 503, 503, true],
  ]);
  expect(full.lines.join('')).toMatch(/"fault":"The disk of .* is full\."/);
  execFileSync('mount', ['-o', 'remount,size=16m', disk]);
  expect([isInPlace(full), await send(full, 'full')]).toEqual([false, 503]);
  const after = await open();
  expect([after.isAway, await send(after, 'after')]).toEqual([false, 200]);
  expect(storedTexts(file)).toEqual(['before', 'after']);
});

const isInPlace = ({ database }: TestService) => database.engine === 'sqlite' && database.isInPlace();
