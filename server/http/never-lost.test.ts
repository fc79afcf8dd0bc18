import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { inLongRun } from '../../tests/long.ts';
import { runSql, startPostgres } from '../../tests/support/database/postgres-server.ts';
import { startSmtpServer, type TestSmtpServer, textOf } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import {
  type ServerProcess,
  startServer,
  submit,
  waitingIn,
} from '../../tests/support/service/server-process.ts';
import { temporaryFolder } from '../../tests/support/service.ts';

const MESSAGES = inLongRun(10_000, 300);
const KILLS = inLongRun(100, 5);
const SENDERS = 24;
/** Shorter than a visitor's browser would wait, so the next server is tried sooner. */
const PATIENCE_MS = 1_500;
const PATIENT = { timeout: inLongRun(1_800_000, 200_000), interval: 100 };
const LONG = { timeout: inLongRun(3_600_000, 300_000), retry: 0 };

/** As if two minutes had passed: what's being mailed right now is up for grabs. */
const END_LEASES = `update contact_message set next_attempt_at = 0
  where state = 'waiting' and attempts > 0 and last_error is null returning message`;

async function kill(server: ServerProcess): Promise<void> {
  server.kill('SIGKILL');
  expect(await server.exited).toBe('SIGKILL');
}

/** While visitors send to these servers in turn, each message until it's accepted, one thing after another happens. */
async function sendWhile(servers: ServerProcess[], happenings: ((tries: () => number) => Promise<void>)[]) {
  let [sent, accepted, tries] = [0, 0, 0];
  for (const [index, happens] of happenings.entries()) {
    const upTo = (share: number) => Math.floor(((index + share) / happenings.length) * MESSAGES);
    const sending = Array.from({ length: SENDERS }, async () => {
      while (sent < upTo(1)) {
        const text = `message ${sent}`;
        sent += 1;
        for (tries += 1; ; tries += 1) {
          const url = servers[tries % servers.length]?.url ?? '';
          if ((await submit(url, text, PATIENCE_MS)) === 200) break;
          await wait(100);
        }
        accepted += 1;
      }
    });
    await expect.poll(() => accepted, { ...PATIENT, interval: 5 }).toBeGreaterThan(upTo(0.5));
    await happens(() => tries);
    await Promise.all(sending);
  }
}

/** Each message has one Message-ID, so duplicates can be recognized. Returns the texts that came more than once. */
function expectAll({ received }: TestSmtpServer): string[] {
  const mails = Map.groupBy(received, textOf);
  const ids = new Set(received.map(({ parsed }) => parsed.messageId));
  expect([ids.size, mails.size]).toEqual([MESSAGES, MESSAGES]);
  return [...mails].filter(([, each]) => each.length > 1).map(([text]) => text);
}

test('whenever the server is killed, every message that was answered 200 is mailed', LONG, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'contact.db');
  const mail = await untilEnd(startSmtpServer());
  const start = () => startServer(folder, { SMTP_URL: mail.url });
  const servers = [await start()];
  const killOnce = async () => {
    // Any moment between two answers, or during one.
    await wait(Math.random() * 40);
    await kill(servers[0] as ServerProcess);
    new Database(file).exec(END_LEASES).close();
    servers[0] = await start();
  };
  await sendWhile(servers, Array<typeof killOnce>(KILLS).fill(killOnce));
  await expect.poll(() => waitingIn(file), PATIENT).toBe(0);
  expectAll(mail);
});

test('of three servers one is killed, one frozen, Postgres loses power: all is mailed', LONG, async () => {
  const postgres = await untilEnd(startPostgres());
  const url = `${postgres.url}/postgres`;
  const mail = await untilEnd(startSmtpServer());
  const start = () => startServer(temporaryFolder(), { DATABASE_URL: url, SMTP_URL: mail.url });
  const servers = await Promise.all([start(), start(), start()]);
  const [killed, frozen] = servers as [ServerProcess, ServerProcess, ServerProcess];
  const inHand: string[] = [];
  const endLeases = async () => {
    for (const { message } of await runSql<{ message: string }>(url, END_LEASES)) inHand.push(message);
  };
  const waiting = async () => {
    const rows = "select message from contact_message where state = 'waiting'";
    return (await runSql<{ message: string }>(url, rows)).map(({ message }) => message);
  };
  const waitingInHand = async () => (await waiting()).filter((text) => inHand.includes(text));

  await sendWhile(servers, [
    () => kill(killed),
    async () => {
      frozen.kill('SIGSTOP');
      await endLeases();
      // It wakes after the third has mailed what it and the killed one were mailing.
      await expect.poll(waitingInHand, PATIENT).toEqual([]);
      frozen.kill('SIGCONT');
    },
    async (tries) => {
      await postgres.kill();
      const before = tries();
      await expect.poll(tries, PATIENT).toBeGreaterThan(before + SENDERS);
      await postgres.start();
      // An instance may not have heard that its claim succeeded.
      await endLeases();
    },
  ]);
  await expect.poll(waiting, PATIENT).toEqual([]);

  expect(servers.map(({ child }) => child.exitCode ?? child.signalCode)).toEqual(['SIGKILL', null, null]);
  expect(expectAll(mail).filter((text) => !inHand.includes(text))).toEqual([]);
});
