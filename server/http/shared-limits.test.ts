import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { newPostgresDatabase, stopTime } from '../../tests/support/database/test-postgres.ts';
import { call, openTestService } from '../../tests/support/service/open-test-service.ts';
import { createLog } from '../log.ts';
import { openPostgres } from '../messages/postgres/postgres.ts';
import { createRateLimits } from './rate-limits.ts';

/** Two instances that count on one Postgres, and what they log. */
async function twoInstances() {
  const url = await newPostgresDatabase();
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const instance = async () => {
    const database = await openPostgres(url, { connections: 1 });
    onTestFinished(() => database.close());
    const { pool } = database;
    // Not by `expect.poll`, which moves a fake clock.
    const settled = async () => {
      while (pool.waitingCount + pool.totalCount - pool.idleCount > 0) await setImmediate();
    };
    return { limits: createRateLimits({ database, log }), settled };
  };
  const [one, other] = [await instance(), await instance()];
  return { url, lines, limits: [one.limits, other.limits] as const, settled: one.settled };
}

test('what one instance counted counts for the other', async () => {
  const { limits, lines } = await twoInstances();
  stopTime();
  const [one, other] = limits;
  const counted = [];
  for (let index = 0; index < 30; index += 1)
    counted.push(await (index % 2 === 0 ? one : other).count('203.0.113.9'));
  expect(counted).toEqual(counted.map((_, before) => ({ wait: 0, before })));
  const refused = await one.count('203.0.113.9');
  expect(refused.before).toBe(30);
  expect(refused.wait).toBeGreaterThan(30);
  expect(refused.wait).toBeLessThanOrEqual(60);
  expect(await other.count('203.0.113.10')).toEqual({ wait: 0, before: 0 });
  expect(lines).toEqual([]);
});

test('a clock that ran ahead locks nobody out: an expiry further away than an hour is forgotten', async () => {
  const { url, limits, lines } = await twoInstances();
  const expires = (key: string, ms: number) =>
    runSql(url, `insert into rate_limit (key, points, expire) values ('${key}', 1, ${Date.now() + ms})`);
  await expires('over', -1_000);
  await expires('soon', 3_500_000);
  await expires('far', 3_700_000);
  await limits[0].forgetExpired();
  expect(await runSql(url, 'select key from rate_limit')).toEqual([{ key: 'soon' }]);
  expect(lines).toEqual([]);
});

test('a database that counts again is asked again after five seconds, not before', async () => {
  const { url, limits, lines, settled } = await twoInstances();
  stopTime();
  const count = async () => {
    await limits[0].count('203.0.113.9');
    return (await runSql(url, 'select key from rate_limit')).length;
  };
  await runSql(url, 'alter table rate_limit rename to elsewhere');
  await limits[0].count('203.0.113.9');
  // The first window's failure is the answer; the second one's question may still be on its way.
  await settled();
  await runSql(url, 'alter table elsewhere rename to rate_limit');
  vi.advanceTimersByTime(4_999);
  expect(await count()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(await count()).toBe(2);
  expect(lines).toHaveLength(1);
});

test('when the database does not count, each instance counts by itself', async () => {
  const url = await newPostgresDatabase();
  const { database, app } = await openTestService({ DATABASE_URL: url });
  await runSql(url, 'alter table rate_limit rename to elsewhere');
  const lines: string[] = [];
  const limits = createRateLimits({
    database,
    log: createLog('warn', { write: (line) => void lines.push(line) }),
  });
  const waits: number[] = [];
  for (let index = 0; index < 31; index += 1) waits.push((await limits.count('203.0.113.9')).wait);
  expect(waits.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 0));
  expect(waits[30]).toBeGreaterThan(30);
  expect(lines.join('')).toMatch(
    /42P01.*the database does not count clients; this instance counts by itself/,
  );
  await limits.forgetExpired();
  expect(lines.at(-1)).toMatch(/42P01.*addresses that are no longer counted could not be forgotten yet/);
  expect((await app.request(...call())).status).toBe(200);
});

test('an address is forgotten once it is no longer counted', async () => {
  const url = await newPostgresDatabase();
  const { database } = await openTestService({ DATABASE_URL: url });
  const limits = createRateLimits({ database, log: createLog('silent') });
  stopTime();
  for (let index = 0; index < 30; index += 1) await limits.count('203.0.113.9');
  expect((await limits.count('203.0.113.9')).wait).toBeGreaterThan(0);
  await limits.forgetExpired();
  const keys = () => runSql<{ key: string }>(url, 'select key from rate_limit order by key');
  expect((await keys()).map(({ key }) => key)).toEqual(['3600s:203.0.113.9', '60s:203.0.113.9']);
  await runSql(url, 'update rate_limit set expire = expire - 60 * 60 * 1000');
  await limits.forgetExpired();
  expect(await keys()).toEqual([]);
  expect(await limits.count('203.0.113.9')).toEqual({ wait: 0, before: 0 });
});

test('when the database does not count in time, nobody waits for it for over a second', async () => {
  const url = await newPostgresDatabase();
  const { database, app } = await openTestService({ DATABASE_URL: url });
  const other = await openPostgres(url);
  onTestFinished(() => other.close());
  await other.db.transaction().execute(async (transaction) => {
    await sql`lock table rate_limit in access exclusive mode`.execute(transaction);
    // On this clock, the wait ends after one second or never.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const limits = createRateLimits({ database, log: createLog('silent') });
    expect(vi.getTimerCount()).toBe(0);
    const counted = limits.count('203.0.113.9');
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await counted).wait).toBe(0);
    // Known to be slow, so it isn't asked again for a while: nothing advances the clock.
    expect((await limits.count('203.0.113.9')).wait).toBe(0);
    vi.useRealTimers();
    expect((await app.request(...call())).status).toBe(200);
  });
});
