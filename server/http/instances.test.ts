import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inLongRun } from '../../tests/long.ts';
import { runSql, startPostgres } from '../../tests/support/database/postgres-server.ts';
import { startSmtpServer, textOf } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { type ServerProcess, startServer, submit } from '../../tests/support/service/server-process.ts';

const MESSAGES = inLongRun(10_000, 500);
const SENDERS = 24;
/** Shorter than a visitor's browser would wait, so the next instance is tried sooner. */
const PATIENCE_MS = 1_500;
const PATIENT = { timeout: inLongRun(1_800_000, 200_000), interval: 200 };

const textsIn = async (url: string, sql: string) =>
  (await runSql<{ message: string }>(url, sql)).map(({ message }) => message);

/** As if two minutes had passed: what's being mailed right now is anybody's. Returns the texts. */
const endLeases = (url: string) =>
  textsIn(
    url,
    `update contact_message set next_attempt_at = 0
      where state = 'waiting' and attempts > 0 and last_error is null returning message`,
  );

/** Returns once all of these have been mailed. */
async function areMailed(url: string, texts: string[]): Promise<void> {
  const waiting = async () => {
    const sent = new Set(await textsIn(url, "select message from contact_message where state = 'sent'"));
    return texts.filter((text) => !sent.has(text));
  };
  await expect.poll(waiting, PATIENT).toEqual([]);
}

test('of three instances one is killed, one is frozen and the database’s power fails: every message arrives', {
  timeout: inLongRun(3_600_000, 300_000),
  retry: 0,
}, async () => {
  const postgres = await untilEnd(startPostgres());
  const url = `${postgres.url}/postgres`;
  const mail = await untilEnd(startSmtpServer());
  const start = () => startServer(temporaryFolder(), { DATABASE_URL: url, SMTP_URL: mail.url });
  const servers = await Promise.all([start(), start(), start()]);
  const [killed, frozen] = servers as [ServerProcess, ServerProcess, ServerProcess];

  const acknowledged = new Set<string>();
  let sent = 0;
  let tries = 0;
  /** Each message is sent again, to each by turns, until it's accepted. Halfway, something happens. */
  async function sendUpTo(share: number, happens: () => Promise<void>): Promise<void> {
    const half = (sent + share * MESSAGES) / 2;
    const sending = Array.from({ length: SENDERS }, async () => {
      while (sent < share * MESSAGES) {
        const text = `message ${sent}`;
        sent += 1;
        for (tries += 1; ; tries += 1) {
          const url = servers[tries % servers.length]?.url ?? '';
          if ((await submit(url, text, PATIENCE_MS)) === 200) break;
          await wait(100);
        }
        acknowledged.add(text);
      }
    });
    await expect.poll(() => acknowledged.size, { ...PATIENT, interval: 10 }).toBeGreaterThan(half);
    await happens();
    await Promise.all(sending);
  }

  const inHand: string[] = [];
  await sendUpTo(0.4, async () => {
    killed.kill('SIGKILL');
    expect(await killed.exited).toBe('SIGKILL');
  });
  await sendUpTo(0.7, async () => {
    frozen.kill('SIGSTOP');
    inHand.push(...(await endLeases(url)));
    // It wakes after the third has mailed what it and the killed one had in hand.
    await areMailed(url, inHand);
    frozen.kill('SIGCONT');
  });
  await sendUpTo(1, async () => {
    await postgres.kill();
    const before = tries;
    await expect.poll(() => tries, PATIENT).toBeGreaterThan(before + SENDERS);
    await postgres.start();
    // Of what was claimed, an instance may not have heard.
    inHand.push(...(await endLeases(url)));
  });
  await areMailed(url, [...acknowledged]);

  expect(servers.map(({ child }) => child.exitCode ?? child.signalCode)).toEqual(['SIGKILL', null, null]);
  expect(acknowledged.size).toBe(MESSAGES);
  const mails = Map.groupBy(mail.received, textOf);
  expect([...acknowledged].filter((text) => !mails.has(text))).toEqual([]);
  const ids = new Set(mail.received.map(({ parsed }) => parsed.messageId));
  // Each message has one Message-ID, so duplicates can be recognized.
  expect([ids.size, mails.size]).toEqual([MESSAGES, MESSAGES]);
  const repeated = [...mails].filter(([, each]) => each.length > 1).map(([text]) => text);
  expect(repeated.filter((text) => !inHand.includes(text))).toEqual([]);
});
