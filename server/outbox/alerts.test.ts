import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { startWebhookServer } from '../../tests/support/network/webhook-server.ts';
import {
  call,
  MESSAGE,
  openTestService,
  refuseInserts,
  START,
} from '../../tests/support/service/open-test-service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const textsOf = ({ posted }: { posted: { body: string }[] }): string[] =>
  posted.map(({ body }) => JSON.parse(body).text);

async function openWithTrouble(env: Record<string, string> = {}) {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const hook = await startWebhookServer();
  const service = await openTestService({ SMTP_URL: mail.url, ALERT_WEBHOOK_URL: hook.url, ...env });
  const errors = () => service.lines.filter((line) => /"level":50.*Contact form/.test(line));
  /** Minute by minute, as the running server does it. */
  const pass = async (from: number, until: number, step = MINUTE) => {
    for (let now = from; now < until; now += step) {
      await service.outbox.runDue({ now });
      await service.trouble.check(now);
    }
  };
  return { ...service, mail, hook, errors, pass };
}

test('mail that fails for over 15 minutes is reported in the log and to the webhook, once an hour', async () => {
  const { store, mail, hook, errors, pass, lines } = await openWithTrouble();
  await mail.goDown();
  await store.add({ ...MESSAGE, message: 'one' }, { now: START });
  await store.add({ ...MESSAGE, message: 'two' }, { now: START });
  await pass(START, START + 15 * MINUTE);
  expect([errors(), hook.posted]).toEqual([[], []]);
  await pass(START + 15 * MINUTE, START + 74 * MINUTE);
  expect([errors().length, hook.posted.length]).toEqual([1, 1]);
  expect(textsOf(hook)[0]).toMatch(
    /^Contact form: 2 messages could not be mailed for 15 minutes: the mail server could not be reached \(E\w+\)\. All are kept.*npm run desk doctor/,
  );
  await pass(START + 74 * MINUTE, START + 80 * MINUTE);
  expect([errors().length, hook.posted.length]).toEqual([2, 2]);
  await mail.comeBack();
  await pass(START + 6 * HOUR, START + 9 * HOUR, 15 * MINUTE);
  expect(hook.posted).toHaveLength(2);
  expect(JSON.stringify(textsOf(hook)) + lines.join('')).not.toMatch(/Ana|ana@|hush|secret/);
});

test('a webhook that fails is tried again a minute later, and fills the log with nothing secret', async () => {
  const { store, mail, hook, errors, pass, lines } = await openWithTrouble();
  mail.failAt('content', 550);
  hook.answer.status = 500;
  await store.add(MESSAGE, { now: START });
  await pass(START, START + 3 * MINUTE);
  expect([errors().length, hook.posted.length]).toEqual([1, 3]);
  hook.answer.status = 200;
  await pass(START + 3 * MINUTE, START + 30 * MINUTE);
  expect(hook.posted).toHaveLength(4);
  expect(lines.join('')).not.toContain('cannot be asked');
  expect(lines.join('')).toMatch(/"status":500,.*ALERT_WEBHOOK_URL does not take the alert/);
  await hook.goDown();
  await pass(START + DAY + 5 * MINUTE, START + DAY + 6 * MINUTE);
  expect(lines.join('')).toMatch(
    /"type":"TypeError","code":"(ECONNREFUSED|UND_ERR_SOCKET)",.*ALERT_WEBHOOK_URL cannot be reached/,
  );
  expect(lines.join('')).not.toMatch(/hush|secret/);
});

test('one of several servers on a Postgres alerts the owner, or another if it could not', async () => {
  const hook = await startWebhookServer();
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
  expect(hook.posted).toHaveLength(3);
  hook.answer.status = 200;
  await check(START + MINUTE);
  await check(START + 2 * HOUR);
  expect(hook.posted).toHaveLength(4);
  // An instance that has only just started knows no more than the database.
  servers.push(await openTestService(env));
  await check(START + 3 * HOUR);
  expect(hook.posted).toHaveLength(4);
  await check(START + MINUTE + DAY);
  expect(hook.posted).toHaveLength(5);
});

/** A service whose database can be made to refuse messages, and to take them again. */
async function openWithOutage(env: Record<string, string> = {}) {
  const hook = await startWebhookServer();
  const service = await openTestService({ ALERT_WEBHOOK_URL: hook.url, ...env });
  const texts = () => textsOf(hook);
  const logged = () => service.lines.filter((line) => line.includes('VISITORS ARE TURNED AWAY'));
  let makeRoom: () => Promise<unknown> = async () => undefined;
  const fill = async () => {
    makeRoom = await refuseInserts(service.database);
  };
  const refuse = async () => {
    expect((await service.app.request(...call())).status).toBe(503);
    await service.trouble.settled();
  };
  return { ...service, hook, texts, logged, fill, makeRoom: () => makeRoom(), refuse };
}

test.each(['sqlite', 'postgres'])(
  'on %s, the owner hears at once that visitors are turned away, hourly while it lasts, and when it is over',
  async (engine) => {
    const env = engine === 'postgres' ? { DATABASE_URL: await newPostgresDatabase() } : {};
    const service = await openWithOutage(env);
    const { trouble, texts, logged, lines, hook } = service;
    await service.fill();
    await service.refuse();
    expect(texts()).toEqual([expect.stringMatching(/VISITORS ARE TURNED AWAY.*1 visitor was asked/)]);
    expect(logged()).toEqual([expect.stringMatching(/"level":50/)]);
    await service.refuse();
    for (let minute = 1; minute < 60; minute += 1) await trouble.check(START + minute * MINUTE);
    expect([texts().length, logged().length]).toEqual([1, 1]);
    await trouble.check(START + HOUR);
    expect([texts().length, logged().length]).toEqual([2, 2]);
    await service.makeRoom();
    for (let minute = 61; minute < 70; minute += 1) await trouble.check(START + minute * MINUTE);
    expect(texts().slice(2)).toEqual([
      expect.stringMatching(/messages are saved again. For 60 minutes they couldn't be, and 2 visitors were/),
    ]);
    expect(JSON.stringify(textsOf(hook)) + lines.join('')).not.toMatch(/Ana|ana@|stock|hush|secret/);
  },
);

test('a database that takes messages only now and then is one trouble, not one each minute', async () => {
  const { trouble, texts, fill, makeRoom } = await openWithOutage();
  for (let minute = 0; minute < 60; minute += 2) {
    await fill();
    await trouble.check(START + minute * MINUTE);
    await makeRoom();
    await trouble.check(START + minute * MINUTE + 30_000);
    await fill();
    await trouble.check(START + (minute + 1) * MINUTE);
    await makeRoom();
  }
  expect(texts()).toEqual([expect.stringMatching(/TURNED AWAY/)]);
});

test('an end that the webhook did not take is sent again a minute later', async () => {
  const { trouble, texts, hook, fill, makeRoom } = await openWithOutage();
  await fill();
  await trouble.check(START);
  await makeRoom();
  hook.answer.status = 500;
  await trouble.check(START + MINUTE);
  hook.answer.status = 200;
  await trouble.check(START + 2 * MINUTE);
  await trouble.check(START + 3 * MINUTE);
  expect(texts().map((text) => /saved again/.test(text))).toEqual([false, true, true]);
});

test('a deleted database file is reported with what to do', async () => {
  const { trouble, texts, databaseFile } = await openWithOutage();
  rmSync(databaseFile);
  await trouble.check(START);
  expect(texts()).toEqual([expect.stringMatching(/no longer the file.*move it back/)]);
});

test('a database that cannot even be asked is reported too', async () => {
  const { trouble, texts, database, lines } = await openWithOutage();
  await database.db.schema.alterTable('contact_message').renameTo('away').execute();
  await trouble.check(START);
  expect(texts()).toEqual([expect.stringContaining('VISITORS ARE TURNED AWAY')]);
  expect(lines.join('')).toMatch(/SQLITE_ERROR.*the database cannot be asked whether mails fail/);
});
