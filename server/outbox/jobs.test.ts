import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { Temporal } from 'temporal-polyfill';
import { expect, test, vi } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { ENGINES, type Engine, newDatabase } from '../../tests/support/database/new-database.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { MESSAGE, openTestService, START, setTime } from '../../tests/support/service.ts';
import { ENGLISH } from '../http/answers.ts';
import { createLog } from '../log.ts';
import type { Mailer } from '../mail/transport.ts';
import { noteDelivered } from '../messages/claims.ts';
import { eraseMessages } from '../messages/erase.ts';
import { markSpam, release, setAnswered, setReminded, setTold } from '../messages/owner.ts';
import { isOne } from '../messages/table.ts';
import { createSchedule, reminderAt } from './jobs.ts';

const toronto = (text: string) => Temporal.ZonedDateTime.from(`${text}[America/Toronto]`).epochMilliseconds;

test.each([
  [24, '2026-11-17T13:00', '2026-11-18T09:00', 'by day: four hours before the time is up'],
  [24, '2026-11-17T10:00', '2026-11-18T08:00', 'in the morning, if two hours are left then'],
  [24, '2026-11-17T09:59', '2026-11-17T19:00', 'with less than that, the evening before'],
  [24, '2026-11-16T23:59', '2026-11-17T19:59', 'the last minute before the night'],
  // The clocks go back an hour on that night, and forward on the other.
  [24, '2026-10-31T11:00', '2026-11-01T08:00', 'the night with an hour more'],
  [24, '2026-03-07T08:59', '2026-03-07T19:00', 'the night with an hour less'],
  [48, '2026-11-17T17:00', '2026-11-19T09:00', 'of a longer promise, a sixth is left'],
  [6, '2026-11-17T18:00', '2026-11-18T08:00', 'of a short one, the evening would be too soon'],
])('with %i hours, the reminder for a message from %s comes at %s: %s', (hours, received, reminder) => {
  expect(reminderAt(toronto(received), 'America/Toronto', hours * HOUR)).toBe(toronto(reminder));
});

/** START is noon there. */
const OWNER = { TIME_ZONE: 'UTC', SITE_URL: 'https://www.example.com' };
/** And 7 a.m. there. */
const TORONTO = { ...OWNER, TIME_ZONE: 'America/Toronto', REMINDERS: 'off' };
const heldFor = ['trap'] as const;

/** Several servers on one database that always has something for the daily mail, and when they sent it, in minutes. */
async function servers(engine: Engine, send: Mailer = async () => undefined) {
  const env = { ...TORONTO, DATABASE_URL: await newDatabase(engine) };
  const { database, settings, store } = await openTestService(env);
  await store.add(MESSAGE, { now: START - 99 * DAY, heldFor });
  const done: number[] = [];
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const mailer: Mailer = (mail, signal) => {
    done.push((mail.at - START) / MINUTE);
    return send(mail, signal);
  };
  const onDelivered = async () =>
    void (await database.db.updateTable('contact_message').set({ listed_at: null }).execute());
  const start = () => createSchedule({ database, settings, sentences: ENGLISH, log, mailer, onDelivered });
  return { database, done, lines, start };
}

test.each(ENGINES)('on %s, several servers do a job once each time that it is due', async (engine) => {
  const { start, done } = await servers(engine);
  const all = [start(), start(), start()];
  for (const day of [0, 1, 1.5, 2, 10.25, 10.5])
    await Promise.all(all.map(({ check }) => check(START + day * DAY)));
  expect(done.map((minutes) => minutes / 1440)).toEqual([0, 1, 2, 10.25]);
});

test.each(ENGINES)('on %s, a job that fails is tried no more often than a message', async (engine) => {
  let isFailing = true;
  const fails = async () => {
    // It hasn't seen our words, so it's no reason to try without them.
    const fault = { responseCode: 451, command: 'RCPT TO' };
    if (isFailing) throw Object.assign(new Error('the words of a mail server'), fault);
  };
  const { database, start, done, lines } = await servers(engine, fails);
  for (let minute = 0; minute <= 26 * 60; minute += 10) await start().check(START + minute * MINUTE);
  expect(done).toEqual([0, 30, 60, 120, 240, 420, 600, 780, 960, 1140, 1320, 1500]);
  const now = START + 1520 * MINUTE;
  await noteDelivered(database, 'delivered by a test', now);
  isFailing = false;
  for (const later of [0, DAY - 90 * MINUTE]) await start().check(now + later);
  expect(done.slice(12), 'once a mail is taken, at once').toEqual([1520]);
  expect(lines.join('')).toMatch(/"job":"daily","msg":"a scheduled job failed; it is tried again/);
  expect(lines.join('')).not.toContain('the words');
});

test('a stop aborts a mail that hangs, and the next start sends it', async () => {
  let isHanging = true;
  const { start, done, lines } = await servers('sqlite', async (_, signal) => {
    if (!isHanging) return;
    await once(signal, 'abort');
    throw signal.reason;
  });
  const first = start();
  void first.check(START);
  await expect.poll(() => done).toEqual([0]);
  await first.stop();
  isHanging = false;
  await first.check(START + MINUTE);
  await start().check(START + MINUTE);
  expect([done, lines]).toEqual([[0, 1], []]);
});

async function openWithMail(env: Record<string, string>, messages: string[] = []) {
  const mail = await untilEnd(startSmtpServer());
  const service = await openTestService({ SMTP_URL: mail.url, ...env });
  const add = async (message: string, change = {}) =>
    (await service.store.add({ ...MESSAGE, message }, { now: START, ...change })).id;
  const ids = await Array.fromAsync(messages, (message) => add(message));
  await service.outbox.runDue();
  const of = (kind: 'daily' | 'reminder') =>
    mail.received.map(({ parsed }) => parsed).filter(({ messageId }) => messageId?.startsWith(`<${kind}-`));
  const check = (hours: number) => service.schedule.check(START + hours * HOUR);
  return { ...service, mail, ids, of, add, check };
}

test('one mail a day names what is held, set aside or late and not opened, each once, and none comes if there’s nothing to say', async () => {
  const service = await openWithMail({ ...TORONTO, REMINDERS: 'on' });
  const { store, database, outbox, check, of, add, lines } = service;
  await check(0);
  const bo = { ...MESSAGE, name: 'Бо <b>B</b> www.bo.example', message: 'Held: https://pills.example/x?y=1' };
  await store.add(bo, { now: START, heldFor });
  await markSpam(database, await add('Judged', { heldFor }), START);
  // By a fast clock.
  await store.add({ ...bo, message: 'Aside' }, { now: START + 365 * DAY });
  await store.setNextAside(START, 'refused smtp-554');
  const [opened, answered] = [await add('Opened'), await add('Answered')];
  await add('Pasted', { heldFor: ['fast'] });
  await add('About: The Foundation Blueprint\nLate');
  await outbox.runDue();
  await setTold(database, 'opened', [opened], START);
  await setAnswered(database, answered, START);
  await check(23);
  expect(of('daily')).toEqual([]);
  for (const hours of [24, 48, 72]) await check(hours);
  expect(of('daily')).toHaveLength(1);
  const [{ subject = '', text = '', html = '' } = {}] = of('daily');
  expect(subject).toMatch(/^On your desk: Бо .* and 3 more$/);
  expect(text).toContain('1 not mailed to you, 1 late and 2 held as spam');
  const named = text.match(/(?<=^ {2})(Held|Judged|Aside|Pasted|Late|Opened|Answered)/gm);
  expect(named).toEqual(['Aside', 'Pasted', 'Late', 'Held']);
  const why = text.match(/^Held because .*$/gm)?.at(-1);
  const entry = 'Бо <b>B</b> [link]\n  ana@example.org · Sat, Nov 21, 07:00\n  Held: [link]';
  expect(text).toContain(`${why}\n\n${entry}\n`);
  expect(text).toContain('the mail server refuses it (code 554)');
  expect(html).toMatch(/\/desk\/messages\/[\w-]{36}"[^>]*>Бо &lt;b&gt;B&lt;\/b&gt; \[link\]</);
  expect(`${text}${html}`).not.toMatch(/pills\.example|bo\.example/);
  expect(lines.join('')).not.toMatch(/Held:|Aside/);

  // What happens to it afterwards is news.
  const held = await add('Held again', { heldFor });
  await check(96);
  expect(await release(database, held)).toBe(true);
  await store.setNextAside(START, 'retry smtp-451');
  await check(120);
  const told = of('daily').map(
    ({ text = '' }) => /(Held|mailed).*\n\n.*\n.*\n {2}Held again/.exec(text)?.[1],
  );
  expect(told).toEqual([undefined, 'Held', 'mailed']);
});

test.each([554, 451, 421, 552])(
  'a daily mail or reminder refused with %i comes without its words',
  async (code) => {
    const { check, of, mail, add, ids, database } = await openWithMail(OWNER, ['Buy pills, or help me?']);
    mail.failAt('content', code, 'pills');
    await add('Cheap pills', { heldFor });
    await check(19);
    expect(of('daily').map(({ subject }) => subject)).toEqual(['On your desk: 1 held as spam']);
    await check(20);
    const [{ subject = '', text = '', html = '', messageId, ...rest } = {}] = of('reminder');
    expect(messageId).toBe(`<reminder-${ids[0]}.plain@example.com>`);
    expect(text).toContain(`(code ${code})`);
    expect(JSON.stringify([rest, subject, text, html, of('daily')])).not.toMatch(
      /Ana|ana@example|pills|help/,
    );
    for (const hours of [21, 45, 69]) await check(hours);
    expect([of('daily').length, of('reminder').length]).toEqual([2, 1]);
    const rows = await database.db.selectFrom('contact_message').select('listed_at').execute();
    expect(rows.every(({ listed_at }) => listed_at !== null)).toBe(true);
  },
);

test('what could not be mailed for two days is in the daily mail, however long the promise', async () => {
  const { check, of, mail, add, outbox } = await openWithMail(TORONTO);
  mail.failAt('content', 451, 'put off');
  await add('put off', { replyHours: 336 });
  await outbox.runDue();
  for (const hours of [0, 24]) await check(hours);
  expect(of('daily')).toEqual([]);
  await check(48);
  expect(of('daily').map(({ subject }) => subject)).toEqual(['On your desk: 1 not mailed to you']);
});

test('in a flood, possible leads and then the first fifty are named, and all are counted, under the same Message-ID if that wasn’t noted', async () => {
  const { add, check, of, database, store } = await openWithMail(TORONTO, ['Mailed']);
  await add('Aside.');
  await store.setNextAside(START, 'refused smtp-554');
  for (let i = 1; i <= 53; i += 1) await add(`Flood ${i}.`, { now: START + i, heldFor });
  await add('Pasted.', { now: START + 60, heldFor: ['fast'] });
  // The last is by a clock that was set back.
  for (const hours of [24, 26, 48, -24]) await check(hours);
  const [{ text = '', messageId } = {}, ...others] = of('daily');
  expect(others).toEqual([]);
  for (const words of ['54 held as spam', 'Aside.', 'Pasted.', 'Flood 48.', 'and 5 more'])
    expect(text).toContain(words);
  expect(text).not.toContain('Flood 49.');
  await database.db.updateTable('contact_message').set({ listed_at: null }).execute();
  await check(72);
  expect(of('daily').map((mail) => mail.messageId)).toEqual([messageId, messageId]);
  expect([text.includes('Mailed'), of('reminder')], 'with REMINDERS=off').toEqual([false, []]);
});

test.each(ENGINES)('on %s, only one of two servers reminds the owner, in the same thread', async (engine) => {
  const env = { ...OWNER, DATABASE_URL: await newDatabase(engine) };
  const first = await openWithMail(env, ['kept', 'answered', 'spam', 'erased', 'answered after all']);
  const { database, ids, of, add, mail } = first;
  const [id = '', answered = '', spam = '', erased = '', after = ''] = ids;
  const second = await openTestService({ ...env, SMTP_URL: mail.url });
  for (const each of [answered, after]) await setAnswered(database, each, START + HOUR);
  await setAnswered(database, after, null);
  await markSpam(database, spam, START + HOUR);
  await eraseMessages(database, isOne(erased), first.folder);
  // Never mailed: the daily mail names it.
  await add('waiting');
  for (const hours of [0.1, 19.9, 20.1, 20.2, 23, 30, 47]) {
    await Promise.all([first.check(hours), second.schedule.check(START + hours * HOUR)]);
    if (hours < 20) expect(of('reminder')).toEqual([]);
  }
  const [reminder, other, ...more] = of('reminder');
  const notYet = 'Not marked as answered yet.';
  expect([other?.text, more]).toEqual([expect.stringMatching(/\n\nanswered after all\n/), []]);
  expect(reminder).toMatchObject({
    subject: 'Re: New message from Ana Souza (ana@example.org)',
    messageId: `<reminder-${id}@example.com>`,
    inReplyTo: `<${id}@example.com>`,
    references: `<${id}@example.com>`,
    replyTo: [{ name: 'Ana Souza', address: 'ana@example.org' }],
    date: new Date(START + 20.1 * HOUR).toISOString(),
    text: expect.stringContaining(
      `Reply by Sun 12:00 UTC\n\nAna Souza\nana@example.org\n${notYet}\n\nkept\n`,
    ),
    html: expect.stringContaining(notYet),
  });
  // Even if both look at the same moment.
  const late = await add('late');
  await first.outbox.runDue();
  const noted = [first, second].map((server) => setReminded(server.database, late, START));
  expect((await Promise.all(noted)).toSorted()).toEqual([false, true]);
  expect(`${first.lines}${second.lines}`).not.toMatch(/Ana|ana@|kept|"level":50/);
});

test('a reminder that isn’t taken comes later, and all that waits is tried only then', async () => {
  const { check, mail, of, add, database, outbox } = await openWithMail(OWNER, ['one', 'two']);
  const id = await add('waiting');
  const change = { next_attempt_at: START + 21 * HOUR, last_error: 'unreachable ECONNREFUSED' };
  await database.db.updateTable('contact_message').set(change).where('id', '=', id).execute();
  mail.failAt('recipient', 451);
  await check(20);
  mail.acceptAll();
  await check(20.4);
  setTime(START + 20.5 * HOUR);
  expect([of('reminder'), await outbox.runDue()]).toMatchObject([[], { sent: 0 }]);
  await check(20.5);
  expect(of('reminder')).toHaveLength(2);
  expect(await outbox.runDue()).toMatchObject({ sent: 1 });
});

test('a reminder that isn’t taken while the database is down, too, comes once both are back', async () => {
  const { check, mail, of, database } = await openWithMail(OWNER, ['one']);
  const { write } = database;
  let isAway = true;
  vi.spyOn(database, 'write').mockImplementation(async (...changes) => {
    const { sql, parameters } = changes[0].compile();
    if (isAway && sql.includes('"reminded_at" = ') && parameters[0] === null) throw new Error('away');
    return write(...changes);
  });
  mail.failAt('recipient', 451);
  await check(20);
  mail.acceptAll();
  isAway = false;
  await check(20.5);
  expect(of('reminder')).toHaveLength(1);
});

test('after a time without a mail server, a reminder says that it is late, and none comes right after the mail, or for a message that is late by more than its time', async () => {
  // START is 8 in the morning there.
  const { add, outbox, check, of } = await openWithMail({ TIME_ZONE: 'America/Halifax' });
  await add('long past', { now: START - 49 * HOUR });
  await add('late', { now: START - 40 * HOUR });
  await outbox.runDue();
  await check(3.9);
  expect(of('reminder')).toEqual([]);
  await check(4.1);
  const texts = of('reminder').map(({ text }) => text);
  expect(texts).toEqual([expect.stringMatching(/^Was due [\s\S]*\nlate/)]);
});

test('what was only filed, without a mail server, is mailed once there is one, unless she has seen it', async () => {
  const filed = await openTestService(OWNER);
  const { mailDir } = filed.settings;
  const both = { ...OWNER, DATABASE_URL: `file:${filed.databaseFile}`, MAIL_DIR: mailDir };
  await openWithMail(both, ['mailed before']);
  const add = async (message: string, change = {}) =>
    (await filed.store.add({ ...MESSAGE, message }, { now: START, ...change })).id;
  await add('held', { heldFor });
  setTime(START + HOUR);
  const seen = [await add('seen'), await add('unseen')].slice(0, 1);
  await filed.outbox.runDue();
  await setTold(filed.database, 'opened', seen, START + HOUR);
  await filed.schedule.check(START + 20 * HOUR);
  const files = readdirSync(mailDir);
  expect(files.map((name) => name.replace(/^.*?Z-|-.*/g, ''))).toContain('daily');
  // As after a restore to another machine, which has notes of its own
  rmSync(mailDir, { recursive: true });
  await filed.database.db.deleteFrom('last_done').execute();
  await filed.store.add({ ...MESSAGE, message: 'after it' }, { now: START + 1 });
  await filed.outbox.runDue();
  const { check, mail, outbox } = await openWithMail(both);
  for (const later of [HOUR, 2 * HOUR]) {
    setTime(START + HOUR + later);
    await outbox.start();
    await outbox.runDue();
  }
  await check(44);
  const told = mail.received.map(
    ({ parsed }) => parsed.text?.match(/unseen|seen|after it|mailed before|held/g) ?? [],
  );
  expect(told.map((names) => [...new Set(names)].toSorted())).toEqual([
    ['unseen'],
    ['after it'],
    ['after it', 'held', 'mailed before', 'unseen'],
    // Its reminder
    ['after it'],
  ]);
});

test.each([
  ['by a fast clock comes again, once the clock is right', 1, [26, 2, 20.5, 21], 2],
  ['comes for twenty messages of a flood in a day, and for no more', 22, [20, 21, 22], 20],
])('a reminder %s', async (_, messages, looks, reminders) => {
  const texts = [...Array(messages).keys()].map(String);
  const { check, of } = await openWithMail(OWNER, texts);
  for (const hours of looks) await check(hours);
  expect(of('reminder')).toHaveLength(reminders);
});

test('a server that was killed while a reminder went out does not have it sent again by the next one', async () => {
  const killed = await openWithMail(OWNER, ['one']);
  const { mail, of } = killed;
  mail.hangAtContent();
  void killed.check(20);
  await expect.poll(() => mail.holding()).toBe(1);
  mail.acceptAll();
  const DATABASE_URL = `file:${killed.databaseFile}`;
  const next = await openTestService({ ...OWNER, SMTP_URL: mail.url, DATABASE_URL });
  for (const hours of [20, 20.5, 23, 30]) await next.schedule.check(START + hours * HOUR);
  expect(of('reminder').length).toBeLessThan(2);
});

/** The days on which the server looks, by its clock, and the last day that it keeps the message. */
const days = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const BEHIND = [-59.7, 0.3, ...days(1, 36)];
/** And for two days */
const AHEAD = [365.3, 366.3, ...BEHIND.slice(1)];
const AHEAD_FOR_HOURS = [1, 2, 3650, 3650.7, 2.1, ...days(3, 36)];
test.each<[how: string, engine: Engine, came: number, looks: number[], until: number]>([
  ['in time', 'sqlite', 0.2, days(1, 34), 30],
  ['in time', 'postgres', 0.2, days(1, 34), 30],
  ['no sooner if it came by a clock 60 days behind', 'sqlite', -59.8, BEHIND, 32],
  ['a few days late at most if its clock was a year ahead', 'sqlite', 365.2, AHEAD, 32],
  ['no sooner if the clock is years ahead for hours', 'sqlite', 0.2, AHEAD_FOR_HOURS, 30],
  ['a day later after days without a server', 'sqlite', 0.2, [1, 2, 33, 34, 35], 33],
])('RETENTION_DAYS=30 erases a message %s, on %s', async (_, engine, came, looks, until) => {
  const { schedule, store, outbox, database, lines } = await openTestService({
    ...{ RETENTION_DAYS: '30', TIME_ZONE: 'UTC', REMINDERS: 'off' },
    DATABASE_URL: await newDatabase(engine),
  });
  for (const day of [-1, 0]) await schedule.check(START + day * DAY);
  const at = START + came * DAY;
  await store.add({ ...MESSAGE, message: 'spam' }, { now: at, heldFor });
  await store.add(MESSAGE, { now: at });
  setTime(at);
  await outbox.runDue();
  await store.add({ ...MESSAGE, message: 'waiting' }, { now: at });
  const kept: number[] = [];
  for (const day of looks) {
    await schedule.check(START + day * DAY);
    const rows = await database.db.selectFrom('contact_message').select('message').execute();
    expect(rows.map(({ message }) => message)).toContain('waiting');
    if (rows.length === 3) kept.push(day);
    else expect(rows).toHaveLength(1);
  }
  expect(kept.at(-1)).toBe(until);
  expect(lines.join('')).toContain('"messages":2,"overwritten":true,"msg":"RETENTION_DAYS: old messages');
});
