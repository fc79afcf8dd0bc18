import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../server/database.ts';
import { MESSAGE, START, temporaryFolder } from '../server/open-test-service.ts';
import { createStore } from '../server/store.ts';
import { runDesk } from '../tests/desk-process.ts';
import { startSmtpServer } from '../tests/smtp-server.ts';

const HOUR = 3_600_000;

/** A database with a message of the day before START, where the desk's clock stands, and 40 views of the page on that day. */
async function withYesterday() {
  const folder = temporaryFolder();
  const database = await openDatabase({ engine: 'sqlite', file: join(folder, 'contact.db') });
  const store = createStore(database, { mailDomain: 'example.com' });
  await store.add(MESSAGE, { now: START - 24 * HOUR });
  const rows = [
    { day: '2026-11-20', what: 'visit', count: 40 },
    { day: '2026-11-20', what: 'message', count: 1 },
  ];
  await database.write(database.db.insertInto('daily_count').values(rows));
  await store.close();
  return folder;
}

test('the digest is mailed at once, printed, or given to a script', async () => {
  const folder = await withYesterday();
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const env = { SMTP_URL: mail.url, CONTACT_EMAIL: 'owner@example.com', TIME_ZONE: 'America/Toronto' };
  const printed = await runDesk(folder, ['digest', '--print'], { env });
  expect(printed).toMatchObject({ code: 0, err: '' });
  expect(printed.out.replace(/ +/g, ' ')).toContain(
    'Received 1\nDelivered 0\nPage views 40\nConversion 2.5%',
  );
  const script = await runDesk(folder, ['digest', '--json', '--week'], { env });
  expect(JSON.parse(script.out)).toMatchObject({
    received: 1,
    waiting: 1,
    counted: { visits: 40, messages: 1 },
  });
  expect(mail.received).toEqual([]);
  const sent = await runDesk(folder, ['digest'], { env });
  expect(sent).toMatchObject({ code: 0, err: '' });
  expect(sent.out).toContain(`on its way to owner@example.com, through 127.0.0.1:${mail.port}`);
  expect(mail.received[0]?.parsed.subject).toMatch(/^1 message on /);
  mail.failAt('mail', 550);
  const refused = await runDesk(folder, ['digest'], { env });
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('not mailed (setup smtp-550)');
});

test('the statistics show page views and how many of them wrote, once they are counted', async () => {
  const folder = await withYesterday();
  const env = { TIME_ZONE: 'America/Toronto' };
  const { out } = await runDesk(folder, ['stats'], { env });
  expect(out).toMatch(/Page views +[·█]+\n +40 views, at most 40 a day; 2\.5% wrote/);
  const { days, conversion } = JSON.parse((await runDesk(folder, ['stats', '--json'], { env })).out);
  expect(conversion).toBe(1 / 40);
  expect(days.at(-2)).toMatchObject({ received: 1, visits: 40 });
});
