import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TestSmtpServer } from '../mail/smtp-server.ts';
import { type ServerProcess, startServer, submit, waitingIn } from './server-process.ts';

const SENDERS = 16;
/** Longer than the lease, so each run picks up what the previous one was working on. */
const LATER = 3 * 60_000;

/** The text of the message that a mail is about. */
export const textOf = (mail: TestSmtpServer['received'][number]): string =>
  /\n\n(.*)\n\n--/.exec(mail.parsed.text ?? '')?.[1] ?? '';

export const messageIdOf = (mail: TestSmtpServer['received'][number]): string =>
  /^Message-ID: (.*)\r$/m.exec(mail.raw)?.[1] ?? '';

/** Kills the server under load again and again, and returns what was answered 200. */
export async function crashRounds(folder: string, mail: TestSmtpServer, rounds: number) {
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const server = await startAt(folder, mail, round);
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
    await server.exited;
    await Promise.all(senders);
  }
  await startAt(folder, mail, rounds);
  return { folder, sent, acknowledged };
}

export function startAt(folder: string, mail: TestSmtpServer, round: number): Promise<ServerProcess> {
  return startServer(folder, { SMTP_URL: mail.url, TEST_CLOCK_SHIFT: String(round * LATER) });
}

/** Every acknowledged message was mailed, and duplicates share one Message-ID. */
export async function expectDelivered(
  mail: TestSmtpServer,
  { folder, sent, acknowledged }: Awaited<ReturnType<typeof crashRounds>>,
): Promise<{ mails: number; duplicates: number }> {
  const waiting = () => waitingIn(join(folder, 'contact.db'));
  await expect.poll(waiting, { timeout: 600_000, interval: 100 }).toBe(0);
  const idsByText = new Map<string, Set<string>>();
  for (const received of mail.received) {
    const ids = idsByText.get(textOf(received)) ?? new Set();
    idsByText.set(textOf(received), ids.add(messageIdOf(received)));
  }
  expect([...acknowledged].filter((text) => !idsByText.has(text))).toEqual([]);
  expect([...idsByText.keys()].filter((text) => !sent.has(text))).toEqual([]);
  expect([...idsByText].filter(([, ids]) => ids.size !== 1)).toEqual([]);
  return { mails: mail.received.length, duplicates: mail.received.length - idsByText.size };
}
