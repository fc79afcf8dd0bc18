import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { expect, test } from 'vitest';
import { DEFAULT_ANON_KEY } from '../../contract/contact-message.ts';
import { storedRows } from '../../tests/support/database/stored-rows.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { startServer, submit, waitingIn } from '../../tests/support/service/server-process.ts';
import { MESSAGE, openTestService, PATH, temporaryFolder } from '../../tests/support/service.ts';
import { listen, PATIENCE, type Unhurried } from './listen.ts';

const HERE = { host: '127.0.0.1', port: 0 };
const BODY = JSON.stringify(MESSAGE);
const LARGE = ' '.repeat(5_000_000);

async function serve() {
  const service = await openTestService({ TRUST_PROXY: '127.0.0.1' });
  const { port } = await untilEnd(listen(service.app.fetch, { host: 'localhost', port: 0 }));
  return { ...service, port, url: `http://127.0.0.1:${port}` };
}

function post(headers: string[], body = '', { target = PATH, host = 'x' } = {}): string {
  const all = [`host: ${host}`, `apikey: ${DEFAULT_ANON_KEY}`, 'content-type: application/json', ...headers];
  return `POST ${target} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body}`;
}

const withoutKey = (request: string) => request.replace(DEFAULT_ANON_KEY, 'wrong');

function send(port: number, bytes: string | Buffer): Socket {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.write(bytes, 'latin1');
  // The server may hang up on us, which is an answer too.
  return socket.on('error', () => undefined);
}

function answerOn(socket: Socket): Promise<string> {
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  return new Promise((resolve) => socket.on('close', () => resolve(answer)));
}

const exchange = (port: number, bytes: string | Buffer) => answerOn(send(port, bytes).end());

const BAD = /^HTTP\/1\.1 400 /;
const BAD_OR_CLOSED = /^(HTTP\/1\.1 4\d\d |$)/;

const CHUNKED = 'transfer-encoding: chunked';
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

const LENGTH = `content-length: ${BODY.length}`;
const ODD = ['u:p@x', '1.2.3.4.5', 'x:65536', '[::1%25eth0]'];
const ADDRESSES = [
  ...[...ODD, '999.1.1.1', '0x100000000', 'xn--a', '[::1%eth0]', '[::', '\xff'].map((host) => ({ host })),
  ...ODD.map((host) => ({ target: `http://${host}${PATH}` })),
  ...['ftp://x/', 'x', '*', '', '@x', '.5', '/\\x'].map((target) => ({ target })),
];

type Case = [name: string, bytes: string | Buffer, answer: RegExp];

test('malformed or smuggled requests, and those for odd addresses, are refused, and the next visitor is served', async () => {
  const { store, lines, port, url } = await serve();
  // A request hidden in another's body is just a body.
  const inner = post([LENGTH], BODY);
  const hiding = post(['connection: close', `content-length: ${inner.length}`], inner);
  const cases: Case[] = [
    ['nothing', '', /^$/],
    ['no HTTP', '\0\x01\x02 hello\r\n\r\n', BAD],
    ['a TLS greeting', Buffer.from('16030100a5010000a10303', 'hex'), BAD],
    ['half the headers', post([]).slice(0, 60), BAD_OR_CLOSED],
    ['half a body', post([LENGTH], BODY.slice(0, 20)), BAD_OR_CLOSED],
    ['huge headers', post([`x-huge: ${'x'.repeat(100_000)}`]), BAD_OR_CLOSED],
    ['a huge address', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, BAD_OR_CLOSED],
    ['two lengths', post(['content-length: 5', 'content-length: 6'], BODY), BAD],
    ['length and chunks', post([LENGTH, CHUNKED], chunked(BODY)), BAD],
    ['a broken chunk size', post([CHUNKED], 'zz\r\nhello\r\n0\r\n\r\n'), BAD],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', BAD],
    ['a line end in a header', post(['x-a: b\nx-c: d\r\rx']), BAD],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', BAD_OR_CLOSED],
    ['two in one', hiding, /^HTTP\/1\.1 400 (?!.*HTTP\/1\.1)/s],
    ['an odd host', post([LENGTH], BODY, { host: '999.1.1.1' }), /^HTTP\/1\.1 400 .*x-request-id:/is],
    // Without the key, even one that can be read after all is refused.
    ...ADDRESSES.map(
      (where): Case => [JSON.stringify(where), withoutKey(post([LENGTH], BODY, where)), /^HTTP\/1\.1 4\d\d /],
    ),
  ];
  for (const [index, [name, bytes, answer]] of cases.entries()) {
    expect(await exchange(port, bytes), name).toMatch(answer);
    expect(await submit(url, `after ${name}`), name).toBe(200);
    expect((await store.counts()).waiting, name).toBe(index + 1);
  }
  expect(lines.join('')).not.toMatch(/unforeseen/);
});

test('a health check without a Host, as HTTP/1.0 has it, is answered, on IPv4 and where the machine has it on IPv6', async () => {
  const { port } = await serve();
  expect(await exchange(port, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  const ipv6 = await fetch(`http://[::1]:${port}/healthz`).then(
    ({ status }) => status,
    (error: Error & { cause?: { code?: string } }) => error.cause?.code,
  );
  expect([200, 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENETUNREACH']).toContain(ipv6);
});

test('whoever sends nothing, half a head or half a body is cut off in time and holds up nobody, unless they were allowed to take their time for an answer', async () => {
  const app = async (request: Request, env?: object) => {
    const socket: Unhurried = (env as HttpBindings).incoming.socket;
    socket.isUnhurried = request.url.endsWith('/file');
    return new Response(await request.text());
  };
  const fast = Object.fromEntries(Object.entries(PATIENCE).map(([name, ms]) => [name, ms / 20]));
  const { port } = await untilEnd(listen(app, HERE, undefined, fast as typeof PATIENCE));
  const file = send(port, post(['content-length: 4'], 'ha', { target: '/file' }));
  const whole = answerOn(file);
  const half = ['', post([]).slice(0, 70), post(['content-length: 500'], '{"name"')];
  const cut = Array.from({ length: 600 }, (_, index) => answerOn(send(port, half[index % 3] ?? '')));
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(200);
  for (const answer of await Promise.all(cut)) expect(answer).toMatch(BAD_OR_CLOSED);
  // And half a head, as if from the next visitor behind a proxy that keeps its connections.
  file.write(`lf${half[1]}`);
  expect(await whole).toMatch(/^HTTP\/1\.1 200 .*halfHTTP\/1\.1 408 /s);
  expect(
    Math.max(PATIENCE.headersTimeout, PATIENCE.requestTimeout) + PATIENCE.connectionsCheckingInterval,
  ).toBeLessThan(25_000);
});

const FORM = 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 0';

test.each([
  ['a page', 'GET /large.html HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a page that is missing', 'GET /missing HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['the form', `POST ${PATH} HTTP/1.1\r\nhost: x\r\n${FORM}\r\n\r\n`],
])('thousands of requests for %s at once, whose answers nobody reads, take no memory', async (_, request) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/large.html'), 'large '.repeat(50_000));
  const server = await startServer(folder);
  const bytes = request.repeat(62_000 / request.length);
  const floods = Array.from({ length: 50 }, () => send(server.port, ''));
  await Promise.all(floods.map((flood) => new Promise((resolve) => flood.write(bytes, resolve))));
  // A busy machine may take very long to get through what was sent before.
  expect(await submit(server.url, 'after', 200_000)).toBe(200);
  const status = () => readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  const megabytes = () => Number(/^VmRSS:\s+(\d+) kB/m.exec(status())?.[1]) / 1024;
  // After a while it uses about 90. What's held for good never goes below 300; garbage does.
  if (process.platform === 'linux') await expect.poll(megabytes).toBeLessThan(300);
});

test('an answer that makes no progress for a minute is given up', async () => {
  const arrived = Promise.withResolvers<Socket>();
  const large = (_: Request, env?: object) => {
    arrived.resolve((env as HttpBindings).incoming.socket);
    return new Response(new Uint8Array(2 ** 26));
  };
  const { port } = await untilEnd(listen(large, HERE));
  send(port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n').pause();
  const socket = await arrived.promise;
  expect(socket.timeout).toBe(60_000);
  // In the first minute, the system's own buffers take part of it.
  for (; !socket.destroyed; await setImmediate()) (socket as unknown as { _onTimeout(): void })._onTimeout();
});

test.each([
  ['a body that says how long it is', 413, post(['connection: close', 'content-length: 5000000'], LARGE)],
  ['a body in chunks', 413, post(['connection: close', CHUNKED], chunked(LARGE))],
  ['a body without the key', 401, withoutKey(post(['connection: close', 'content-length: 5000000'], LARGE))],
])('whoever sends %s of five megabytes reads why it’s refused: %i', async (_, status, bytes) => {
  const { port } = await serve();
  for (let round = 0; round < 10; round += 1)
    expect(await exchange(port, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*"error":`, 's'));
});

/** Sends one message after another on a connection that's kept, until nobody listens. Returns what came of each. */
async function sendOn(url: string, sender: number): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: string[] = [];
  for (let sent = 0; ; sent += 1) {
    const from = `10.${sender}.${sent >> 8}.${sent & 255}`;
    const headers = { 'content-type': 'application/json', apikey: DEFAULT_ANON_KEY, 'x-forwarded-for': from };
    const asking = request(url + PATH, { agent, method: 'POST', headers });
    asking.end(JSON.stringify({ ...MESSAGE, message: `${sender} ${sent}` }));
    try {
      const [response] = await once(asking, 'response');
      await once(response.resume(), 'end');
      answers.push(`${response.statusCode} ${response.headers.connection}`);
    } catch (error) {
      // Refused before it began.
      if ((error as NodeJS.ErrnoException).syscall === 'connect') return answers;
      answers.push(String(error));
    }
  }
}

// At the terminal, there's no time to fail readiness first.
test.each([
  ['SIGTERM', 'fails readiness first, '],
  ['SIGINT', ''],
] as const)('a stop by %s %scuts off nothing that was begun', { retry: 0 }, async (signal, first) => {
  const folder = temporaryFolder();
  const file = join(folder, 'contact.db');
  const mail = await untilEnd(startSmtpServer());
  mail.hangAtContent();
  const server = await startServer(folder, { SMTP_URL: mail.url });
  const senders = Array.from({ length: 12 }, (_, sender) => sendOn(server.url, sender));
  await expect.poll(() => waitingIn(file)).toBeGreaterThan(100);
  const half = post([LENGTH], BODY.slice(0, 20));
  const slow = send(server.port, half);
  const answer = answerOn(slow);
  // The rest of this one never comes.
  send(server.port, half);
  await fetch(`${server.url}/healthz`);
  server.kill(signal);
  const isReady = async () => (await fetch(`${server.url}/readyz`)).status;
  if (first) await expect.poll(isReady).toBe(503);
  const all = await Promise.all(senders);
  slow.write(BODY.slice(20));
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(await server.exited).toBe(0);
  expect(all.flat().filter((answer) => !answer.startsWith('200 '))).toEqual([]);
  const last = new Set(all.map((answers) => answers.at(-1)));
  expect([...last], 'each sender reads that its connection ends').toEqual(['200 close']);
  expect(server.out()).toMatch(/"stopping".*mail broken off by the stop.*"stopped"/s);
  expect(waitingIn(file)).toBe(all.flat().length + 1);
  const leased = storedRows(file, `next_attempt_at > ${Date.now()}`);
  expect(leased, 'mails that hang are given back, without a lease').toEqual([]);
});
