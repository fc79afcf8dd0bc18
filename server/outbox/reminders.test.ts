import { readdirSync } from 'node:fs';
import type { SMTPServerOptions } from 'smtp-server';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { MESSAGE, openTestService, START } from '../../tests/support/service/open-test-service.ts';
import { eraseMessages } from '../messages/erase.ts';
import { markSpam, setAnswered, setReminded } from '../messages/states.ts';
import { UNTRACKED } from '../messages/table.ts';
import { remindAt } from './reminders.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** START is noon. */
const OWNER = { TIME_ZONE: 'UTC', SITE_URL: 'https://www.example.com' };

const at = (text: string) => Temporal.ZonedDateTime.from(`${text}[America/Toronto]`).epochMilliseconds;

test.each([
  ['2026-11-17T13:00', '2026-11-18T09:00', 'by day: four hours before the time is up'],
  ['2026-11-17T11:59', '2026-11-18T08:00', 'shortly before the morning: in the morning'],
  ['2026-11-17T10:00', '2026-11-18T08:00', 'two hours are enough to answer'],
  ['2026-11-17T09:59', '2026-11-17T19:00', 'with less than that, the evening before'],
  ['2026-11-17T00:00', '2026-11-17T19:00', 'the first minute of the night'],
  ['2026-11-16T23:59', '2026-11-17T19:59', 'the last minute before it'],
  // The clocks go back an hour in that night, and forward in the other.
  ['2026-10-31T11:00', '2026-11-01T08:00', 'the night with an hour more'],
  ['2026-03-07T08:59', '2026-03-07T19:00', 'the night with an hour less'],
])('for a message of %s the reminder comes at %s: %s', (received, reminder) => {
  expect(remindAt(at(received), 'America/Toronto', DAY)).toBe(at(reminder));
});

test.each([
  [48, '2026-11-17T17:00', '2026-11-19T09:00', 'of a longer promise, a sixth is left'],
  [6, '2026-11-17T18:00', '2026-11-18T08:00', 'of a short one, the evening would be too soon'],
])(
  'with %i hours promised, for a message of %s the reminder comes at %s: %s',
  (replyHours, received, reminder) => {
    expect(remindAt(at(received), 'America/Toronto', replyHours * HOUR)).toBe(at(reminder));
  },
);

async function mailServer(options?: SMTPServerOptions) {
  const server = await startSmtpServer(options);
  onTestFinished(() => server.close());
  return server;
}

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test('of two servers one reminds the owner, once, beside the message', async () => {
    const mail = await mailServer();
    const env: Record<string, string> = { ...OWNER, SMTP_URL: mail.url };
    if (engine === 'postgres') env.DATABASE_URL = await newPostgresDatabase();
    const first = await openTestService(env);
    const { database, store, outbox, lines } = first;
    const second = await openTestService({
      ...env,
      DATABASE_URL: env.DATABASE_URL ?? `file:${first.databaseFile}`,
    });
    const { id } = await store.add(MESSAGE, { now: START });
    for (const message of ['answered', 'spam', 'erased', 'untracked', 'answered after all'])
      await store.add({ ...MESSAGE, message }, { now: START });
    await outbox.runDue({ now: START });
    for (const { parsed } of [...mail.received]) {
      const [, other = ''] = /<([^@]+)@/.exec(parsed.messageId ?? '') ?? [];
      if (parsed.text?.includes('\nanswered')) await setAnswered(database, other, START + HOUR);
      if (parsed.text?.includes('\nanswered after')) await setAnswered(database, other, null);
      if (parsed.text?.includes('\nspam')) await markSpam(database, other, START + HOUR);
      if (parsed.text?.includes('\nuntracked')) await setAnswered(database, other, UNTRACKED);
      if (parsed.text?.includes('\nerased'))
        await eraseMessages(database, { id: other }, { mailDir: first.folder, now: START });
    }
    // Never mailed: the server reports that in other ways.
    await store.add({ ...MESSAGE, message: 'waiting' }, { now: START });
    const before = mail.received.length;
    for (const hours of [0.1, 19.9, 20.1, 20.2, 23, 30, 47]) {
      const now = START + hours * HOUR;
      await Promise.all([first.schedule.check(now), second.schedule.check(now)]);
      if (hours < 20) expect(mail.received).toHaveLength(before);
    }
    const reminders = mail.received.slice(before);
    expect(
      reminders.map(({ parsed }) => parsed.text?.match(/\n(answered after all|Our stock)/)?.[1]),
    ).toEqual(['Our stock', 'answered after all']);
    const { parsed, to, raw } = reminders[0] ?? {};
    const notification = mail.received.find(({ parsed }) => parsed.messageId?.includes(id))?.parsed;
    expect(to).toEqual(['owner@example.com']);
    expect(parsed?.subject).toBe('Re: New message from Ana Souza (ana@example.org)');
    expect(parsed?.inReplyTo).toBe(notification?.messageId);
    expect(parsed?.references).toBe(`${notification?.references} ${notification?.messageId}`);
    expect(parsed?.messageId).toBe(`<reminder-${id}@example.com>`);
    expect(parsed?.replyTo).toEqual([{ name: 'Ana Souza', address: 'ana@example.org' }]);
    expect(parsed?.date).toBe(new Date(START + 20 * HOUR).toISOString());
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(parsed?.text).toContain(
      'Not answered yet. The 24 hours are up on Sunday, November 22, 2026 at 12:00 p.m. UTC.\n\nAna Souza <ana@example.org> wrote on www.example.com:\n\nOur stock',
    );
    expect(parsed?.text).toContain('-- \nAnswer Ana Souza: mailto:ana@example.org?');
    expect(parsed?.html).toContain('Not answered yet. The 24 hours are up');
    // Even if both look at the same moment.
    const late = await store.add({ ...MESSAGE, message: 'late' }, { now: START });
    await outbox.runDue({ now: START });
    const noted = [first, second].map((server) => setReminded(server.database, late.id, START));
    expect((await Promise.all(noted)).toSorted()).toEqual([false, true]);
    expect(`${lines}${second.lines}`).toContain(`"id":"${id}","msg":"reminder sent"`);
    expect(`${lines}${second.lines}`).not.toMatch(/Ana|ana@|stock|"level":50/);
  });
});

test('a reminder that is not taken is mailed after half an hour, under the same Message-ID', async () => {
  const mail = await mailServer();
  const { store, outbox, schedule, lines } = await openTestService({ ...OWNER, SMTP_URL: mail.url });
  for (const message of ['put off', 'taken', 'refused'])
    await store.add({ ...MESSAGE, message }, { now: START });
  await outbox.runDue({ now: START });
  const check = (hours: number) => schedule.check(START + hours * HOUR);
  const reminded = () =>
    mail.received.slice(3).map(({ parsed }) => parsed.text?.match(/\n(put|tak|ref)\w*/)?.[0]);
  mail.failAt('content', 550, '\nrefused');
  await check(20);
  expect(reminded()).toEqual(['\nput', '\ntaken']);
  expect(lines.join('')).toMatch(
    /"id":"[-0-9a-f]+","fault":"refused smtp-550","msg":"reminder given up: the mail server does not take it"/,
  );
  mail.acceptAll();
  await check(21);
  expect(reminded()).toHaveLength(2);

  for (const message of ['put off too', 'taken too'])
    await store.add({ ...MESSAGE, message }, { now: START + 2 * HOUR });
  await outbox.runDue({ now: START + 21 * HOUR });
  mail.failAt('content', 451, '\nput off too');
  await check(22);
  expect(reminded().slice(4)).toEqual(['\ntaken']);
  mail.acceptAll();
  await check(22.1);
  expect(reminded()).toHaveLength(5);
  mail.cutAfterFinalDot();
  await check(22.5);
  mail.acceptAll();
  await check(23);
  expect(reminded().slice(4)).toEqual(['\ntaken', '\nput']);
  const swallowed = mail.swallowed.at(-1);
  expect(swallowed).toContain(`Message-ID: ${mail.received.at(-1)?.parsed.messageId}`);
  expect(swallowed).toContain(/^Date: .*$/m.exec(mail.received.at(-1)?.raw ?? '')?.[0]);
});

test('a mail server that takes no mail at all is asked once, however many reminders are due', async () => {
  let asked = 0;
  let fault: Error | undefined;
  const mail = await mailServer({
    onMailFrom(_address, _session, callback) {
      asked += 1;
      callback(fault);
    },
  });
  const { store, outbox, schedule } = await openTestService({ ...OWNER, SMTP_URL: mail.url });
  for (const message of ['one', 'two']) await store.add({ ...MESSAGE, message }, { now: START });
  await outbox.runDue({ now: START });
  expect(asked).toBe(2);
  fault = Object.assign(new Error('not from you'), { responseCode: 550 });
  await schedule.check(START + 20 * HOUR);
  expect(asked).toBe(3);
  await schedule.check(START + 20.5 * HOUR);
  expect(asked).toBe(4);
});

test('after a time without a server no reminder comes for a message that is late by more than its time', async () => {
  const mail = await mailServer();
  // START is 8 in the morning there.
  const env = { TIME_ZONE: 'America/Halifax', SMTP_URL: mail.url };
  const { store, outbox, schedule } = await openTestService(env);
  await store.add({ ...MESSAGE, message: 'long past' }, { now: START - 49 * HOUR });
  await store.add({ ...MESSAGE, message: 'late' }, { now: START - 47 * HOUR });
  await outbox.runDue({ now: START });
  await schedule.check(START - 5 * MINUTE);
  expect(mail.received).toHaveLength(2);
  await schedule.check(START);
  expect(mail.received.slice(2).map(({ parsed }) => parsed.text)).toEqual([
    expect.stringContaining('\nlate'),
  ]);
});

test.each([
  ['behind a flood', START],
  ['behind those that a clock noted that was ahead', START + 365 * DAY],
])('%s there are at most 20 reminders in a day, by the right clock', async (_, notedAt) => {
  const mail = await mailServer();
  const { store, outbox, schedule, database } = await openTestService({ ...OWNER, SMTP_URL: mail.url });
  for (let count = 0; count < 42; count += 1)
    await store.add({ ...MESSAGE, message: `${count}` }, { now: START });
  await outbox.runDue({ now: START });
  await database.db
    .updateTable('contact_message')
    .set({ reminded_at: notedAt })
    .where('id', 'in', database.db.selectFrom('contact_message').select('id').limit(20))
    .execute();
  for (const hours of [20, 21, 22]) await schedule.check(START + hours * HOUR);
  expect(mail.received).toHaveLength(42 + (notedAt === START ? 0 : 20));
});

test('a server that was killed while a reminder went out does not have it sent again by the next one', async () => {
  const mail = await mailServer();
  const env = { ...OWNER, SMTP_URL: mail.url };
  const killed = await openTestService(env);
  const { id } = await killed.store.add(MESSAGE, { now: START });
  await killed.outbox.runDue({ now: START });
  mail.hangAtContent();
  void killed.schedule.check(START + 20 * HOUR);
  await expect.poll(() => mail.holding()).toBe(1);
  mail.acceptAll();
  const next = await openTestService({ ...env, DATABASE_URL: `file:${killed.databaseFile}` });
  for (const hours of [20, 20.5, 23, 30]) await next.schedule.check(START + hours * HOUR);
  const reminders = mail.received.filter(({ parsed }) => parsed.messageId === `<reminder-${id}@example.com>`);
  expect(reminders.length).toBeLessThan(2);
});

test('where mails are files, a reminder is one too, and is erased with its message', async () => {
  const { store, outbox, schedule, database, settings } = await openTestService(OWNER);
  const { id } = await store.add(MESSAGE, { now: START });
  await outbox.runDue({ now: START });
  await schedule.check(START + 20 * HOUR);
  const { mailDir } = settings;
  expect(readdirSync(mailDir).filter((name) => name.endsWith(`reminder-${id}.eml`))).toHaveLength(1);
  expect(await eraseMessages(database, { id }, { mailDir, now: START })).toMatchObject({ mailFiles: 2 });
  expect(readdirSync(mailDir)).toEqual([]);
});

test('REMINDERS=off reminds of nothing', async () => {
  const mail = await mailServer();
  const { store, outbox, schedule } = await openTestService({ REMINDERS: 'off', SMTP_URL: mail.url });
  await store.add(MESSAGE, { now: START });
  await outbox.runDue({ now: START });
  await schedule.check(START + 23 * HOUR);
  expect(mail.received).toHaveLength(1);
});
