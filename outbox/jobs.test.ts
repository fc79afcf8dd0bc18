import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Email } from 'postal-mime';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Mailer } from '../mail/mail.ts';
import { openMailer } from '../mail/mailer.ts';
import { eraseMessages } from '../messages/erase.ts';
import { markSpam, setAnswered } from '../messages/states.ts';
import { createLog } from '../server/log.ts';
import { readSettings } from '../settings/settings.ts';
import { call, formPost, MESSAGE, openTestService, START } from '../tests/open-test-service.ts';
import { newPostgresDatabase } from '../tests/postgres.ts';
import { startSmtpServer } from '../tests/smtp-server.ts';
import { scheduledJobs } from './jobs.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** START is noon on a Saturday in UTC, and 7 a.m. in Toronto. */
const TORONTO = { TIME_ZONE: 'America/Toronto', SITE_URL: 'https://www.example.com', REMINDERS: 'off' };

const at = (time: string) => Date.parse(`2026-11-${time}Z`);

// The names are in the owner's database: under another one, all would be done once more.
test.each([
  [{ REMINDERS: 'off' }, { 'suspected spam': at('21T07:00') }],
  [
    { RETENTION_DAYS: '30', DIGEST: 'daily 11:45' },
    {
      'suspected spam': at('21T11:45'),
      purge: at('21T00:00'),
      reminders: at('21T11:55'),
      digest: at('21T11:45'),
    },
  ],
  [
    { REMINDERS: 'off', DIGEST: 'weekly sunday 13:00' },
    { 'suspected spam': at('20T13:00'), digest: at('15T13:00') },
  ],
])('with %j, by 11:59 on a Saturday these jobs were due last: %j', async (env, due) => {
  const { database } = await openTestService();
  const settings = readSettings({ TIME_ZONE: 'UTC', ...env });
  const mailer = openMailer(settings.mail);
  const jobs = scheduledJobs({ database, mailer, settings, log: createLog('silent') });
  expect(Object.fromEntries(jobs.map(({ what, dueAt }) => [what, dueAt(at('21T11:59'))]))).toEqual(due);
  // These would begin by telling of all that has ever been.
  const tells = ['suspected spam', 'digest'];
  expect(jobs.map(({ what, atFirst }) => [what, atFirst])).toEqual(
    jobs.map(({ what }) => [what, !tells.includes(what)]),
  );
});

async function mailServer() {
  const server = await startSmtpServer();
  onTestFinished(() => server.close());
  return server;
}

const isDigest = ({ parsed }: { parsed: Email }) => !!parsed.messageId?.startsWith('<digest-');

test('a mail server that takes a byte now and then holds up no job for good', async () => {
  const { database, settings } = await openTestService({ ...TORONTO, DIGEST: 'daily 07:00' });
  const late = new AbortController();
  const clock = { ...database.clock, timeout: () => late.signal };
  const mailer: Mailer = {
    send: (_, signal) =>
      new Promise((_resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    destination: 'nowhere',
    close: () => undefined,
  };
  const log = createLog('silent');
  const jobs = scheduledJobs({ database: { ...database, clock }, mailer, settings, log });
  const digest = jobs.find(({ what }) => what === 'digest');
  const times = { now: START, dueAt: START, lastAt: undefined };
  const sending = digest?.run(times, new AbortController().signal);
  late.abort(new Error('too late'));
  await expect(sending).rejects.toThrow('too late');
});

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  const onEngine = async (): Promise<Record<string, string>> =>
    engine === 'postgres' ? { DATABASE_URL: await newPostgresDatabase() } : {};

  test('each morning at its time the owner gets the figures of yesterday, once', async () => {
    const mail = await mailServer();
    const env = { ...TORONTO, ...(await onEngine()), DIGEST: 'daily 07:00', SMTP_URL: mail.url };
    const service = await openTestService(env);
    const { database, store, outbox, schedule } = service;
    const at = (hours: number) => START + hours * HOUR;
    await schedule.check(at(0.5));
    await store.add({ ...MESSAGE, message: 'The day before' }, { now: at(-8) });
    const { id } = await store.add({ ...MESSAGE, message: 'One' }, { now: at(1) });
    await setAnswered(database, id, at(3));
    await store.add({ ...MESSAGE, message: 'Two' }, { now: at(16.9) });
    await store.add({ ...MESSAGE, message: 'Buy' }, { now: at(2), heldFor: ['trap'] });
    await outbox.runDue({ now: at(16.95) });
    await store.add({ ...MESSAGE, message: 'The day after' }, { now: at(17.1) });
    const before = mail.received.length;
    for (const hours of [23.9, 24, 24.1, 30]) await schedule.check(at(hours));
    const digests = mail.received.slice(before).filter(isDigest);
    expect(digests).toHaveLength(1);
    const { parsed, to, raw } = digests[0] ?? {};
    expect(to).toEqual(['owner@example.com']);
    expect(parsed?.subject).toBe('2 messages on Saturday, November 21 (www.example.com)');
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(parsed?.replyTo).toBeUndefined();
    expect(parsed?.text?.replace(/ +/g, ' ')).toContain(
      'Received 2\nDelivered 3\nAnswered within 24 hours, last 30 days 1 of 2, median 2 h\nSuspected spam 1\nNot mailed yet 1\nSet aside 0\n',
    );
    expect(parsed?.text?.replace(/ +/g, ' ')).toMatch(
      /\n3 messages wait for your answer, 1 of them for over 24 hours\.\n 8 h late [0-9a-f]{8} Fri, Nov 20, 11:00 p\.m\.\n 16 h left /,
    );
    expect(parsed?.html).toContain('1 of them for over 24 hours');
    expect(parsed?.text).toContain(`through 127.0.0.1:${mail.port}`);
    expect(parsed?.text).toContain('Sent on Sunday, November 22, 2026 at 7:00 a.m. EST');
    expect(parsed?.html).toContain('1 message waits to be mailed');
    expect(`${parsed?.text}${parsed?.html}`).not.toMatch(/Ana|ana@|The day|One|Buy/);
  });

  test('each week, the figures of seven days', async () => {
    const mail = await mailServer();
    const env = { ...TORONTO, ...(await onEngine()), DIGEST: 'weekly sunday 07:00', SMTP_URL: mail.url };
    const service = await openTestService(env);
    const { store, schedule } = service;
    await schedule.check(START - 13 * DAY);
    for (const days of [-7.5, -6, -3, 0, 0.5]) {
      await store.add({ ...MESSAGE, message: `${days}` }, { now: START + days * DAY, heldFor: ['trap'] });
    }
    await schedule.check(START + DAY);
    const digests = mail.received.filter(isDigest);
    const { subject, text = '' } = digests[0]?.parsed ?? {};
    expect(digests).toHaveLength(1);
    expect(subject).toBe('No messages from Sunday, November 15 to Saturday, November 21 (www.example.com)');
    expect(text).toMatch(/Suspected spam +4\n/);
    expect(text).not.toContain('Page views');
  });
});

test('once a day the owner reads what was held back that day, why, and how to let it in', async () => {
  const mail = await mailServer();
  const service = await openTestService({ ...TORONTO, SMTP_URL: mail.url });
  const { app, database, schedule, clock, lines } = service;
  const say = (message: string) =>
    app.request(...call({ ...MESSAGE, name: 'Бо <b>Baker</b> www.bo.example', message }));
  await schedule.check(START);
  await say('Order viagra without prescription: https://pills.example/x?y=1 https://pills.example/z');
  await say(MESSAGE.message);
  await schedule.check(START + 23 * HOUR);
  expect(mail.received).toEqual([]);

  mail.failAt('content', 451);
  await schedule.check(START + 24 * HOUR);
  clock.now = START + 24 * HOUR;
  await say('Play online casino with a welcome bonus: https://casino.example');
  mail.acceptAll();
  // What came in the last minute may not be in the database yet.
  await schedule.check(START + 24 * HOUR + 30 * 60_000);
  const { subject, text = '', html = '' } = mail.received[0]?.parsed ?? {};
  expect(mail.received).toHaveLength(1);
  expect(subject).toBe('2 messages look like spam (www.example.com)');
  const { rows } = await database.write(database.db.selectFrom('contact_message').selectAll().orderBy('id'));
  const command = `npm run desk not-spam ${rows[0]?.id.slice(-8)}`;
  expect(text).toContain(`Бо <b>Baker</b> [link] <ana@example.org>, Sat, Nov 21, 7:00 a.m.
  Order viagra without prescription: [link] [link]
  It’s held because it has links and it speaks of gambling, sex, drugs or fakes.
  ${command}
`);
  expect(html).toContain(command);
  expect(html).toContain('Бо &lt;b&gt;Baker&lt;/b&gt; [link]');
  expect(`${text}${html}`).not.toMatch(/pills\.example|bo\.example|Our stock/);
  expect(lines.join('')).not.toMatch(/viagra|Baker/);

  for (const days of [2, 3]) await schedule.check(START + days * DAY);
  expect(mail.received).toHaveLength(1);
});

test('what came in the last minute is listed the day after, and once', async () => {
  const { store, schedule, settings, lines } = await openTestService({ TIME_ZONE: 'UTC', REMINDERS: 'off' });
  await schedule.check(START);
  await store.add(MESSAGE, { now: START + DAY - 59_000, heldFor: ['trap'] });
  const lists: string[][] = [];
  for (const days of [1, 2, 3]) {
    await schedule.check(START + days * DAY);
    lists.push(await readdir(settings.mailDir).catch(() => []));
  }
  expect(lists.map((names) => names.length)).toEqual([0, 1, 1]);
  expect(lines.filter((line) => line.includes('"messages":1,"msg":"suspected spam listed"'))).toHaveLength(1);
});

test('of a flood, the first fifty are listed, and all are counted', async () => {
  const { store, schedule, settings } = await openTestService({ TIME_ZONE: 'UTC' });
  await schedule.check(START);
  for (let i = 1; i <= 53; i += 1)
    await store.add({ ...MESSAGE, message: `Flood ${i}.` }, { now: START + i, heldFor: ['trap'] });
  await schedule.check(START + DAY);
  const [name = ''] = await readdir(settings.mailDir);
  const list = await readFile(join(settings.mailDir, name), 'utf8');
  expect(list).toContain('53 messages look like spam');
  expect(list).toContain('and 3 more');
  expect([list.includes('Flood 50.'), list.includes('Flood 51.')]).toEqual([true, false]);
});

test('what the owner has judged is not listed, and a list that is a file goes with what is erased', async () => {
  const { database, store, schedule, settings } = await openTestService({ TIME_ZONE: 'UTC' });
  await schedule.check(START);
  const [one, two] = [
    await store.add(MESSAGE, { now: START + HOUR, heldFor: ['trap'] }),
    await store.add({ ...MESSAGE, message: 'Two' }, { now: START + HOUR, heldFor: ['trap'] }),
  ];
  await markSpam(database, one.id, START + HOUR);
  await schedule.check(START + DAY);
  const [name = '', ...others] = await readdir(settings.mailDir);
  const list = await readFile(join(settings.mailDir, name), 'utf8');
  expect([list.includes(two.id.slice(-8)), list.includes(one.id.slice(-8)), others]).toEqual([
    true,
    false,
    [],
  ]);
  const options = { mailDir: settings.mailDir, now: START + DAY };
  await eraseMessages(database, { id: '01a1fc24-7b5e-7429-abc4-659443c39f9d' }, options);
  expect(await readdir(settings.mailDir)).toEqual([name]);
  await eraseMessages(database, { id: two.id }, options);
  expect(await readdir(settings.mailDir)).toEqual([]);
});

test('a digest that the mail server does not take is mailed later, of the same day', async () => {
  const mail = await mailServer();
  const { schedule, lines } = await openTestService({ ...TORONTO, DIGEST: 'daily', SMTP_URL: mail.url });
  await schedule.check(START);
  mail.failAt('content', 451);
  await schedule.check(START + DAY);
  expect(lines.join('')).toContain('a scheduled job failed');
  mail.acceptAll();
  await schedule.check(START + DAY + 30 * 60_000);
  expect(mail.received).toHaveLength(1);
  expect(mail.received[0]?.parsed.subject).toContain('No messages on Saturday, November 21');
  expect(lines.join('')).toContain('"msg":"digest sent"');
});

test('without DIGEST and RETENTION_DAYS no figures are mailed and nothing is erased', async () => {
  const mail = await mailServer();
  const { schedule, store, database } = await openTestService({ SMTP_URL: mail.url });
  await store.add(MESSAGE, { now: START - 5000 * DAY, heldFor: ['trap'] });
  for (const days of [0, 1, 2]) await schedule.check(START + days * DAY);
  expect(mail.received).toEqual([]);
  expect(await database.db.selectFrom('contact_message').select('id').execute()).toHaveLength(1);
});

test('a clock that jumps makes no message old enough for RETENTION_DAYS, unless it stays so for a day', async () => {
  const { app, outbox, schedule, database } = await openTestService({
    RETENTION_DAYS: '30',
    TIME_ZONE: 'UTC',
  });
  const count = async () => (await database.db.selectFrom('contact_message').select('id').execute()).length;
  await app.request(...call());
  await outbox.runDue({ now: START });
  const at = async (...times: number[]) => {
    for (const time of times) await schedule.check(time);
    return count();
  };
  const years = 3_650 * DAY;
  expect(await at(START, START + DAY)).toBe(1);
  // As a machine without a battery starts, until it has asked for the time.
  expect(await at(START + years, START + years + 19 * HOUR, START + DAY + HOUR)).toBe(1);
  // A new day begins while it's wrong.
  expect(await at(START + 2 * DAY, START + years + 0.6 * DAY)).toBe(1);
  // After some days without a server, the first one doesn't count yet.
  expect(await at(START + 33 * DAY)).toBe(1);
  expect(await at(START + 34 * DAY)).toBe(0);
});

test.each([
  [20 * HOUR - 1, 'nothing is erased until tomorrow, since the clock may have jumped'],
  [20 * HOUR, 'old messages erased'],
  [48 * HOUR, 'old messages erased'],
  [48 * HOUR + 1, 'nothing is erased until tomorrow, since the clock may have jumped'],
  [undefined, 'old messages erased'],
])('%d ms after the last time, RETENTION_DAYS says: %s', async (since, said) => {
  const { database, settings } = await openTestService({ RETENTION_DAYS: '30' });
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) });
  const jobs = scheduledJobs({ database, mailer: openMailer(settings.mail), settings, log });
  const purge = jobs.find(({ what }) => what === 'purge');
  const lastAt = since === undefined ? undefined : START - since;
  await purge?.run({ now: START, dueAt: START, lastAt }, new AbortController().signal);
  expect(lines).toEqual([`RETENTION_DAYS: ${said}`]);
});

test('once a day what is older than RETENTION_DAYS is erased, and the log tells how many alone', async () => {
  const { app, outbox, schedule, store, database, clock, lines } = await openTestService({
    RETENTION_DAYS: '30',
    TIME_ZONE: 'UTC',
  });
  const count = async () => (await database.db.selectFrom('contact_message').select('id').execute()).length;
  await app.request(...call());
  await app.request(...formPost({ ...MESSAGE, message: 'Buy', leave_this_empty: 'x' }));
  await outbox.runDue({ now: START });
  await store.add({ ...MESSAGE, message: 'Still waiting' }, { now: START });
  clock.now = START + 29 * DAY;
  await app.request(...call({ ...MESSAGE, message: 'Young' }));
  await schedule.check(START + 29.9 * DAY);
  expect(await count()).toBe(4);
  await schedule.check(START + 30.4 * DAY);
  expect(await count()).toBe(4);
  await schedule.check(START + 31.4 * DAY);
  const left = await database.db
    .selectFrom('contact_message')
    .select('message')
    .orderBy('received_at')
    .execute();
  expect(left.map(({ message }) => message)).toEqual(['Still waiting', 'Young']);
  const told = lines.filter((line) => line.includes('old messages erased')).map((line) => JSON.parse(line));
  expect(told.map(({ messages }) => messages)).toEqual([0, 2]);
  expect(told.map((line) => Object.keys(line).toSorted())).toContainEqual([
    'level',
    'messages',
    'msg',
    'overwritten',
    'time',
  ]);
});
