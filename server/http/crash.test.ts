import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
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
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import {
  beginToSend,
  type ServerProcess,
  startServer,
  submit,
} from '../../tests/support/service/server-process.ts';

type Row = { state: string; next_attempt_at: number };

function storedRows(folder: string): Row[] {
  const sqlite = new Database(join(folder, 'contact.db'), { readonly: true });
  const rows = sqlite.prepare<[], Row>('select state, next_attempt_at from contact_message').all();
  sqlite.close();
  return rows;
}

const storedStates = (folder: string) => storedRows(folder).map(({ state }) => state);

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
