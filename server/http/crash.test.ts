import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { inLongRun } from '../../tests/long.ts';
import { startSmtpServer, textOf } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { startServer, submit, waitingIn } from '../../tests/support/service/server-process.ts';

const ROUNDS = inLongRun(100, 5);
const SENDERS = 16;

test('whenever the server is killed, every message that was answered 200 is mailed, and what is mailed again has the same Message-ID', {
  timeout: inLongRun(3_600_000, 300_000),
  retry: 0,
}, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'contact.db');
  const mail = await untilEnd(startSmtpServer());
  const start = () => startServer(folder, { SMTP_URL: mail.url });
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await start();
    let alive = true;
    const senders = Array.from({ length: SENDERS }, async (_, sender) => {
      for (let count = 0; alive; count += 1) {
        const text = `round ${round} sender ${sender} message ${count}`;
        sent.add(text);
        if ((await submit(server.url, text)) === 200) acknowledged.add(text);
      }
    });
    const enough = acknowledged.size + Math.floor(Math.random() * 60);
    await expect.poll(() => acknowledged.size, { interval: 5 }).toBeGreaterThan(enough);
    // Any moment between two answers, or during one.
    await wait(Math.random() * 40);
    server.kill('SIGKILL');
    alive = false;
    expect(await server.exited).toBe('SIGKILL');
    await Promise.all(senders);
    // As after two minutes, so that the next run picks up what this one was working on.
    const sqlite = new Database(file);
    sqlite.exec("update contact_message set next_attempt_at = 0 where state = 'waiting'");
    sqlite.close();
  }
  await start();
  await expect.poll(() => waitingIn(file), { timeout: 600_000, interval: 100 }).toBe(0);
  const mails = Map.groupBy(mail.received, textOf);
  expect([...acknowledged].filter((text) => !mails.has(text))).toEqual([]);
  expect([...mails.keys()].filter((text) => !sent.has(text))).toEqual([]);
  expect(new Set(mail.received.map(({ parsed }) => parsed.messageId)).size).toBe(mails.size);
});

test('a stop gives a mail that hangs back to the queue', {
  retry: 0,
}, async () => {
  const folder = temporaryFolder();
  const mail = await untilEnd(startSmtpServer());
  mail.hangAtContent();
  const server = await startServer(folder, { SMTP_URL: mail.url });
  expect(await submit(server.url, 'hello')).toBe(200);
  await expect.poll(() => mail.holding()).toBe(1);
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(server.out()).toMatch(/"stopping".*mail broken off by the stop.*"stopped"/s);
  const sqlite = new Database(join(folder, 'contact.db'));
  const rows = sqlite.prepare('select state, next_attempt_at <= ? as isDue from contact_message');
  // It doesn't wait for a lease.
  expect(rows.all(Date.now() + 1_000)).toEqual([{ state: 'waiting', isDue: 1 }]);
  sqlite.close();
});
