import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { storedTexts } from '../../tests/support/database/message-rows.ts';
import {
  call,
  MESSAGE,
  openTestService,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';

type TestService = Awaited<ReturnType<typeof openTestService>>;

/** Begins with a word of its own: the same words from several senders, whatever their numbers, are held back. */
const textOf = (index: number) => `${String.fromCodePoint(0x4e00 + index)} ${'x'.repeat(9_000)}`;

/** Sends a long message, each from its own address. Returns the status. */
async function send({ app }: TestService, index: number): Promise<number> {
  const from = { incoming: { socket: { remoteAddress: `10.0.${index >> 8}.${index & 255}` } } };
  return (await app.request(...call({ ...MESSAGE, message: textOf(index) }), from)).status;
}

/** Each of many at once must get the true answer. */
async function statusesOfMany(service: TestService, count: number, start: number): Promise<Set<number>> {
  return new Set(
    await Promise.all(Array.from({ length: count }, (_, index) => send(service, start + index))),
  );
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
  const stored: string[] = [];
  while ((await send(service, stored.length)) === 200) stored.push(textOf(stored.length));
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
  expect(await send(before, 0)).toBe(200);
  await before.close();
  expect(() => writeFileSync(join(disk, 'others'), Buffer.alloc(2 ** 20))).toThrow('ENOSPC');
  const full = await open();
  expect([full.isAway, await send(full, 1), await full.readiness()]).toEqual([true, 503, 503]);
  expect(isInPlace(full)).toBe(true);
  expect(full.lines.join('')).toMatch(/"fault":"The disk of .* is full\."/);
  execFileSync('mount', ['-o', 'remount,size=16m', disk]);
  expect([isInPlace(full), await send(full, 1)]).toEqual([false, 503]);
  const after = await open();
  expect([after.isAway, await send(after, 2)]).toEqual([false, 200]);
  expect(storedTexts(file)).toEqual([textOf(0), textOf(2)]);
});

const isInPlace = ({ database }: TestService) => database.engine === 'sqlite' && database.isInPlace();
