import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openWith } from '../../tests/support/database/message-rows.ts';
import { createLog } from '../log.ts';
import {
  createOwnLimits,
  createRateLimits,
  FORGOTTEN_WITHIN_HOURS,
  REMEMBERED_CLIENTS,
} from './rate-limits.ts';

// The limiter only knows the system's clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
});

test('each message counts', async () => {
  const limits = createOwnLimits();
  const of = async (messages: number) => {
    const counted = [];
    for (let index = 0; index < messages; index += 1) counted.push(await limits.count('203.0.113.9'));
    return counted;
  };
  expect(await of(30)).toEqual(Array.from({ length: 30 }, (_, before) => ({ wait: 0, before })));
  expect(await of(2)).toEqual([
    { wait: 60, before: 30 },
    { wait: 60, before: 31 },
  ]);
  expect(await limits.count('203.0.113.9', 0)).toMatchObject({ before: 32 });
  expect(await limits.count('203.0.113.10')).toEqual({ wait: 0, before: 0 });
  expect(limits.remembered()).toBe(2);
  vi.advanceTimersByTime(59_001);
  expect(await of(1)).toEqual([{ wait: 1, before: 32 }]);
  vi.advanceTimersByTime(999);
  expect(await of(1)).toEqual([{ wait: 0, before: 33 }]);
});

test('of very many clients, the one seen longest ago is forgotten with what it had sent', async () => {
  const limits = createOwnLimits();
  for (const client of ['seen again', 'quiet'])
    for (let index = 0; index < 31; index += 1) await limits.count(client);
  for (let index = 2; index < REMEMBERED_CLIENTS; index += 1) await limits.count(`10.0.${index}`);
  await limits.count('seen again');
  expect(limits.remembered()).toBe(REMEMBERED_CLIENTS);
  await limits.count('one too many');
  expect(limits.remembered()).toBe(REMEMBERED_CLIENTS);
  expect((await limits.count('seen again')).wait).toBe(60);
  expect(await limits.count('quiet')).toEqual({ wait: 0, before: 0 });
});

test('keeping just under the short limit meets the long one', async () => {
  const limits = createOwnLimits();
  const waits: number[] = [];
  for (let minute = 0; minute < 10; minute += 1) {
    for (let index = 0; index < 30; index += 1) waits.push((await limits.count('a')).wait);
    vi.advanceTimersByTime(60_000);
  }
  expect(waits.filter((wait) => wait === 0)).toHaveLength(150);
  expect(waits[150]).toBe(55 * 60);
  vi.advanceTimersByTime(60 * 60_000);
  expect(await limits.count('a')).toEqual({ wait: 0, before: 0 });
});

test('an address is forgotten within two hours of its last message, and no sooner than its limit ends', async () => {
  const limits = createOwnLimits();
  await limits.count('203.0.113.9');
  vi.setSystemTime(Date.now() + 30 * 60_000);
  await limits.count('203.0.113.10');
  vi.setSystemTime(Date.now() + 30 * 60_000);
  await limits.forgetExpired();
  expect(limits.remembered()).toBe(2);
  vi.setSystemTime(Date.now() + 60_000);
  await limits.forgetExpired();
  expect(limits.remembered()).toBe(1);
  expect(FORGOTTEN_WITHIN_HOURS).toBe(2);
  vi.setSystemTime(Date.now() + 89 * 60_000);
  await limits.forgetExpired();
  expect(limits.remembered()).toBe(0);
});

test('on SQLite the only instance counts by itself, and asks no database', async () => {
  const lines: string[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(line) });
  const limits = createRateLimits({ database: await openWith([]), log });
  expect(await limits.count('203.0.113.9')).toEqual({ wait: 0, before: 0 });
  await limits.forgetExpired();
  expect(lines).toEqual([]);
});
