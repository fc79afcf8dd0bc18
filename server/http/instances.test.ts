import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { figure, inLongRun } from '../../tests/long.ts';
import { runSql, startPostgres } from '../../tests/support/database/postgres-server.ts';
import { startSmtpServer, textOf } from '../../tests/support/mail/smtp-server.ts';
import { startTcpProxy } from '../../tests/support/network/tcp-proxy.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { type ServerProcess, startServer, submit } from '../../tests/support/service/server-process.ts';

const MESSAGES = inLongRun(10_000, 500);
const SENDERS = 24;
/** Two minutes is too long to wait for, but on a slow machine a mail must still be sent and marked within the lease. */
const LEASE_MS = '15000';
/** Shorter than a visitor's browser would wait, so the next instance is tried sooner. */
const PATIENCE_MS = 1_500;
const PATIENT = { timeout: inLongRun(1_800_000, 200_000), interval: 200 };

/** The texts of the messages that are being mailed right now. */
async function inHand(url: string): Promise<string[]> {
  const rows = await runSql<{ message: string }>(
    url,
    "select message from contact_message where state = 'waiting' and attempts > 0 and last_error is null",
  );
  return rows.map(({ message }) => message);
}

/** What a server sent before it was frozen is carried out all the same. */
async function allCommitted(url: string): Promise<void> {
  const [frozen] = await runSql<{ at: string }>(url, 'select clock_timestamp()::text as at');
  const running = `select pid from pg_stat_activity
    where datname = current_database() and state = 'active' and xact_start < '${frozen?.at}'`;
  await expect.poll(() => runSql(url, running), PATIENT).toEqual([]);
}

/** How many of these haven't been mailed yet. */
async function notSent(url: string, texts: Iterable<string>): Promise<number> {
  const wanted = new Set(texts);
  const rows = await runSql<{ message: string }>(
    url,
    "select message from contact_message where state <> 'sent'",
  );
  return rows.filter(({ message }) => wanted.has(message)).length;
}

test('of three instances one is killed, one is frozen and the database is restarted: every message arrives', {
  timeout: inLongRun(3_600_000, 300_000),
  retry: 0,
}, async () => {
  const postgres = await untilEnd(startPostgres());
  const url = `${postgres.url}/postgres`;
  const mail = await untilEnd(startSmtpServer());
  const folder = temporaryFolder();
  const start = () => startServer(folder, { DATABASE_URL: url, SMTP_URL: mail.url, TEST_LEASE_MS: LEASE_MS });
  const servers = await Promise.all([start(), start(), start()]);
  const [killed, frozen] = servers as [ServerProcess, ServerProcess, ServerProcess];
  const balancer = await startTcpProxy(servers.map(({ port }) => port));
  const address = `http://127.0.0.1:${balancer.port}`;

  // Each retries its messages until they're accepted, as a visitor would.
  const acknowledged = new Set<string>();
  let sent = 0;
  let tries = 0;
  let goal = 0;
  let goOn = () => {};
  let mayGoOn = Promise.resolve();
  const pauseAt = (share: number) => {
    goal = Math.round(share * MESSAGES);
    goOn();
    mayGoOn = new Promise((resolve) => {
      goOn = resolve;
    });
  };
  pauseAt(0);
  const sending = Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (sent < MESSAGES) {
        while (sent >= goal) await mayGoOn;
        const text = `message ${sent}`;
        sent += 1;
        for (tries += 1; (await submit(address, text, PATIENCE_MS)) !== 200; tries += 1) await wait(100);
        acknowledged.add(text);
      }
    }),
  );
  const acknowledgedAre = (share: number) =>
    expect
      .poll(() => acknowledged.size, { ...PATIENT, interval: 10 })
      .toBeGreaterThanOrEqual(Math.round(share * MESSAGES) - SENDERS);

  const startedAt = performance.now();
  pauseAt(0.4);
  await acknowledgedAre(0.2);
  killed.kill('SIGKILL');
  expect(await killed.exited).toBe('SIGKILL');
  const inHandAtKill = await inHand(url);

  await acknowledgedAre(0.3);
  frozen.kill('SIGSTOP');
  await allCommitted(url);
  const inHandAtFreeze = await inHand(url);
  // Meanwhile, the third works alone.
  pauseAt(0.7);
  await acknowledgedAre(0.5);
  // It wakes after its lease has ended and the third has mailed what it had in hand.
  await expect.poll(() => notSent(url, inHandAtFreeze), PATIENT).toBe(0);
  frozen.kill('SIGCONT');

  await acknowledgedAre(0.6);
  await postgres.stop();
  pauseAt(1);
  const before = tries;
  await expect.poll(() => tries, PATIENT).toBeGreaterThan(before + SENDERS);
  await postgres.start();
  await sending;
  const answeredAfter = performance.now() - startedAt;
  await expect.poll(() => notSent(url, acknowledged), PATIENT).toBe(0);
  const mailedAfter = performance.now() - startedAt;

  expect(servers.map(({ child }) => child.exitCode ?? child.signalCode)).toEqual(['SIGKILL', null, null]);
  expect(acknowledged.size).toBe(MESSAGES);
  const mails = Map.groupBy(mail.received, textOf);
  expect([...acknowledged].filter((text) => !mails.has(text))).toEqual([]);
  const ids = new Set(mail.received.map(({ parsed }) => parsed.messageId));
  // Each message has one Message-ID, so duplicates can be recognized.
  expect([ids.size, mails.size]).toEqual([MESSAGES, MESSAGES]);
  const repeated = [...mails].filter(([, each]) => each.length > 1).map(([text]) => text);
  expect(repeated.filter((text) => ![...inHandAtKill, ...inHandAtFreeze].includes(text))).toEqual([]);
  figure(
    `${MESSAGES} messages through three instances, one killed, one frozen past its lease, the database restarted: ` +
      `${tries} tries, ${mail.received.length} mails, ${repeated.length} of them repeated; ` +
      `in hand were ${inHandAtKill.length} at the kill and ${inHandAtFreeze.length} at the freeze; ` +
      `all answered after ${Math.round(answeredAfter / 1000)} s, all mailed after ${Math.round(mailedAfter / 1000)} s`,
  );
});
