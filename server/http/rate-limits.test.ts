import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { inRanges } from '../../settings/near.ts';
import { inLongRun } from '../../tests/long.ts';
import { call, formPost, MESSAGE, openTestService } from '../../tests/support/service/open-test-service.ts';
import { clientAddress, clientKey } from './client-address.ts';
import { REMEMBERED_CLIENTS } from './rate-limits.ts';

// The limiter only knows the system's clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** What the HTTP server says about a request's connection. */
const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });

async function send(
  { app }: Awaited<ReturnType<typeof openTestService>>,
  peer: string,
  headers: Record<string, string> = {},
) {
  return app.request(...call(MESSAGE, headers), from(peer));
}

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
  ['IPv4 in IPv6 clothes', '::ffff:c633:6408', null, '198.51.100.8'],
  ['the same, spelt out', '0:0:0:0:0:FFFF:198.51.100.8', null, '198.51.100.8'],
  ['our proxy in them', '::ffff:a00:1', '[::ffff:c633:6408]:4711', '198.51.100.8'],
  ['a proxy on IPv6', 'fd00::7', '2001:db8::1', '2001:db8::1'],
  ['a zone', 'fe80::1%eth0', null, 'fe80::1'],
  ['a connection that is gone', undefined, '198.51.100.1', 'unknown'],
])('the address of a visitor behind %s', (_, peer, forwardedFor, expected) => {
  expect(clientAddress(peer, forwardedFor, inRanges(['10.0.0.0/8', 'fd00::7']))).toBe(expected);
});

test('an IPv6 customer is one client, however the address is spelt', () => {
  const keys = ['2001:db8:0:7::1', '2001:0DB8:0000:0007:ffff::', '2001:db8:0:7:1:2:3.4.5.6'].map(clientKey);
  expect(new Set(keys)).toEqual(new Set(['2001:db8:0:7::/64']));
  expect(clientKey('2001:db8:0:8::1')).toBe('2001:db8:0:8::/64');
  expect(clientKey('::1')).toBe('0:0:0:0::/64');
  expect(clientKey('192.0.2.1')).toBe('192.0.2.1');
});

test('a client that sends very much waits; all others do not', async () => {
  const service = await openTestService();
  for (let index = 0; index < 30; index += 1) {
    expect((await send(service, '203.0.113.9')).status).toBe(200);
  }
  const refused = await send(service, '203.0.113.9');
  expect(service.lines.filter((line) => line.includes('a client sends too much'))).toHaveLength(1);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  expect(await refused.json()).toEqual({
    code: 'TOO_MANY_REQUESTS',
    error: expect.stringMatching(/Please wait/),
  });
  expect((await send(service, '203.0.113.10')).status).toBe(200);
  vi.advanceTimersByTime(60_000);
  expect((await send(service, '203.0.113.9')).status).toBe(200);
});

test('a visitor without JavaScript who sent too much gets back what was typed', async () => {
  const { app } = await openTestService();
  const message = { ...MESSAGE, message: 'one of many' };
  for (let index = 0; index < 30; index += 1) await app.request(...formPost(message), from('203.0.113.9'));
  const refused = await app.request(...formPost(message), from('203.0.113.9'));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(await refused.text()).toContain('one of many');
});

test('behind a trusted proxy each visitor has a limit of their own, and cannot shed it', async () => {
  const service = await openTestService({ TRUST_PROXY: '127.0.0.1' });
  const visit = (invented: number, own: string) =>
    send(service, '127.0.0.1', { 'x-forwarded-for': `1.1.1.${invented}, ${own}` });
  for (let index = 0; index < 30; index += 1) expect((await visit(index, '203.0.113.9')).status).toBe(200);
  expect((await visit(99, '203.0.113.9')).status).toBe(429);
  expect((await visit(99, '203.0.113.10')).status).toBe(200);
});

test.each(['127.0.0.1', '172.17.0.1', '::1', 'fd00::1'])(
  'a proxy at %s that TRUST_PROXY forgets counts as one client, and is warned of once',
  async (peer) => {
    const service = await openTestService();
    const visit = async (from: string) => (await send(service, peer, { 'x-forwarded-for': from })).status;
    for (let index = 0; index < 30; index += 1) expect(await visit(`198.51.100.${index}`)).toBe(200);
    expect(await visit('198.51.100.30')).toBe(429);
    const warnings = service.lines.filter((line) => line.includes('TRUST_PROXY'));
    expect(warnings).toEqual([
      expect.stringContaining('a proxy that TRUST_PROXY does not name forwards the visitors'),
    ]);
  },
);

test('a request without the key is refused as before and uses nothing up', async () => {
  const service = await openTestService();
  for (let index = 0; index < 40; index += 1) {
    expect((await send(service, '203.0.113.9', { apikey: 'wrong' })).status).toBe(401);
  }
  expect((await send(service, '203.0.113.9')).status).toBe(200);
});

test('very many addresses take no more memory than twenty thousand, and lock nobody out', () => {
  // In its own process, which would die if its heap exceeded 64 MB, and can run the garbage collector.
  const script = `const { createOwnLimits } = await import(${JSON.stringify(join(import.meta.dirname, 'rate-limits.ts'))});
    const limits = createOwnLimits();
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < ${inLongRun(1_000_000, 200_000)}; index += 1) {
      await limits.count('10.' + (index >> 16) + '.' + ((index >> 8) & 255) + '.' + (index & 255));
    }
    globalThis.gc();
    const megabytes = (process.memoryUsage().heapUsed - before) / 2 ** 20;
    console.log(JSON.stringify({ remembered: limits.remembered(), megabytes, wait: (await limits.count('a')).wait }));`;
  const options = ['--max-old-space-size=64', '--expose-gc', '--input-type=module', '-e', script];
  const said = JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
  expect(said).toMatchObject({ remembered: REMEMBERED_CLIENTS, wait: 0 });
  expect(said.megabytes).toBeLessThan(20);
}, 600_000);
