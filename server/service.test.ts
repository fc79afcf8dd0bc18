import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { HOUR } from '../contract/time.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import { startSmtpServer } from '../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../tests/support/network/until-end.ts';
import { call, MESSAGE, openTestService, peer, START } from '../tests/support/service.ts';
import { createLog } from './log.ts';
import { openService } from './service.ts';

test('if a platform calls the function, what can’t be claimed waits for the next sweep, which reports a failing database', async () => {
  const SWEEP_SECRET = 'the-database-knows-it-as-well';
  const { settings, database } = await openTestService({ SWEEP_SECRET });
  const lines: string[] = [];
  const work: Promise<unknown>[] = [];
  const service = await openService(settings, {
    log: createLog('info', { write: (line) => void lines.push(line) }),
    host: {
      keys: [settings.supabaseAnonKey],
      pathOf: ({ url }) => new URL(url).pathname,
      inBackground: (started) => void work.push(started),
    },
  });
  onTestFinished(() => service.close());
  const run = (text: string) => sql.raw(text).execute(database.db);
  await run(
    "create trigger full before update on contact_message begin select raise(abort, 'Ana: the disk is full'); end",
  );
  expect((await service.app.request(...call())).status).toBe(200);
  await Promise.all(work);
  expect(lines.join('')).toContain('the outbox cannot read the stored messages');
  await run('drop trigger full');
  const [path, init] = call(undefined, { authorization: `Bearer ${SWEEP_SECRET}` });
  expect(await (await service.app.request(`${path}/sweep`, init)).json()).toMatchObject({ sent: 1 });
  await run('alter table contact_message rename to away');
  expect((await service.app.request(`${path}/sweep`, init)).status).toBe(500);
  expect(lines.join('')).toContain('VISITORS ARE TURNED AWAY');
  expect(lines.join('')).not.toContain('Ana');
});

test('after an outage, what it held up is mailed before a daily mail could call it not mailed', async () => {
  const smtp = await untilEnd(startSmtpServer());
  const { settings, store } = await openTestService({ SMTP_URL: smtp.url, TIME_ZONE: 'UTC' });
  await store.add(MESSAGE, { now: START - 30 * HOUR });
  await untilEnd(openService(settings, { log: createLog('silent') }));
  await expect.poll(() => smtp.received.map(({ parsed }) => parsed.subject)).toHaveLength(2);
  const [first, daily] = smtp.received.map(({ parsed }) => parsed);
  expect(first?.subject).toContain('New message');
  expect(daily?.text).not.toContain('Not mailed');
});

test('the same text from a fourth sender within the hour is held, whatever its links, numbers and case, but not a second one from the same sender', async () => {
  const { app, store } = await openTestService();
  const message = 'This text is long enough that nobody would write the same words again by chance.';
  const send = async (address: string, email = MESSAGE.email, text = message) => {
    await app.request(...call({ ...MESSAGE, email, message: text }), peer(address));
    return (await store.counts()).spam;
  };
  for (const ending of ['', '!', '!!', '!!!'])
    expect(await send('203.0.113.1', undefined, message + ending)).toBe(0);
  expect(await send('203.0.113.2')).toBe(0);
  expect(await send('203.0.113.1', 'bo@example.org')).toBe(0);
  expect(await send('203.0.113.4', undefined, `${message.toUpperCase()} 4 https://a4.example`)).toBe(1);
  expect(await send('203.0.113.4', undefined, `${message} 44`)).toBe(2);
  // A short text doesn't count, whatever was ticked: many tick the same.
  const ticked = 'About: Manual spreadsheet updates; Lost visibility on stock and tasks';
  for (const number of [5, 6, 7, 8])
    expect(await send(`203.0.113.${number}`, undefined, `${ticked}\nCall me, ${number}`)).toBe(2);
});

test('if only the desk of a Supabase project runs here, the project still mails its messages', async () => {
  const { app, settings, database } = await openTestService();
  await app.request(...call());
  const sent: string[] = [];
  async function open(place: string, more: Partial<Settings> = {}) {
    const mailer = async () => void sent.push(place);
    const options = { database, mailer, log: createLog('silent') };
    const service = await openService({ ...settings, ...more }, options);
    onTestFinished(() => service.stopSending());
  }
  await open('laptop', {
    supabaseUrl: 'https://abcdefgh.supabase.co',
    database: readSettings({ DATABASE_URL: 'postgres://u:p@db.abcdefgh.supabase.co/postgres' }).database,
  });
  await open('project');
  await expect.poll(() => sent).toEqual(['project']);
});

test('what she resends from the desk is picked up right away, not a minute later', async () => {
  const { app, outbox } = await openTestService({}, { desk: () => new Response('done') });
  const wake = vi.spyOn(outbox, 'wake');
  await app.request('/desk/messages');
  expect(wake).not.toHaveBeenCalled();
  await app.request('/desk/messages', { method: 'POST' });
  expect(wake).toHaveBeenCalledOnce();
});
