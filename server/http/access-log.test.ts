import { expect, test } from 'vitest';
import { openTestService } from '../../tests/support/service/open-test-service.ts';
import { servedSite } from '../../tests/support/site/served-site.ts';

async function linesOf(ask: (url: string) => Promise<unknown>, env: Record<string, string> = {}) {
  const { pages, listen } = servedSite({ 'index.html': '<h1>Home</h1>', '404.html': 'Not here' });
  const service = await openTestService(env, { pages });
  await ask(await listen(service));
  // The server's end of a connection closes a moment after the client's.
  const read = () =>
    service.lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'page answered');
  return read;
}

test('each request for a page is one line: method, path without query, status, time and size', async () => {
  const read = await linesOf(async (url) => {
    await (await fetch(`${url}/?secret=1#x`)).text();
    await (await fetch(`${url}/index.html`, { method: 'HEAD' })).text();
    await (await fetch(`${url}/`, { headers: { 'if-none-match': '*' } })).text();
    await (await fetch(`${url}/ana@example.org/secret`)).text();
  });
  await expect.poll(read).toHaveLength(4);
  const lines = read();
  expect(lines.map(({ method, path, status, bytes }) => [method, path, status, bytes])).toEqual(
    expect.arrayContaining([
      ['GET', '/', 200, 13],
      ['HEAD', '/index.html', 200, 0],
      ['GET', '/', 304, 0],
      ['GET', '(no such file)', 404, 8],
    ]),
  );
  for (const line of lines) {
    expect(Object.keys(line).toSorted()).toEqual([
      'bytes',
      'level',
      'method',
      'ms',
      'msg',
      'path',
      'status',
      'time',
    ]);
    expect(line.ms).toBeGreaterThanOrEqual(0);
  }
});

test('at LOG_LEVEL=warn pages leave no line', async () => {
  const read = await linesOf(async (url) => (await fetch(url)).text(), { LOG_LEVEL: 'warn' });
  expect(read()).toEqual([]);
});
