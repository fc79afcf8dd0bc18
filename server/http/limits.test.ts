import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { type Engine, newDatabase, openAt } from '../../tests/support/database/new-database.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { call, formPost, MESSAGE, openTestService, peer, stopClocks } from '../../tests/support/service.ts';
import { createLog } from '../log.ts';
import { addressFinder, networksOf } from './client.ts';
import { createRateLimits, type RateLimits } from './limits.ts';

/** What several instances count in turn on one database, what they log, and that database. */
async function openLimits(engine: Engine, instances = 1) {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const url = await newDatabase(engine);
  const databases = await Promise.all(Array.from({ length: instances }, () => openAt(url)));
  const all = databases.map((database) => createRateLimits({ database, log }));
  const [first] = all as [RateLimits];
  const waits = (messages: number, from: (index: number) => string) =>
    Array.fromAsync({ length: messages }, async (_, index) => {
      return (await (all[index % instances] ?? first).countClient(from(index))).wait;
    });
  return { ...first, waits, lines, url };
}
const own = () => '203.0.113.9';
const none = (count: number) => Array<number>(count).fill(0);

test.each([
  ['nobody between', '203.0.113.9', null, '203.0.113.9'],
  ['a stranger who names somebody else', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['our proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['two of our proxies', '10.0.0.1', '198.51.100.1, 10.2.3.4', '198.51.100.1'],
  ['our proxy and an invented start', '10.0.0.1', '1.1.1.1, 2.2.2.2, 198.51.100.1', '198.51.100.1'],
  ['our proxy that says nothing', '10.0.0.1', null, '10.0.0.1'],
  ['our proxy that says nonsense', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
  ['ports', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
  ['IPv6 with brackets and port', '::ffff:10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
  ['IPv4 in IPv6 clothes', '::ffff:198.51.100.8', null, '198.51.100.8'],
  ['a proxy on IPv6', 'fd00::7', '2001:db8::1', '2001:db8::1'],
  ['a zone', 'fe80::1%eth0', null, 'fe80::1'],
  ['a connection that is gone', undefined, '198.51.100.1', 'unknown'],
])('the address of a visitor behind %s', (_, peer, forwardedFor, expected) => {
  const find = addressFinder(['10.0.0.0/8', 'fd00::7'], createLog('silent'));
  expect(find(peer, forwardedFor)).toBe(expected);
});

test('an IPv6 customer is one client, however the address is spelt', () => {
  for (const spelt of ['2001:db8:0:7::1', '2001:0DB8:0000:0007:ffff::', '2001:db8:0:7:1:2:3.4.5.6'])
    expect(networksOf(spelt)).toEqual({ own: '2001:0db8:0000:0007::/64', around: '2001:0db8:0000::/48' });
  expect(networksOf('::1').own).toBe('0000:0000:0000:0000::/64');
  expect(networksOf('192.0.2.1')).toEqual({ own: '192.0.2.1' });
});

test.each<[Engine, number]>([
  ['sqlite', 1],
  ['postgres', 2],
])('on %s, a client that sends too much waits, and nobody else does', async (engine, instances) => {
  const { waits, countClient, forgetExpired, lines } = await openLimits(engine, instances);
  stopClocks('Date', 'performance');
  for (let minute = 0; minute < 4; minute += 1) {
    expect(await waits(30, own)).toEqual(none(30));
    if (minute === 0) expect(await waits(2, own)).toEqual([60, 60]);
    vi.advanceTimersByTime(60_000);
    await forgetExpired();
  }
  // Refused ones count, too.
  expect(await waits(30, own)).toEqual([...none(28), 56 * 60, 56 * 60]);
  expect(await countClient('203.0.113.10')).toEqual({ wait: 0, before: 0 });
  vi.advanceTimersByTime(56 * 60_000);
  await forgetExpired();
  expect(await countClient(own())).toEqual({ wait: 0, before: 0 });
  expect(lines).toEqual([]);
});

test('a /48 may send four times as much as a /64, and stops a newcomer for a minute at most', async () => {
  const { waits, forgetExpired } = await openLimits('postgres');
  const newcomer = (index: number) => `2001:db8:0:${index.toString(16)}::1`;
  stopClocks('Date', 'performance');
  // One that sends too much uses up no more than its own share.
  await waits(40, () => newcomer(0));
  const others = await waits(150, (index) => newcomer(1 + index));
  expect(others.filter((wait) => wait === 0)).toHaveLength(90);
  expect(await waits(1, () => newcomer(999))).toEqual([60]);
  expect(await waits(1, () => '2001:db8:1::1')).toEqual([0]);
  vi.advanceTimersByTime(60_000);
  await forgetExpired();
  expect(await waits(1, () => newcomer(999))).toEqual([0]);
});

test.each([
  ['127.0.0.1', 200, 0],
  ['', 429, 1],
])('with TRUST_PROXY=%s, whoever sends too much reads how long to wait', async (proxy, another, warnings) => {
  const { app, lines } = await openTestService({ TRUST_PROXY: proxy });
  const from = peer('127.0.0.1');
  const visit = (address: string, headers = {}) =>
    app.request(...call(MESSAGE, { 'x-forwarded-for': address, ...headers }), from);
  stopClocks('Date', 'performance');
  // A call refused for its key uses nothing up.
  for (let index = 0; index < 40; index += 1)
    expect((await visit('203.0.113.9', { apikey: 'wrong' })).status).toBe(401);
  for (let index = 0; index < 30; index += 1)
    expect((await visit(`198.51.100.${index}, 203.0.113.9`)).status).toBe(200);
  // Nobody can shed their own address.
  const refused = await visit('198.51.100.30, 203.0.113.9');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  const error = expect.stringContaining('again in 1 min.');
  expect(await refused.json()).toEqual({ code: 'TOO_MANY_REQUESTS', error });
  const typed = { ...MESSAGE, message: 'one of many' };
  const page = await app.request(...formPost(typed, { 'x-forwarded-for': '203.0.113.9' }), from);
  expect([page.status, page.headers.get('retry-after')]).toEqual([429, '60']);
  expect(await page.text()).toContain('one of many');
  expect((await visit('203.0.113.10')).status, 'the next behind the proxy').toBe(another);
  const warned = lines.filter((line) => line.includes('a proxy that TRUST_PROXY does not name'));
  expect(warned, 'that they share a limit').toHaveLength(warnings);
  expect(lines.join('')).toContain('a client sends too much');
});

test('no more than twenty thousand addresses are remembered, and nobody is locked out', async () => {
  const { countClient: count } = await openLimits('sqlite');
  const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  for (let index = 0; index < 200_000; index += 1) {
    await count(address(index));
    if (index % 10_000 === 0) await count('seen again');
  }
  expect(await count('seen again')).toEqual({ wait: 0, before: 20 });
  for (const forgotten of [0, 100_000, 179_000].map(address))
    expect(await count(forgotten)).toEqual({ wait: 0, before: 0 });
});

test('when the database does not count, each instance counts for itself, asks again after five seconds, and forgets what expires more than an hour from now', async () => {
  const { url, waits, countClient, forgetExpired, lines } = await openLimits('postgres');
  stopClocks('Date', 'performance');
  await runSql(url, 'alter table rate_limit rename to elsewhere');
  expect(await waits(31, own)).toEqual([...none(30), 60]);
  await forgetExpired();
  expect(lines).toEqual([
    expect.stringMatching(/42P01.*the database does not count clients; this instance counts by itself/),
    expect.stringMatching(/42P01.*addresses that are no longer counted could not be forgotten yet/),
  ]);
  await runSql(url, 'alter table elsewhere rename to rate_limit');
  const keysAfter = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    await countClient('203.0.113.9');
    return runSql(url, 'select key from rate_limit order by key');
  };
  expect(await keysAfter(4_999)).toEqual([]);
  const keys = ['within 3600 s:203.0.113.9', 'within 60 s:203.0.113.9'].map((key) => ({ key }));
  expect(await keysAfter(1)).toEqual(keys);
  // As by a clock that ran ahead.
  const tooFar = Date.now() + 3_700_000;
  await runSql(url, `update rate_limit set expire = ${tooFar} where key like 'within 60 s%'`);
  await forgetExpired();
  expect(await runSql(url, 'select key from rate_limit')).toEqual(keys.slice(0, 1));
  vi.advanceTimersByTime(2 * 60 * 60_000);
  await forgetExpired();
  expect(await runSql(url, 'select key from rate_limit')).toEqual([]);
});

test('when the database does not count in time, nobody waits for it for over a second', async () => {
  const { url, waits } = await openLimits('postgres');
  const other = await openAt(url);
  await other.db.transaction().execute(async (transaction) => {
    await sql`lock table rate_limit in access exclusive mode`.execute(transaction);
    // On this clock, the wait ends after one second or never.
    stopClocks('setTimeout', 'clearTimeout');
    const counted = waits(1, own);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await counted).toEqual([0]);
    // Known to be slow, so it isn't asked again for a while: nothing advances the clock.
    expect(await waits(1, own)).toEqual([0]);
    vi.useRealTimers();
  });
});
