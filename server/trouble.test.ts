import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { newPostgresDatabase } from '../tests/postgres.ts';
import { startSmtpServer } from '../tests/smtp-server.ts';
import { MESSAGE, openTestService, START } from './open-test-service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function webhook() {
  const posts: unknown[] = [];
  const answer = { status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    posts.push([
      request.method,
      request.headers['content-type'],
      JSON.parse(Buffer.concat(chunks).toString()),
    ]);
    response.writeHead(answer.status).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/secret?token=hush`;
  return { url, posts, answer };
}

async function openWithTrouble(env: Record<string, string> = {}) {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const hook = await webhook();
  const service = await openTestService({ SMTP_URL: mail.url, ALERT_WEBHOOK_URL: hook.url, ...env });
  const errors = () => service.lines.filter((line) => /"level":50.*Contact form/.test(line));
  /** One minute after the other, as the running server does it. */
  const pass = async (from: number, until: number) => {
    for (let now = from; now < until; now += MINUTE) {
      await service.outbox.runDue({ now });
      await service.trouble.check(now);
    }
  };
  return { ...service, mail, hook, errors, pass };
}

test('mail that fails for over 15 minutes is told in the log and to the webhook, once an hour', async () => {
  const { store, mail, hook, errors, pass, lines } = await openWithTrouble();
  await mail.goDown();
  await store.add({ ...MESSAGE, message: 'one' }, { now: START });
  await store.add({ ...MESSAGE, message: 'two' }, { now: START });
  await pass(START, START + 15 * MINUTE);
  expect([errors(), hook.posts]).toEqual([[], []]);
  await pass(START + 15 * MINUTE, START + 74 * MINUTE);
  expect([errors().length, hook.posts.length]).toEqual([1, 1]);
  expect(hook.posts[0]).toEqual([
    'POST',
    'application/json',
    {
      text: expect.stringMatching(
        /^Contact form: 2 messages could not be mailed for 15 minutes \(unreachable E\w+\)\. All are kept.*desk -- doctor/,
      ),
    },
  ]);
  await pass(START + 74 * MINUTE, START + 80 * MINUTE);
  expect([errors().length, hook.posts.length]).toEqual([2, 2]);
  await mail.comeBack();
  await pass(START + 6 * HOUR, START + 9 * HOUR);
  expect(hook.posts).toHaveLength(2);
  expect(JSON.stringify(hook.posts) + lines.join('')).not.toMatch(/Ana|ana@|hush|secret/);
});

test('messages set aside are told at once, then once a day, and a new one within the hour', async () => {
  const { store, mail, hook, pass } = await openWithTrouble();
  mail.failAt('recipient', 550);
  await store.add({ ...MESSAGE, message: 'one' }, { now: START });
  await pass(START, START + 3 * HOUR);
  expect(hook.posts).toHaveLength(1);
  expect(JSON.stringify(hook.posts)).toMatch(/1 message set aside/);
  await store.add({ ...MESSAGE, message: 'two' }, { now: START + 3 * HOUR });
  await pass(START + 3 * HOUR, START + 3 * HOUR + 5 * MINUTE);
  expect(hook.posts).toHaveLength(2);
  await pass(START + 4 * HOUR, START + 4 * HOUR + 3 * DAY);
  expect(hook.posts).toHaveLength(5);
});

test('a wrong password is trouble too', async () => {
  const { store, mail, errors, pass } = await openWithTrouble();
  mail.failAt('mail', 550);
  await store.add(MESSAGE, { now: START });
  await pass(START, START + 20 * MINUTE);
  expect(errors().join('')).toMatch(/1 message could not be mailed for \d+ minutes \(setup smtp-550\)/);
});

test('messages that only wait for their turn are no trouble', async () => {
  const { store, hook, errors, trouble } = await openWithTrouble();
  await store.add(MESSAGE, { now: START });
  await trouble.check(START + DAY);
  expect([errors(), hook.posts]).toEqual([[], []]);
});

test('messages that MAIL_PER_HOUR holds back for 15 minutes are told in the log and to the webhook, once an hour', async () => {
  const { store, hook, errors, pass } = await openWithTrouble({ MAIL_PER_HOUR: '4' });
  for (let index = 0; index < 5; index += 1)
    await store.add({ ...MESSAGE, message: `m ${index}` }, { now: START, sentBefore: index });
  await pass(START, START + 15 * MINUTE);
  expect([errors(), hook.posts]).toEqual([[], []]);
  await pass(START + 15 * MINUTE, START + 60 * MINUTE);
  expect([errors().length, hook.posts.length]).toEqual([1, 1]);
  expect(JSON.stringify(hook.posts)).toMatch(
    /Contact form: 3 messages waited for up to 15 minutes, because more came than MAIL_PER_HOUR \(4\)/,
  );
  await pass(START + 60 * MINUTE, START + 76 * MINUTE);
  expect(JSON.stringify(hook.posts[1])).toMatch(/1 message waited for up to 75 minutes/);
  await pass(START + 76 * MINUTE, START + 5 * HOUR);
  expect(hook.posts).toHaveLength(2);
  expect(await store.counts()).toMatchObject({ waiting: 0 });
});

test('a webhook that fails is tried again a minute later, and fills the log with nothing secret', async () => {
  const { store, mail, hook, errors, pass, lines } = await openWithTrouble();
  mail.failAt('recipient', 550);
  hook.answer.status = 500;
  await store.add(MESSAGE, { now: START });
  await pass(START, START + 3 * MINUTE);
  expect([errors().length, hook.posts.length]).toEqual([1, 3]);
  hook.answer.status = 200;
  await pass(START + 3 * MINUTE, START + 30 * MINUTE);
  expect(hook.posts).toHaveLength(4);
  expect(lines.join('')).not.toMatch(/hush|secret/);
});

test('of several servers on one Postgres one calls the owner, and another when that one could not', async () => {
  const hook = await webhook();
  const env = { DATABASE_URL: await newPostgresDatabase(), ALERT_WEBHOOK_URL: hook.url };
  const servers: Awaited<ReturnType<typeof openTestService>>[] = [];
  for (let count = 0; count < 3; count += 1) servers.push(await openTestService(env));
  const check = async (now: number) => {
    for (const { trouble } of servers) await trouble.check(now);
  };
  const [first] = servers;
  await first?.store.add({ ...MESSAGE, message: 'refused' }, { now: START });
  const claimed = await first?.store.claim(START, MINUTE);
  if (claimed) await first?.store.setAside(claimed, 'refused smtp-550');

  hook.answer.status = 500;
  await check(START);
  expect(hook.posts).toHaveLength(3);
  hook.answer.status = 200;
  await check(START + MINUTE);
  await check(START + 2 * HOUR);
  expect(hook.posts).toHaveLength(4);
  // An instance that has just begun knows no more than the database.
  servers.push(await openTestService(env));
  await check(START + 3 * HOUR);
  expect(hook.posts).toHaveLength(4);
  await check(START + MINUTE + DAY);
  expect(hook.posts).toHaveLength(5);
});
