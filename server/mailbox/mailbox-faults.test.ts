import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Dovecot, dovecotHere, PASSWORD, startDovecot } from '../../tests/support/mail/dovecot.ts';
import { openWithMailbox, replyTo, startOddServer } from '../../tests/support/mail/mailbox-service.ts';
import { startTcpProxy } from '../../tests/support/network/tcp-proxy.ts';
import { startWebhookServer } from '../../tests/support/network/webhook-server.ts';
import { openTestService, START } from '../../tests/support/service/open-test-service.ts';

const MINUTE = 60_000;
const program = dovecotHere();
const withDovecot = test.skipIf(program === undefined);

let dovecot: Dovecot;
beforeAll(async () => {
  if (program !== undefined) dovecot = await startDovecot(program);
});
afterAll(() => dovecot?.close());

withDovecot('a server that breaks off when it is listened to is asked now and then', async () => {
  let listened = 0;
  const odd = await startOddServer(dovecot, (said, end) => {
    if (!/^\w+ IDLE\r$/im.test(said)) return said;
    listened += 1;
    end();
    return '';
  });
  const { look, write, owner, answeredAt, mailbox, clock, lines } = await openWithMailbox(
    dovecot,
    {},
    { imapPort: odd.port },
  );
  const { id, raw } = await write('INBOX');
  for (const times of [1, 2]) {
    await expect.poll(() => listened).toBe(times);
    await expect
      .poll(
        () =>
          lines.filter((line) => line.includes('the mail server closed the connection to the mailbox'))
            .length,
      )
      .toBe(times);
    await look(times);
  }
  await owner.append('Sent', replyTo(raw));
  expect(await answeredAt(id)).toBeNull();
  // Not before two minutes are over, and on the same connection.
  for (const seconds of [20, 40, 60, 80, 100]) await mailbox.check(clock.now + seconds * 1000);
  expect(await answeredAt(id)).toBeNull();
  await mailbox.check(clock.now + 120_000);
  expect(await answeredAt(id)).not.toBeNull();
  expect([listened, odd.connections()]).toEqual([2, 3]);
});

withDovecot('what a server refuses to search is neither lost nor read, and searched again', async () => {
  let isBusy = true;
  const odd = await startOddServer(dovecot, (said) =>
    isBusy ? said.replaceAll('UID SEARCH', 'UID BUSIED') : said,
  );
  const { store, outbox, mailbox, clock, lines, mail, ...site } = await openWithMailbox(
    dovecot,
    {},
    { imapPort: odd.port },
  );
  const { id, raw } = await site.write(undefined);
  const { id: answered, raw: other } = await site.write('INBOX', 'Another', 'bo@example.org');
  await site.owner.append(
    'Sent',
    replyTo(raw)
      .replace('ana@', 'bo@')
      .replace(/^In-Reply-To.*\r\n/m, ''),
  );
  expect(other).toContain(answered);
  await site.look(6);
  expect(await site.place(id)).toBe('null, delivered');
  expect(lines.join('')).toContain('the mailbox cannot be read; it is tried again');
  isBusy = false;
  await site.look(7);
  expect(await site.place(id)).toBe('nowhere, delivered');
  expect(await site.answeredAt(answered)).not.toBeNull();
});

withDovecot('an answer that the database does not take is read again', async () => {
  const { look, write, owner, answeredAt, database, lines } = await openWithMailbox(dovecot);
  const run = (text: string) => sql.raw(text).execute(database.db);
  const { id, raw } = await write('INBOX');
  await look(1);
  await run(
    "create trigger full before update of answered_at on contact_message begin select raise(abort, 'full'); end",
  );
  await owner.append('Sent', replyTo(raw));
  await look(2);
  expect(lines.join('')).toContain('the mailbox cannot be read; it is tried again');
  await run('drop trigger full');
  expect(await answeredAt(id)).toBeNull();
  await look(3);
  expect(await answeredAt(id)).not.toBeNull();
});

withDovecot(
  'a connection that goes silent is given up, and the next tries wait longer and longer',
  async () => {
    const proxy = await startTcpProxy([dovecot.port]);
    const { look, write, place, mailbox, lines, clock } = await openWithMailbox(
      dovecot,
      {},
      { imapPort: proxy.port },
    );
    const { id } = await write('INBOX');
    proxy.goSilent();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const failed = () =>
      lines.filter((line) => /the mailbox cannot be read; it is tried again|closed the connection/.test(line))
        .length;
    const tries: number[] = [];
    for (let seconds = 0; seconds <= 3_600; seconds += 20) {
      const before = failed();
      clock.now = START + 120_000 + seconds * 1000;
      const checked = mailbox.check(clock.now);
      await vi.advanceTimersByTimeAsync(0);
      for (let waited = 0; waited < 100_000; waited += 10_000) await vi.advanceTimersByTimeAsync(10_000);
      await checked;
      if (failed() > before) tries.push(seconds);
    }
    vi.useRealTimers();
    expect(tries.slice(0, 6)).toEqual([0, 20, 40, 80, 160, 320]);
    expect(lines.join('')).toContain('the mailbox cannot be read; it is tried again');
    expect(tries.length).toBeLessThan(12);
    proxy.speak();
    await look(100);
    expect(await place(id)).toBe('inbox, delivered');
  },
);

test('a server that talks on and on, but never lets us in, is given up', async () => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const server = createTcpServer((client) => {
    client.on('error', () => undefined).write('* OK IMAP4rev1\r\n');
    client.on('data', asked);
    const talk = setInterval(() => client.write('* OK Just a moment\r\n'), 1_000);
    client.on('close', () => clearInterval(talk));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { mailbox, lines } = await openTestService({ IMAP_URL: `imap://me:hush@127.0.0.1:${port}` });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  void mailbox?.check(START);
  await isAsked;
  await vi.advanceTimersByTimeAsync(90_000);
  vi.useRealTimers();
  await expect.poll(() => lines.join('')).toContain('the mailbox cannot be read; it is tried again');
});

withDovecot(
  'a wrong password is reported once, tried again only after an hour, and never logged',
  async () => {
    const { posted, host } = await startWebhookServer();
    const odd = await startOddServer(dovecot, (said) => said);
    const wrong = dovecot.url('owner', odd.port).replace(encodeURIComponent(PASSWORD), 'canary%20hush');
    const env = { IMAP_URL: wrong, ALERT_WEBHOOK_URL: `http://${host}/` };
    const { mailbox, lines, clock, database } = await openTestService(env);
    const run = (text: string) => sql.raw(text).execute(database.db);
    await run(
      "create trigger full before insert on last_done when new.what like '%refused%' begin select raise(abort, 'full'); end",
    );
    await mailbox?.start(START);
    expect(lines.join('')).toContain('the database does not take what the mailbox told');
    await run('drop trigger full');
    const before = odd.connections();
    for (let minute = 0; minute < 180; minute += 1) {
      clock.now = START + minute * MINUTE;
      await mailbox?.check(clock.now);
    }
    expect(odd.connections() - before).toBe(3);
    const told = posted.map(({ body }) => body);
    expect(told).toEqual([
      expect.stringMatching(/your mail server refuses the user name or password in IMAP_URL/),
    ]);
    expect(lines.filter((line) => line.includes('IMAP_URL'))).toHaveLength(1);
    expect(lines.join('') + told).not.toMatch(/canary|hush|owner/);
  },
);
