import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Message } from '../../../server/messages/message.ts';
import { eachMessage } from '../../../server/messages/queries.ts';
import { MESSAGE, openTestService, START } from '../service/open-test-service.ts';
import type { Dovecot } from './dovecot.ts';
import { startSmtpServer } from './smtp-server.ts';

const MINUTE = 60_000;
let users = 0;

/** A service, the owner's mailbox, and the mail server in front of it, which puts each mail where the test says. */
export async function openWithMailbox(
  dovecot: Dovecot,
  env: Record<string, string> = {},
  { imapPort, user = `owner${users}` }: { imapPort?: number; user?: string } = {},
) {
  users += 1;
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const owner = await dovecot.login(user);
  onTestFinished(() => owner.close());
  const service = await openTestService({
    SMTP_URL: mail.url,
    IMAP_URL: dovecot.url(user, imapPort),
    ...env,
  });
  const { store, outbox, database, clock, mailbox } = service;
  if (!mailbox) throw new Error('IMAP_URL was not read');
  /** Looks as at that many minutes after the start. */
  const look = async (minutes: number) => {
    clock.now = START + minutes * MINUTE;
    mailbox.wake();
    await mailbox.check(clock.now);
  };
  await look(0);
  const message = async (id: string): Promise<Message> => {
    for await (const each of eachMessage(database, {}, 'newest first')) if (each.id === id) return each;
    return expect.fail('no such message');
  };
  return {
    ...service,
    user,
    owner,
    mail,
    mailbox,
    look,
    message,
    /** Somebody writes, the mail goes out by SMTP, and arrives in that folder. */
    async write(folder: string | undefined, text = 'Hello', email = MESSAGE.email) {
      const { id } = await store.add({ ...MESSAGE, email, message: text }, { now: clock.now });
      await outbox.runDue({ now: clock.now });
      const raw = mail.received.at(-1)?.raw ?? '';
      expect(raw).toContain(id);
      if (folder) await owner.append(folder, raw);
      return { id, raw };
    },
    place: async (id: string) => {
      const { mailPlace, state } = await message(id);
      return `${mailPlace}, ${state}`;
    },
    answeredAt: async (id: string) => (await message(id)).answeredAt,
    async move(from: string, to: string, { read = false } = {}) {
      await owner.mailboxOpen(from);
      if (read) await owner.messageFlagsAdd('1:*', ['\\Seen']);
      await owner.messageMove('1:*', to);
      await owner.mailboxClose();
    },
  };
}

/** The mail server behind one that changes what's said. Connections that the server loses are counted. */
export async function startOddServer(dovecot: Dovecot, change: (said: string, end: () => void) => string) {
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const target = connect(dovecot.port, '127.0.0.1');
    const end = () => client.destroy();
    const pass = (said: Buffer) => Buffer.from(change(said.toString('latin1'), end), 'latin1');
    client.on('data', (said: Buffer) => void target.write(pass(said)));
    target.on('data', (said: Buffer) => void (client.destroyed || client.write(pass(said))));
    client.on('error', () => undefined).on('close', () => target.destroy());
    target.on('error', () => undefined).on('close', () => client.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** What the owner sends back. */
export const replyTo = (raw: string) => {
  const id = /^Message-ID: (.*)\r$/im.exec(raw)?.[1];
  return `To: ana@example.org\r\nSubject: Re: Hello\r\nIn-Reply-To: ${id}\r\n\r\nGladly.`;
};
