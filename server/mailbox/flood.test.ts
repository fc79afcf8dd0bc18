import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { mailbox as doctor } from '../../desk/doctor/mailbox.ts';
import { linesOf } from '../../tests/support/desk/run-check.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { startWebhookServer } from '../../tests/support/network/webhook-server.ts';
import { MESSAGE, openTestService, START } from '../../tests/support/service/open-test-service.ts';
import { machineClock } from '../clock.ts';
import { openMailbox } from './connect.ts';

const MB = 1_000_000;
/** Where the mail server stops by itself, so that a test without a limit ends. */
const ENDLESS = 120 * MB;

type Flood = { command: string; piece: string; over?: 'TLS' | 'STARTTLS'; trusted?: boolean };

/** Says what a mail server says, but answers one command, or greets, with a piece that it repeats without end. */
async function startFlood({ command, piece, over, trusted = true }: Flood) {
  const keys = over ? await certificate({ trusted }) : {};
  const sent = { bytes: 0, floods: 0, memory: 0, asked: [] as string[] };
  const memory = () => process.memoryUsage().rss;
  const before = memory();
  const chunk = piece.repeat(Math.ceil(65_536 / piece.length));
  const flood = (client: Socket) => {
    sent.floods += 1;
    const more = (error?: Error | null) => {
      sent.memory = Math.max(sent.memory, memory() - before);
      if (error || sent.bytes > ENDLESS) return client.destroy();
      sent.bytes += chunk.length;
      client.write(chunk, (fault) => setImmediate(more, fault));
    };
    more();
  };
  const untagged: Record<string, string> = {
    CAPABILITY: `* CAPABILITY IMAP4rev1 COMPRESS=DEFLATE ${over === 'STARTTLS' ? over : ''} ${command}\r\n`,
    // Two of these are more than a look may take.
    NOOP: '* OK\r\n'.repeat(20_000),
    LIST: '* LIST (\\Sent) "/" "Sent"\r\n',
    EXAMINE: '* 3 EXISTS\r\n* OK [UIDVALIDITY 1]\r\n* OK [UIDNEXT 4]\r\n',
    'UID SEARCH': '* SEARCH 1 2 3\r\n',
  };
  const listen = (client: Socket) => {
    client.on('error', () => undefined);
    client.on('data', (said) => {
      for (const line of String(said).trim().split('\r\n')) {
        const [, tag = '', name = ''] = /^(\S+) ((?:UID )?\w+)/.exec(line) ?? [];
        sent.asked.push(name);
        if (name === command) return flood(client);
        client.write(`${untagged[name] ?? ''}${tag} OK done\r\n`);
        if (name !== 'STARTTLS') continue;
        client.removeAllListeners('data');
        listen(new TLSSocket(client, { ...keys, isServer: true }));
      }
    });
  };
  const greet = (client: Socket) => {
    if (command !== 'greeting') client.write('* OK ready\r\n');
    else flood(client);
    listen(client);
  };
  const server = over === 'TLS' ? createTlsServer(keys, greet) : createServer(greet);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { sent, url: `${over === 'TLS' ? 'imaps' : 'imap'}://me:hush@127.0.0.1:${port}` };
}

const FLOODS: Record<string, Flood> = {
  'an endless line': { command: 'greeting', piece: 'x' },
  'greetings without end': { command: 'greeting', piece: '* OK wait\r\n' },
  'folders without end': { command: 'LIST', piece: '* LIST () "/" a\r\n' },
  'a list of lists without end': { command: 'LIST', piece: '* LIST ((((((((()))))))))' },
  'an endless literal': { command: 'LIST', piece: '* LIST () "/" {900000000}\r\n' },
  'what was found, in one endless line': { command: 'UID SEARCH', piece: '* SEARCH 1 2 3 4 5 6 7 8 9' },
  'what was found, in lines without end': { command: 'UID SEARCH', piece: '* SEARCH 1 2 3 4 5 6 7 8 9\r\n' },
  'folders without end, over TLS': { command: 'LIST', piece: '* LIST () "/" a\r\n', over: 'TLS' },
  'folders without end, after STARTTLS': { command: 'LIST', piece: '* LIST () "/" a\r\n', over: 'STARTTLS' },
  'news without end': { command: 'IDLE', piece: '* 4 EXISTS\r\n* 5 EXISTS\r\n' },
  'mails without end': { command: 'UID FETCH', piece: '* 1 FETCH (UID 1 FLAGS ())\r\n' },
};

async function openWithFlood(flood: Flood) {
  const { sent, url } = await startFlood(flood);
  const { posted, host } = await startWebhookServer();
  const env = { IMAP_URL: url, ALERT_WEBHOOK_URL: `http://${host}/` };
  const service = await openTestService(env);
  await service.store.add(MESSAGE, { now: START });
  await service.mailbox?.start(START);
  const told = () => posted.map(({ body }) => body);
  const words = 'your mail server sends far more than the site asked of your mailbox';
  await expect.poll(told, { timeout: 10_000 }).toEqual([expect.stringContaining(words)]);
  return { ...service, sent, posted };
}

test.each(Object.entries(FLOODS))('a mail server that sends %s is given up', async (_, flood) => {
  const { sent, mailbox } = await openWithFlood(flood);
  // However much the server told, not much is left to do.
  await mailbox?.check(START);
  expect(sent.bytes).toBeLessThan(20 * MB);
  expect(sent.memory).toBeLessThan(150 * MB);
});

test('a mail server that floods is asked again after a pause, and the owner hears of it once a day', async () => {
  const { sent, posted, lines, mailbox, clock } = await openWithFlood({ command: 'greeting', piece: 'x' });
  const floodsAt = async (seconds: number) => {
    clock.now = START + seconds * 1000;
    await mailbox?.check(clock.now);
    return sent.floods;
  };
  expect([await floodsAt(5), await floodsAt(15), await floodsAt(30), await floodsAt(40)]).toEqual([
    1, 2, 2, 3,
  ]);
  expect(
    lines.filter((line) =>
      line.includes(
        'the mail server sends more than one look may take; the connection is closed, and it is tried again',
      ),
    ),
  ).toHaveLength(3);
  expect(posted).toHaveLength(1);
});

test('the doctor names a mail server that sends without end', async () => {
  const { sent, url } = await startFlood({ command: 'LIST', piece: '* LIST () "/" a\r\n' });
  expect(await linesOf(doctor, { IMAP_URL: url })).toEqual([
    'mailbox wrong: 127.0.0.1 sends far more than it’s asked for.',
  ]);
  expect(sent.bytes).toBeLessThan(20 * MB);
});

test.each(['TLS', 'STARTTLS'] as const)(
  'a mail server whose certificate nobody knows gets no password over %s',
  async (over) => {
    const { sent, url } = await startFlood({ command: 'LOGIN', piece: 'x', over, trusted: false });
    const [line] = await linesOf(doctor, { IMAP_URL: url });
    expect(line).toMatch(/^mailbox wrong: 127\.0\.0\.1 .*certificate/);
    expect(sent.floods).toBe(0);
  },
);

test('what a server sends is counted anew after two minutes, and never packed', async () => {
  const { sent, url } = await startFlood({ command: '', piece: 'x' });
  let floods = 0;
  let ticks = 0;
  const clock = { ...machineClock, ticks: () => ticks };
  const onFlood = () => {
    floods += 1;
  };
  const { signal } = new AbortController();
  const client = await openMailbox(url, { listen: false, signal, clock, onFlood });
  await client.noop();
  ticks = 2 * 60_000 + 1;
  await client.noop();
  expect(floods).toBe(0);
  await client.noop().catch(() => undefined);
  expect(floods).toBe(1);
  expect(sent.asked).not.toContain('COMPRESS');
});
