import { expect, onTestFinished, test, vi } from 'vitest';
import { createStore } from '../messages/store.ts';
import { createLog } from '../server/log.ts';
import { call, clockAt, MESSAGE, openTestService, START } from '../tests/open-test-service.ts';
import { newPostgresDatabase } from '../tests/postgres.ts';
import { startSmtpServer } from '../tests/smtp-server.ts';
import { createOutbox } from './outbox.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function openWithMailServer() {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const service = await openTestService({ SMTP_URL: mail.url });
  const store = (text: string, now = service.clock.now) =>
    service.store.add({ ...MESSAGE, message: text }, { now });
  const texts = () => mail.received.map(({ parsed }) => /wrote:\n\n(.*)\n\n--/.exec(parsed.text ?? '')?.[1]);
  return { ...service, mail, add: store, texts };
}

test('a stored message is mailed once', async () => {
  const { add, outbox, store, mail } = await openWithMailServer();
  await add('one');
  expect(await outbox.runDue({ now: START })).toEqual({ sent: 1, failed: 0, setAside: 0 });
  expect(await outbox.runDue({ now: START + DAY })).toEqual({ sent: 0, failed: 0, setAside: 0 });
  expect(mail.received).toHaveLength(1);
  expect(await store.counts()).toMatchObject({ waiting: 0, setAside: 0 });
});

test('suspected spam is not mailed', async () => {
  const { store, outbox, mail } = await openWithMailServer();
  await store.add(MESSAGE, { now: START, heldFor: ['trap'] });
  expect(await outbox.runDue({ now: START + DAY })).toMatchObject({ sent: 0 });
  expect(mail.received).toEqual([]);
});

test('a message survives a mail server that is down, and goes out when it is back', async () => {
  const { add, outbox, store, texts, mail, lines } = await openWithMailServer();
  await mail.goDown();
  await add('one');
  expect(await outbox.runDue({ now: START })).toMatchObject({ failed: 1 });
  expect(lines.join('')).toContain('mail not sent; it is tried again');
  expect(await outbox.runDue({ now: START + 9 * SECOND })).toMatchObject({ failed: 0 });
  expect(await outbox.runDue({ now: START + 13 * SECOND })).toMatchObject({ failed: 1 });
  expect((await store.counts()).waiting).toBe(1);
  await mail.comeBack();
  expect(await outbox.runDue({ now: START + MINUTE })).toMatchObject({ sent: 1 });
  expect(texts()).toEqual(['one']);
});

test('after an outage of six hours everything is sent at once, oldest first', async () => {
  const { add, outbox, store, texts, mail } = await openWithMailServer();
  await mail.goDown();
  for (let minute = 0; minute <= 360; minute += 1) {
    const now = START + minute * MINUTE;
    if (minute % 10 === 0) await add(`minute ${minute}`, now);
    await outbox.runDue({ now });
  }
  await mail.comeBack();
  const back = START + 6 * HOUR + MINUTE;
  await add('minute 361', back);
  const claim = vi.spyOn(store, 'claim');
  await outbox.runDue({ now: back });
  const minuteOf = (text?: string) => Number(text?.split(' ')[1]);
  expect(
    texts()
      .map(minuteOf)
      .sort((a, b) => a - b),
  ).toEqual([...Array.from({ length: 37 }, (_, index) => index * 10), 361]);
  const claimed = await Promise.all(
    claim.mock.results.map(({ value }) => value as ReturnType<typeof store.claim>),
  );
  const order = claimed.flatMap((message) => (message ? [minuteOf(message.message)] : []));
  expect(order).toHaveLength(38);
  // Four are on their way at once, and another four may have found the server back, so no more than eight overtake any
  // message. Which four depends on the spread of the retries. Once claimed, a mail may arrive after ones claimed later.
  for (const [place, minute] of order.entries()) {
    expect(order.slice(0, place).filter((other) => other > minute).length).toBeLessThanOrEqual(8);
  }
});

test('a message that always fails does not hold up the others', async () => {
  const { add, outbox, texts, mail } = await openWithMailServer();
  mail.failAt('content', 451, 'poison');
  for (let index = 0; index < 6; index += 1) await add(`poison ${index}`, START + index);
  for (let index = 0; index < 6; index += 1) await add(`good ${index}`, START + 10 + index);
  expect(await outbox.runDue({ now: START + SECOND })).toEqual({ sent: 6, failed: 6, setAside: 0 });
  expect(texts().every((text) => text?.startsWith('good'))).toBe(true);
});

test('a mail that hangs does not hold up the others', async () => {
  const { add, outbox, mail } = await openWithMailServer();
  mail.hangAtContent();
  await add('slow');
  const run = outbox.runDue({ now: START });
  await expect.poll(() => mail.connections()).toBe(1);
  await add('quick');
  const second = outbox.runDue({ now: START });
  await expect.poll(() => mail.connections()).toBe(2);
  mail.acceptAll();
  await Promise.all([run, second]);
  expect(mail.received).toHaveLength(2);
});

test('a lasting refusal sets the message aside and keeps it', async () => {
  const { add, outbox, store, lines, mail } = await openWithMailServer();
  mail.failAt('recipient', 550);
  await add('one');
  expect(await outbox.runDue({ now: START })).toEqual({ sent: 0, failed: 0, setAside: 1 });
  mail.acceptAll();
  expect(await outbox.runDue({ now: START + 9 * DAY })).toMatchObject({ sent: 0 });
  expect(await store.counts()).toMatchObject({ setAside: 1, oldestUndeliveredAt: START });
  expect(
    lines.some(
      (line) =>
        line.includes('"level":50') &&
        line.includes('mail set aside: the mail server does not take it. The message is kept'),
    ),
  ).toBe(true);
});

test('a passing refusal is tried again for five days, and then the message is set aside', async () => {
  const { add, outbox, store, mail } = await openWithMailServer();
  mail.failAt('content', 451);
  await add('one');
  let now = START;
  for (; now < START + 4.9 * DAY; now += HOUR) await outbox.runDue({ now });
  expect(await store.counts()).toMatchObject({ waiting: 1, setAside: 0 });
  for (; now < START + 5.3 * DAY; now += HOUR) await outbox.runDue({ now });
  expect(await store.counts()).toMatchObject({ waiting: 0, setAside: 1 });
});

test('a wrong password keeps every message for as long as it takes, says so loudly, and slows down', async () => {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const { outbox, store, lines } = await openTestService({
    SMTP_URL: mail.url.replace('//', '//user:wrong@'),
  });
  mail.failAt('auth', 535);
  for (let index = 0; index < 10; index += 1)
    await store.add({ ...MESSAGE, message: `m ${index}` }, { now: START });
  for (let minute = 0; minute < 60; minute += 1) await outbox.runDue({ now: START + minute * MINUTE });
  // Four at first, then four after each of 1, 5, 15 and 30 minutes: never every one of the ten messages each time.
  expect(mail.connections()).toBeLessThanOrEqual(4 * 5);
  for (let day = 1; day < 30; day += 1) await outbox.runDue({ now: START + day * DAY });
  expect(await store.counts()).toMatchObject({ waiting: 10, setAside: 0 });
  const loud = lines.filter((line) =>
    line.includes('refuses our login, sender or quota. Every message is kept. Check SMTP_URL'),
  );
  expect(loud.length).toBeGreaterThan(0);
  expect(loud.every((line) => line.includes('"level":50') && !line.includes('wrong@'))).toBe(true);
  mail.acceptAll();
  expect(await outbox.runDue({ now: START + 31 * DAY })).toMatchObject({ sent: 10 });
});

test('a mail cut off after its final dot goes out again under the same Message-ID', async () => {
  const { add, outbox, mail } = await openWithMailServer();
  mail.cutAfterFinalDot();
  await add('one');
  await outbox.runDue({ now: START });
  mail.acceptAll();
  await outbox.runDue({ now: START + MINUTE });
  const idOf = (raw: string | undefined) => /^Message-ID: (.*)\r$/m.exec(raw ?? '')?.[1];
  expect(idOf(mail.received[0]?.raw)).toBe(idOf(mail.swallowed[0]));
  expect(idOf(mail.swallowed[0])).toMatch(/^<.+@example\.com>$/);
});

test('the running outbox sends what an earlier run left, and a new message at once', async () => {
  const { add, outbox, mail } = await openWithMailServer();
  await add('left over');
  outbox.start();
  await mail.receives(1);
  await add('new');
  outbox.wake();
  await mail.receives(2);
  await outbox.stop();
  expect(mail.received).toHaveLength(2);
});

test('a database whose clock is behind ours is asked now and then, not without a pause', async () => {
  const { add, store, clock } = await openWithMailServer();
  await add('due by our clock');
  let claims = 0;
  const behind: typeof store = {
    ...store,
    // Stubbed, since its write takes real time, which the fake timers don't wait for.
    makeDue: async () => undefined,
    async claim() {
      claims += 1;
      return undefined;
    },
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const outbox = createOutbox({
    store: behind,
    deliver: async () => undefined,
    log: createLog('silent'),
    clock: clockAt(() => clock.now),
    mailPerHour: 6,
  });
  outbox.start();
  await vi.advanceTimersByTimeAsync(1000);
  await outbox.stop();
  expect(claims).toBeGreaterThan(5);
  expect(claims).toBeLessThan(15);
});

test('a start with corrected settings sends what waited for the mail server at once, after one try that finds out', async () => {
  const first = await openWithMailServer();
  first.mail.failAt('auth', 535);
  const wrong = await openTestService({
    SMTP_URL: first.mail.url.replace('//', '//user:wrong@'),
    DATABASE_URL: `file:${first.databaseFile}`,
  });
  for (let index = 0; index < 4; index += 1) await first.add(`m ${index}`);
  expect(await wrong.outbox.runDue({ now: START })).toMatchObject({ failed: 4 });
  expect(await wrong.outbox.runDue({ now: START + MINUTE })).toMatchObject({ failed: 4 });

  const tries = first.mail.connections();
  const again = await openTestService({
    SMTP_URL: first.mail.url.replace('//', '//user:wrong@'),
    DATABASE_URL: `file:${first.databaseFile}`,
  });
  again.clock.now = START + 2 * MINUTE;
  again.outbox.start();
  await expect.poll(() => first.mail.connections()).toBeGreaterThan(tries);
  await again.outbox.stop();
  expect(first.mail.connections()).toBe(tries + 1);

  first.mail.acceptAll();
  first.clock.now = START + 3 * MINUTE;
  first.outbox.start();
  await first.mail.receives(4);
  await first.outbox.stop();
  expect(await first.store.counts()).toMatchObject({ waiting: 0 });
});

test('the stop waits for the mail in hand and takes no other', async () => {
  const { add, outbox, store, mail } = await openWithMailServer();
  mail.hangAtContent();
  for (let index = 0; index < 6; index += 1) await add(`m ${index}`);
  outbox.start();
  await expect.poll(() => mail.connections()).toBe(4);
  const stopped = outbox.stop();
  mail.acceptAll();
  await stopped;
  expect(mail.received).toHaveLength(4);
  expect(await store.counts()).toMatchObject({ waiting: 2 });
});

test('messages beyond the hourly number of mails are mailed in the next hour, oldest first', async () => {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const { outbox, store, lines } = await openTestService({ SMTP_URL: mail.url, MAIL_PER_HOUR: '6' });
  for (let index = 0; index < 10; index += 1) {
    await store.add({ ...MESSAGE, message: `m ${index}` }, { now: START + index });
  }
  expect(await outbox.runDue({ now: START + SECOND })).toMatchObject({ sent: 6 });
  expect(await outbox.runDue({ now: START + HOUR })).toMatchObject({ sent: 0 });
  expect((await store.counts()).waiting).toBe(4);
  expect(lines.join('')).toContain('MAIL_PER_HOUR is reached; further mails go out later');
  expect(await outbox.runDue({ now: START + HOUR + SECOND })).toMatchObject({ sent: 4 });
  const last = mail.received.slice(6).map(({ parsed }) => parsed.text?.match(/m \d/)?.[0]);
  expect(last.toSorted()).toEqual(['m 6', 'm 7', 'm 8', 'm 9']);
});

test.each(['sqlite', 'postgres'])(
  'on %s, a flood from 8 clients keeps no new client waiting, also with two outboxes, and MAIL_PER_HOUR holds',
  async (engine) => {
    const mail = await startSmtpServer();
    onTestFinished(() => mail.close());
    const env: Record<string, string> = { SMTP_URL: mail.url, MAIL_PER_HOUR: '20' };
    if (engine === 'postgres') env.DATABASE_URL = await newPostgresDatabase();
    const first = await openTestService(env);
    // Like a restart on SQLite, or another instance on Postgres.
    const second = await openTestService({ DATABASE_URL: `file:${first.databaseFile}`, ...env });
    const send = async (message: string, remoteAddress: string) => {
      const peer = { incoming: { socket: { remoteAddress } } };
      expect((await first.app.request(...call({ ...MESSAGE, message }), peer)).status).toBe(200);
    };
    const arrived = () =>
      mail.received.map(({ parsed }) => /wrote:\n\n(.*)\n\n--/.exec(parsed.text ?? '')?.[1]);

    const isNew = (text?: string) => text?.startsWith('new');

    for (let index = 0; index < 40; index += 1) await send(`flood ${index}`, `203.0.113.${index % 8}`);
    expect(await first.outbox.runDue({ now: START })).toMatchObject({ sent: 10 });
    await send('a lead', '198.51.100.1');
    await send('its second message', '198.51.100.1');
    expect(await second.outbox.runDue({ now: START + SECOND })).toMatchObject({ sent: 1 });
    expect(arrived().at(-1)).toBe('a lead');

    for (let index = 0; index < 12; index += 1) await send(`new ${index}`, `192.0.2.${index}`);
    await first.outbox.runDue({ now: START + 2 * SECOND });
    expect(arrived().slice(11).filter(isNew)).toHaveLength(9);
    expect(arrived()).toHaveLength(20);
    expect(await second.outbox.runDue({ now: START + HOUR - 1 })).toMatchObject({ sent: 0 });
    // Then new clients come first, followed by those that have sent least.
    await second.outbox.runDue({ now: START + 2 * HOUR });
    const later = arrived().slice(20);
    expect(later).toHaveLength(10);
    expect(later.filter(isNew)).toHaveLength(3);
    expect(later).toContain('its second message');
  },
);

test('two outboxes on one database send each message once', async () => {
  const first = await openWithMailServer();
  const second = await openTestService({
    SMTP_URL: first.mail.url,
    DATABASE_URL: `file:${first.databaseFile}`,
  });
  for (let index = 0; index < 20; index += 1) await first.add(`m ${index}`);
  await Promise.all([first.outbox.runDue({ now: START }), second.outbox.runDue({ now: START })]);
  expect(new Set(first.texts()).size).toBe(20);
  expect(first.mail.received).toHaveLength(20);
});

test('a mail that was taken only after its lease goes out once more, and the log says so', async () => {
  const { database, lines, add, outbox, mail } = await openWithMailServer();
  const other = createStore(database, { mailDomain: 'example.com' });
  await add('slow');
  mail.hangAtContent();
  const run = outbox.runDue({ now: START });
  await expect.poll(() => mail.holding()).toBe(1);
  expect(await other.claim(START + 10 * MINUTE, MINUTE, 100)).toBeDefined();
  mail.acceptAll();
  expect(await run).toMatchObject({ sent: 1 });
  expect(lines.join('')).toContain('mail sent, but only after its lease had run out');
  expect(await outbox.runDue({ now: START + 11 * MINUTE })).toMatchObject({ sent: 1 });
});

test('a mail whose mark the database does not take is marked when it does, or goes out again once its lease is over', async () => {
  const { add, store, lines, clock } = await openWithMailServer();
  const sent: string[] = [];
  let failures = 1;
  let lasts = 0;
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const outbox = createOutbox({
    store: {
      ...store,
      async markSent(...mark: Parameters<typeof store.markSent>) {
        failures -= 1;
        if (failures < 0) return store.markSent(...mark);
        vi.advanceTimersByTime(lasts);
        throw new RangeError('Ana: no room');
      },
    },
    deliver: async ({ message }) => void sent.push(message),
    log: createLog('info', { write: (line) => void lines.push(line) }),
    clock: clockAt(() => clock.now),
    mailPerHour: 100,
  });
  await add('marked at the second try');
  expect(await outbox.runDue({ now: START })).toMatchObject({ sent: 1 });
  expect(lines.join('')).toContain('the database does not take what became of a mail; it is tried again');
  await add('never marked');
  failures = 1;
  lasts = 3 * MINUTE;
  expect(await outbox.runDue({ now: START })).toMatchObject({ sent: 0 });
  expect(lines.join('')).toContain('the outbox cannot mark a message');
  expect(await outbox.runDue({ now: START + 3 * MINUTE })).toMatchObject({ sent: 1 });
  expect(sent).toEqual(['marked at the second try', 'never marked', 'never marked']);
  expect(lines.join('')).not.toContain('Ana');
});

test('while the stored messages cannot be read, the log says so, and the next wake-up mails them', async () => {
  const { database, lines, add, outbox, mail } = await openWithMailServer();
  const rename = (from: string, to: string) => database.db.schema.alterTable(from).renameTo(to).execute();
  await add('one');
  await rename('contact_message', 'away');
  outbox.start();
  const failed = () => lines.filter((line) => line.includes('"the outbox cannot read the stored messages"'));
  await expect.poll(failed).toHaveLength(1);
  await outbox.forgetFarTimes(START);
  expect(failed()).toHaveLength(2);
  await rename('away', 'contact_message');
  outbox.wake();
  await mail.receives(1);
  // Without a pause between its tries, it would have tried all the time.
  expect(failed()).toHaveLength(2);
});

test('no log line of a failing mail holds a name, an address or a word of the message', async () => {
  const { outbox, store, lines, mail } = await openWithMailServer();
  const canary = { name: 'Canary Nameless', email: 'canary@bird.example', message: 'yellow feathers' };
  await store.add(canary, { now: START });
  let now = START;
  for (const step of ['connect', 'mail', 'recipient', 'content'] as const) {
    for (const code of [421, 451]) {
      mail.failAt(step, code);
      now += 3 * HOUR;
      await outbox.runDue({ now });
    }
    mail.acceptAll();
  }
  mail.failAt('content', 554);
  await outbox.runDue({ now: now + 3 * HOUR });
  expect(lines.length).toBeGreaterThan(8);
  expect(lines.join('')).not.toMatch(/canary|nameless|bird\.example|feathers|owner@/i);
});

test('a run that may do only so much leaves the rest, and one whose time is over begins nothing', async () => {
  const { add, outbox, store, texts } = await openWithMailServer();
  for (const text of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) await add(text);
  expect(await outbox.runDue({ now: START, withinMs: 0 })).toMatchObject({ sent: 0 });
  expect(await outbox.runDue({ now: START, most: 5 })).toMatchObject({ sent: 5 });
  expect(texts().toSorted()).toEqual(['five', 'four', 'one', 'three', 'two']);
  expect((await store.counts()).waiting).toBe(2);
  expect(await outbox.runDue({ now: START, most: 5 })).toMatchObject({ sent: 2 });
});
