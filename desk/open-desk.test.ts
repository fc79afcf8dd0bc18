import { rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '../server/messages/open.ts';
import { openTestDesk, runDesk } from '../tests/support/desk/desk-process.ts';
import { ask, openDeskPage } from '../tests/support/desk/open-desk-page.ts';
import { freePort } from '../tests/support/network/free-port.ts';
import { temporaryFolder } from '../tests/support/service/open-test-service.ts';

async function open(env: Record<string, string> = {}) {
  const desk = await openTestDesk('sqlite');
  const page = await openDeskPage(desk.folder, { DATABASE_URL: desk.url, ...env });
  onTestFinished(async () => void (await page.close()));
  return { ...desk, ...page };
}

/** Opens the link, as a browser does. */
async function enter(link: string): Promise<Record<string, string>> {
  const { headers } = await ask(link);
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

test('no command opens the desk, and with wrong settings says so rather than showing the help', async () => {
  const { code, out, err } = await runDesk(temporaryFolder(), [], { env: { PORT: 'a' } });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('PORT');
});

test('where nobody would see a browser the link is printed, over SSH with the tunnel, and Ctrl+C ends it', async () => {
  const { link, said, close, origin } = await open({ SSH_CONNECTION: '203.0.113.9 5 203.0.113.10 22' });
  const { port } = new URL(origin);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/desk\/enter\/[\w-]{43}$/);
  expect(said()).toContain(`ssh -L ${port}:127.0.0.1:${port}`);
  expect(await close()).toBe(0);
  await expect(ask(link)).rejects.toThrow('ECONNREFUSED');
});

test('a port that’s taken is reported, with another one to choose', async () => {
  const { origin, run } = await open();
  const { port } = new URL(origin);
  const { code, err } = await run(['open', '--port', port]);
  expect(code).toBe(1);
  expect(err).toContain(`npm run desk -- open --port ${Number(port) + 1}`);
  expect(await run(['open', '--port', '70000'])).toMatchObject({ code: 2 });
});

test('two hours without a request end it', async () => {
  // Two hours in a moment.
  const hurry = `const wait = setTimeout; globalThis.setTimeout = (work, ms, ...rest) =>
    wait(work, ms === 7_200_000 ? 500 : ms, ...rest)`;
  const { ended } = await open({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hurry)}`,
  });
  expect(await ended).toEqual([0, null]);
});

test('only this machine reaches it', async () => {
  const { origin, address } = await open();
  const { port } = new URL(origin);
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address }) => address !== '127.0.0.1' && !address.startsWith('fe80'))
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  for (const address of others)
    await expect(ask(`http://${address}:${port}/`), address).rejects.toThrow(/ECONNREFUSED|EADDRNOTAVAIL/);
  expect((await ask(`${address}/`)).status).toBe(403);
});

test('the link works once, gives a cookie that no script reads, and leads to an address without the secret', async () => {
  const { link, address } = await open();
  const asked = await ask(link, { method: 'HEAD' });
  expect(asked.status, 'asking whether it is there uses nothing up').toBe(403);
  const first = await ask(link);
  expect(first).toMatchObject({ status: 303, body: '' });
  expect(first.headers.location).toBe('/desk');
  const [cookie = ''] = first.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^desk-\d+=[\w-]{43}; Path=\/desk; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(link.split('/').at(-1));
  const second = await ask(link);
  expect(second.status).toBe(403);
  expect(second.headers['set-cookie']).toBeUndefined();
  expect(second.body).toContain('This link has been used.');
  expect(second.body).toContain('run npm run desk again');
  const session = { cookie: cookie.split(';')[0] ?? '' };
  expect((await ask(`${address}/messages`, { headers: session })).status).toBe(200);
  expect((await ask(`${address}/enter/wrong`, { headers: session })).status).toBe(403);
});

describe('what is refused', () => {
  const PATHS = [
    '/',
    '/messages',
    '/settings',
    '/check',
    '/messages/export.csv',
    '/messages/erase?email=ana@example.org',
  ];

  test('everything, without the session or with another one', async () => {
    const { link, origin, address, add } = await open();
    const { id } = await add();
    await ask(link);
    const { port } = new URL(origin);
    for (const path of [...PATHS, `/messages/${id}`, '/nowhere']) {
      for (const headers of [{}, { cookie: `desk-${port}=guess` }]) {
        const { status, body } = await ask(`${address}${path}`, { headers });
        expect({ path, status }).toEqual({ path, status: 403 });
        expect(body).toContain('isn’t open in this browser');
        expect(body).not.toContain('Ana Souza');
      }
    }
  });

  test('every host but its own, whatever the cookie: another name may be a stranger’s', async () => {
    const { link, origin, address } = await open();
    const session = await enter(link);
    const { port } = new URL(origin);
    const hosts = ['evil.example', `evil.example:${port}`, `localhost:${port}`, '127.0.0.1', '127.0.0.1:1'];
    for (const host of hosts) {
      const { status, body } = await ask(`${address}/`, { headers: { ...session, host } });
      expect({ host, status }).toEqual({ host, status: 403 });
      expect(body).toContain('This isn’t the desk.');
    }
  });

  test('posts and loads from elsewhere, whatever the cookie', async () => {
    const { link, origin, address, add, rows } = await open();
    const { id } = await add();
    const session = await enter(link);
    const spam = `${address}/messages/${id}/spam`;
    const from = (headers: Record<string, string>, address = spam, method = 'POST') =>
      ask(address, { method, headers: { ...session, ...headers } });
    const foreign = [
      {},
      { origin: 'http://evil.example' },
      { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const { status } = await from(headers);
      expect({ headers, status }).toEqual({ headers, status: 403 });
    }
    expect((await rows())[0]?.state).toBe('sent');
    for (const site of ['cross-site', 'same-site'])
      expect((await from({ 'sec-fetch-site': site }, `${address}/`, 'GET')).status).toBe(403);
    expect((await from({ origin: 'null', 'sec-fetch-site': 'same-origin' })).status).toBe(303);
    expect((await rows())[0]?.state).toBe('spam');
    expect((await from({ origin }, `${address}/messages/${id}/not-spam`)).status).toBe(303);
    expect((await rows())[0]?.state).toBe('sent');
  });

  test('a link that is opened from another page stays unused', async () => {
    const { link } = await open();
    expect((await ask(link, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    expect((await ask(link, { headers: { 'sec-fetch-site': 'none' } })).status).toBe(303);
  });
});

test('no page can be framed, kept, or run anything', async () => {
  const { link, address } = await open();
  const session = await enter(link);
  for (const path of ['/', '/nowhere', '/enter/again']) {
    const { headers } = await ask(`${address}${path}`, { headers: session });
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
    expect(headers['content-security-policy']).not.toMatch(/script|unsafe|http|\*/);
  }
});

describe('without a database', () => {
  const missing = () => `file:${join(temporaryFolder(), 'contact.db')}`;
  function broken(): string {
    const file = join(temporaryFolder(), 'contact.db');
    writeFileSync(file, 'This is no database. '.repeat(500));
    return `file:${file}`;
  }
  const kinds: [string, () => string | Promise<string>, string][] = [
    ['a file that is missing', missing, 'There is no database at'],
    ['a file that is broken', broken, 'is damaged, or is no SQLite database'],
    ['a Postgres that is down', async () => `postgres://her@127.0.0.1:${await freePort()}/desk`, 'Postgres'],
  ];

  test.each(kinds)('each page says that %s, and which pages still work', async (_, url, words) => {
    const page = await openDeskPage(temporaryFolder(), { DATABASE_URL: await url() });
    onTestFinished(async () => void (await page.close()));
    const session = await enter(page.link);
    for (const path of ['/', '/messages', '/messages/0000aaaa', '/messages/erase?email=a@example.org']) {
      const { status, body } = await ask(`${page.address}${path}`, { headers: session });
      expect({ path, status }).toEqual({ path, status: 503 });
      expect(body).toContain('Your messages can’t be reached just now.');
      expect(body).toContain(words);
      expect(body).toContain('Words, Settings and Check still work.');
    }
    for (const path of ['/settings', '/check/findings'])
      expect((await ask(`${page.address}${path}`, { headers: session })).status).toBe(200);
  });

  test('it goes on by itself when the database is back', async () => {
    const url = missing();
    const page = await openDeskPage(temporaryFolder(), { DATABASE_URL: url });
    onTestFinished(async () => void (await page.close()));
    const session = await enter(page.link);
    const file = url.slice('file:'.length);
    writeFileSync(file, 'This is no database. '.repeat(500));
    expect((await ask(`${page.address}/`, { headers: session })).status).toBe(503);
    rmSync(file);
    await (await openSqlite(file)).close();
    expect((await ask(`${page.address}/messages`, { headers: session })).status).toBe(200);
  });
});
