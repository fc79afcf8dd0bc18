import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { MESSAGE, openTestService, START } from '../../tests/support/service/open-test-service.ts';
import { createLog } from '../log.ts';
import type { Mailer } from '../mail/transport.ts';
import { eraseMessages } from '../messages/erase.ts';
import { markSpam } from '../messages/states.ts';
import { scheduledJobs } from './jobs.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** START is noon on a Saturday in UTC, and 7 a.m. in Toronto. */
const TORONTO = { TIME_ZONE: 'America/Toronto', SITE_URL: 'https://www.example.com', REMINDERS: 'off' };

async function mailServer() {
  const server = await startSmtpServer();
  onTestFinished(() => server.close());
  return server;
}

test('a mail server that takes a byte now and then holds up no job for good', async () => {
  const { database, settings, store } = await openTestService(TORONTO);
  await store.add(MESSAGE, { now: START, heldFor: ['trap'] });
  const late = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  onTestFinished(() => void vi.restoreAllMocks());
  const mailer: Mailer = {
    send: (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    destination: 'nowhere',
    close: () => undefined,
  };
  const log = createLog('silent');
  const [list] = scheduledJobs({ database, mailer, settings, log });
  const sending = list?.run({ now: START, lastAt: undefined }, new AbortController().signal);
  setImmediate(() => late.abort(new Error('too late')));
  await expect(sending).rejects.toThrow('too late');
});

test('once a day the owner reads what was held back, why, and how to let it in', async () => {
  const mail = await mailServer();
  const service = await openTestService({ ...TORONTO, SMTP_URL: mail.url });
  const { store, schedule, lines } = service;
  const say = (message: string, now: number) =>
    store.add({ ...MESSAGE, name: 'Бо <b>Baker</b> www.bo.example', message }, { now, heldFor: ['trap'] });
  await schedule.check(START);
  await say('Two links: https://pills.example/x?y=1 https://pills.example/z', START);
  await store.add(MESSAGE, { now: START });
  await schedule.check(START + 23 * HOUR);
  expect(mail.received).toEqual([]);

  mail.failAt('content', 451);
  await schedule.check(START + 24 * HOUR);
  await say('Another one: https://casino.example', START + 24 * HOUR);
  mail.acceptAll();
  await schedule.check(START + 24 * HOUR + 30 * 60_000);
  const { subject, text = '', html = '' } = mail.received[0]?.parsed ?? {};
  expect(mail.received).toHaveLength(1);
  expect(subject).toMatch(/^Suspected spam: Бо .* and 1 more$/);
  expect(text).toContain(
    'Бо <b>Baker</b> [link] <ana@example.org>\n  Two links: [link] [link]\n  Sat, Nov 21, 7:00 a.m. – It’s held',
  );
  expect(html).toContain('Бо &lt;b&gt;Baker&lt;/b&gt; [link]');
  expect(`${text}${html}`).not.toMatch(/pills\.example|bo\.example|Our stock/);
  expect(lines.join('')).not.toMatch(/links:|Baker/);

  for (const days of [2, 3]) await schedule.check(START + days * DAY);
  expect(mail.received).toHaveLength(1);
});

// Of a clock that's wrong for ten minutes: by how many hours.
test.each([-60 * 24, -22, -10, -5, 22, 25, 365 * 24])(
  'what is held is listed once, though the clock was wrong by %d hours when some of it came',
  async (hours) => {
    const mail = await mailServer();
    const { schedule, store } = await openTestService({
      TIME_ZONE: 'UTC',
      REMINDERS: 'off',
      SMTP_URL: mail.url,
    });
    const came: string[] = [];
    for (let day = 0; day < 4; day += 1) {
      for (const [minutes, wrong] of [[0], [10, hours], [20, hours], [30], [59.9]] as const) {
        const now = START + day * DAY + minutes * 60_000 + (day === 1 && wrong ? wrong * HOUR : 0);
        await schedule.check(now);
        const message = `${day} ${minutes}`;
        await store.add({ ...MESSAGE, message }, { now, heldFor: ['trap'] });
        came.push(message);
      }
    }
    await schedule.check(START + 5 * DAY);
    const listed = mail.received.flatMap(({ parsed }) =>
      [...(parsed.text ?? '').matchAll(/^ {2}(\d [\d.]+)$/gm)].map(([, words]) => words),
    );
    expect(listed.toSorted()).toEqual(came.toSorted());
  },
);

test('a list that was mailed but not noted comes again under the same Message-ID', async () => {
  const mail = await mailServer();
  const { schedule, store, database } = await openTestService({ ...TORONTO, SMTP_URL: mail.url });
  await store.add(MESSAGE, { now: START, heldFor: ['trap'] });
  await schedule.check(START);
  await database.db.updateTable('contact_message').set({ listed_at: null }).execute();
  await schedule.check(START + DAY);
  const [first, again] = mail.received.map(({ parsed }) => parsed.messageId);
  expect([first, mail.received.length]).toEqual([again, 2]);
});

test('of a flood, the first fifty are listed, and all are counted', async () => {
  const { store, schedule, settings } = await openTestService({ TIME_ZONE: 'UTC' });
  for (let i = 1; i <= 53; i += 1)
    await store.add({ ...MESSAGE, message: `Flood ${i}.` }, { now: START + i, heldFor: ['trap'] });
  for (const days of [1, 2]) await schedule.check(START + days * DAY);
  const names = await readdir(settings.mailDir);
  const list = await readFile(join(settings.mailDir, names[0] ?? ''), 'utf8');
  expect(names).toHaveLength(1);
  expect(list).toContain('53 messages look like spam');
  expect(list).toContain('and 3 more');
  expect([list.includes('Flood 50.'), list.includes('Flood 51.')]).toEqual([true, false]);
});

test('what the owner has judged is not listed, and a list that is a file goes with what is erased', async () => {
  const { database, store, schedule, settings } = await openTestService({ TIME_ZONE: 'UTC' });
  const one = await store.add(MESSAGE, { now: START, heldFor: ['trap'] });
  const two = await store.add({ ...MESSAGE, message: 'Two' }, { now: START, heldFor: ['trap'] });
  await markSpam(database, one.id, START + HOUR);
  await schedule.check(START + DAY);
  const [name = ''] = await readdir(settings.mailDir);
  const list = await readFile(join(settings.mailDir, name), 'utf8');
  expect([list.includes('Two'), list.includes(MESSAGE.message)]).toEqual([true, false]);
  const options = { mailDir: settings.mailDir, now: START + DAY };
  await eraseMessages(database, { id: '01a1fc24-7b5e-7429-abc4-659443c39f9d' }, options);
  expect(await readdir(settings.mailDir)).toEqual([name]);
  await eraseMessages(database, { id: two.id }, options);
  expect(await readdir(settings.mailDir)).toEqual([]);
});

/** The days on which the server looks, by its clock, and the last of them that keeps the message. */
const days = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const BEHIND = [-59.7, 0.3, ...days(1, 36)];
test.each<[how: string, engine: 'sqlite' | 'postgres', came: number, looks: number[], until: number]>([
  ['in time', 'sqlite', 0.2, days(1, 34), 30],
  ['in time', 'postgres', 0.2, days(1, 34), 30],
  ['no sooner if it came by a clock 60 days behind', 'sqlite', -59.8, BEHIND, 32],
  ['no sooner if it came by a clock 60 days behind', 'postgres', -59.8, BEHIND, 32],
  [
    'a few days late at most if its clock was a year ahead',
    'sqlite',
    365.2,
    [365.3, 0.3, ...days(1, 36)],
    32,
  ],
  [
    'no sooner if the clock is years ahead for hours',
    'sqlite',
    0.2,
    [1, 2, 3650, 3650.7, 2.1, ...days(3, 36)],
    30,
  ],
  ['a day later after days without a server', 'sqlite', 0.2, [1, 2, 33, 34, 35], 33],
])('RETENTION_DAYS=30 erases a message %s, on %s', async (_, engine, came, looks, until) => {
  const { schedule, store, outbox, database, lines } = await openTestService({
    RETENTION_DAYS: '30',
    TIME_ZONE: 'UTC',
    REMINDERS: 'off',
    ...(engine === 'postgres' && { DATABASE_URL: await newPostgresDatabase() }),
  });
  for (const day of [-1, 0]) await schedule.check(START + day * DAY);
  const at = START + came * DAY;
  await store.add({ ...MESSAGE, message: 'spam' }, { now: at, heldFor: ['trap'] });
  await store.add(MESSAGE, { now: at });
  await outbox.runDue({ now: at });
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
  expect(lines.join('')).toContain(
    '"messages":2,"overwritten":true,"msg":"RETENTION_DAYS: old messages erased"',
  );
});

test('without RETENTION_DAYS nothing is erased', async () => {
  const { schedule, store, database } = await openTestService();
  await store.add(MESSAGE, { now: START - 5000 * DAY, heldFor: ['trap'] });
  for (const day of [0, 1, 2]) await schedule.check(START + day * DAY);
  expect(await database.db.selectFrom('contact_message').select('id').execute()).toHaveLength(1);
});
