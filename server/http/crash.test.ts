import { connect } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { DEFAULT_ANON_KEY } from '../../contract/contact-message.ts';
import { figure, inLongRun } from '../../tests/long.ts';
import { startSmtpServer, type TestSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import {
  crashRounds,
  expectDelivered,
  messageIdOf,
  startAt,
  textOf,
} from '../../tests/support/service/crash-rounds.ts';
import { MESSAGE, PATH, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { type ServerProcess, startServer, submit } from '../../tests/support/service/server-process.ts';

type Row = { state: string; next_attempt_at: number };

function storedRows(folder: string): Row[] {
  const sqlite = new Database(join(folder, 'contact.db'), { readonly: true });
  const rows = sqlite.prepare<[], Row>('select state, next_attempt_at from contact_message').all();
  sqlite.close();
  return rows;
}

const storedStates = (folder: string) => storedRows(folder).map(({ state }) => state);

/** Sends the first twenty bytes of a message, and returns once the server has them. */
async function beginToSend(port: number, text: string) {
  const body = JSON.stringify({ ...MESSAGE, message: text });
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(answer)));
  const head = `host: x\r\napikey: ${DEFAULT_ANON_KEY}\r\ncontent-type: application/json`;
  const half = `POST ${PATH} HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`;
  await new Promise((resolve) => socket.write(half, resolve));
  await fetch(`http://127.0.0.1:${port}/healthz`);
  return { finish: () => socket.write(body.slice(20)), ended };
}

async function died(server: ServerProcess): Promise<void> {
  expect(await server.exited).toBe('SIGKILL');
}

test('whenever the server is killed, every message that was answered 200 is mailed', {
  timeout: inLongRun(3_600_000, 300_000),
  retry: 0,
}, async () => {
  const folder = temporaryFolder();
  const mail = await untilEnd(startSmtpServer());
  const result = await crashRounds(folder, mail, inLongRun(100, 5));
  expect(result.acknowledged.size).toBeGreaterThan(5);
  const { mails, duplicates } = await expectDelivered(mail, result);
  figure(
    `${inLongRun(100, 5)} kills under load, ${result.acknowledged.size} messages answered 200, ${mails} mails, ${duplicates} of them repeated`,
  );
});

test('killed after the insert and before the answer: the retry of the visitor is the same message', {
  retry: 0,
}, async () => {
  const folder = temporaryFolder();
  const mail = await untilEnd(startSmtpServer());
  const first = await startServer(folder, { SMTP_URL: mail.url, TEST_DIE_BEFORE_ANSWER: '1' });
  expect(await submit(first.url, 'hello')).toBeUndefined();
  await died(first);
  expect(storedStates(folder)).toEqual(['waiting']);
  const second = await startAt(folder, mail, 1);
  expect(await submit(second.url, 'hello')).toBe(200);
  await expect.poll(() => storedStates(folder)).toEqual(['sent']);
  expect(mail.received.map(textOf)).toEqual(['hello']);
});

test.each<
  [
    when: string,
    times: number,
    prepare: (mail: TestSmtpServer) => unknown,
    isThen: (mail: TestSmtpServer) => boolean,
  ]
>([
  ['before the mail', 1, (mail) => mail.goDown(), () => true],
  ['after the final dot, before the mark', 2, (mail) => mail.hangAtContent(), (mail) => mail.holding() === 1],
])(
  'killed after the answer, %s: mailed at the next start, %i times in all under one Message-ID',
  { retry: 0 },
  async (_, times, prepare, isThen) => {
    const folder = temporaryFolder();
    const mail = await untilEnd(startSmtpServer());
    await prepare(mail);
    const first = await startAt(folder, mail, 0);
    expect(await submit(first.url, 'hello')).toBe(200);
    await expect.poll(() => isThen(mail)).toBe(true);
    first.kill('SIGKILL');
    await died(first);
    expect(storedStates(folder)).toEqual(['waiting']);
    if (times === 1) await mail.comeBack();
    else mail.acceptAll();
    await startAt(folder, mail, 1);
    const mails = await mail.receives(times);
    expect(mails.map(textOf)).toEqual(Array(times).fill('hello'));
    expect(new Set(mails.map(messageIdOf)).size).toBe(1);
  },
);

test('a stop under load fails readiness first and finishes every request', { retry: 0 }, async () => {
  const folder = temporaryFolder();
  const mail = await untilEnd(startSmtpServer());
  const server = await startServer(folder, { SMTP_URL: mail.url });
  // Acts like a load balancer: checks readiness, and sends visitors for as long as that's fine.
  let ready = true;
  const statuses: (number | undefined)[] = [];
  const senders = Array.from({ length: 16 }, async (_, sender) => {
    for (let count = 0; ready; count += 1) statuses.push(await submit(server.url, `${sender} ${count}`));
  });
  await expect.poll(() => statuses.length).toBeGreaterThan(50);
  // A request that's only half received when the shutdown begins.
  const slow = await beginToSend(server.port, 'half way');

  server.kill('SIGTERM');
  while (ready) ready = (await fetch(`${server.url}/readyz`)).status === 200;
  await Promise.all(senders);
  slow.finish();
  expect(await slow.ended).toMatch(/^HTTP\/1\.1 200 /);
  expect(await server.exited).toBe(0);
  // On a busy machine this process may ask /readyz too late. Nobody takes its connection then, so it's undefined, and a
  // balancer would go to the next server; a request that was broken off would be stored without its answer.
  const answered = statuses.filter((status) => status !== undefined);
  expect(answered.filter((status) => status !== 200)).toEqual([]);
  expect(storedStates(folder)).toHaveLength(answered.length + 1);
});

test('a stop gives a mail that hangs back to the queue, and a sender that hangs up', {
  retry: 0,
}, async () => {
  const folder = temporaryFolder();
  const mail = await untilEnd(startSmtpServer());
  mail.hangAtContent();
  const server = await startAt(folder, mail, 0);
  expect(await submit(server.url, 'hello')).toBe(200);
  await expect.poll(() => mail.holding()).toBe(1);
  const hanging = await beginToSend(server.port, 'never finished');
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  await hanging.ended;
  expect(server.out()).toMatch(/"stopping".*mail broken off by the stop.*"stopped"/s);
  // It doesn't wait for a lease.
  expect(storedRows(folder)).toEqual([{ state: 'waiting', next_attempt_at: expect.any(Number) }]);
  expect(storedRows(folder)[0]?.next_attempt_at).toBeLessThanOrEqual(Date.now() + 1_000);
  mail.acceptAll();
  const before = mail.received.length;
  await startAt(folder, mail, 0);
  await mail.receives(before + 1);
});
