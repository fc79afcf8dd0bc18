import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../messages/open.ts';
import type { DatabaseSetting } from '../settings/checks.ts';
import {
  call,
  clockAt,
  formPost,
  MESSAGE,
  openTestService,
  START,
  temporaryFolder,
} from '../tests/open-test-service.ts';
import { newPostgresDatabase } from '../tests/postgres.ts';
import { servedSite } from '../tests/served-site.ts';
import { createLog } from './log.ts';

import { createVisitCount } from './visit-count.ts';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
const PERSON = { 'user-agent': CHROME, 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
const HOUR = 3_600_000;

/** The service on a real port with a small site, and what it has counted. */
async function site(env: Record<string, string> = {}) {
  const { pages, listen } = servedSite({ 'index.html': '<h1>Home</h1>', 'a.txt': 'A', '404.html': 'No' });
  const service = await openTestService({ TIME_ZONE: 'UTC', ...env }, { pages });
  const url = await listen(service);
  /** Node's own fetch would add headers, and can't leave out the user agent. */
  const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
    new Promise<number>((resolve, reject) => {
      const outgoing = request(url + path, { method, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      outgoing.once('error', reject).end();
    });
  async function counted() {
    await service.visits?.flush();
    const { db } = service.database;
    return db.selectFrom('daily_count').selectAll().orderBy('day').orderBy('what').execute();
  }
  return { ...service, ask, counted };
}

test('a page that a browser shows counts once, fresh or not modified', async () => {
  const { ask, counted } = await site();
  expect(await ask('/', PERSON)).toBe(200);
  expect(await ask('/?utm_source=x', { 'user-agent': SAFARI })).toBe(200);
  expect(await ask('/', { ...PERSON, 'if-none-match': '*' })).toBe(304);
  expect(await counted()).toEqual([{ day: '2026-11-21', what: 'visit', count: 3 }]);
});

test('nothing but a page in front of a person counts', async () => {
  const { ask, counted } = await site();
  await ask('/', PERSON, 'HEAD');
  await ask('/', PERSON, 'POST');
  await ask('/a.txt', PERSON);
  await ask('/no-such-page', PERSON);
  await ask('/', { ...PERSON, range: 'bytes=0-3' });
  for (const ahead of [
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ])
    await ask('/', { ...PERSON, ...ahead });
  for (const destination of ['empty', 'iframe', 'image'])
    await ask('/', { ...PERSON, 'sec-fetch-dest': destination });
  await ask('/', {});
  for (const agent of [
    'curl/8.11.0',
    'python-requests/2.32',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (Linux; Android 6.0.1) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36 (compatible; GPTBot/1.2)',
    'facebookexternalhit/1.1',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36',
  ])
    await ask('/', { 'user-agent': agent, 'sec-fetch-dest': 'document' });
  expect(await counted()).toEqual([]);
});

test('a message counts once, whoever sends it twice, and neither suspected spam nor the owner does', async () => {
  const { app, counted } = await site();
  for (const post of [call(), call(), formPost({ ...MESSAGE, message: 'Another' })])
    await app.request(...post);
  await app.request(...formPost({ ...MESSAGE, message: 'Buy', leave_this_empty: 'x' }));
  await app.request(...call({ ...MESSAGE, email: 'nobody' }));
  // Tests of the form, by hand or by `desk doctor`, don't count.
  await app.request(...call({ ...MESSAGE, email: 'Owner@example.com' }));
  expect(await counted()).toEqual([{ day: '2026-11-21', what: 'message', count: 2 }]);
});

test('a day ends at midnight of the owner’s zone, and each has its own number', async () => {
  const { ask, clock, counted } = await site({ TIME_ZONE: 'America/Toronto' });
  clock.now = Date.UTC(2026, 10, 22, 4, 59, 59);
  await ask('/', PERSON);
  clock.now += 1000;
  await ask('/', PERSON);
  await ask('/', PERSON);
  expect(await counted()).toEqual([
    { day: '2026-11-21', what: 'visit', count: 1 },
    { day: '2026-11-22', what: 'visit', count: 2 },
  ]);
});

test('COUNT_VISITS=off counts nothing', async () => {
  const { ask, app, visits, counted } = await site({ COUNT_VISITS: 'off' });
  await ask('/', PERSON);
  await app.request(...call());
  expect(visits).toBeUndefined();
  expect(await counted()).toEqual([]);
});

test('what is counted is written at the stop', async () => {
  const service = await site();
  await service.ask('/', PERSON);
  await service.close();
  const { db, close } = await openDatabase(service.settings.database);
  onTestFinished(close);
  expect(await db.selectFrom('daily_count').selectAll().execute()).toEqual([
    { day: '2026-11-21', what: 'visit', count: 1 },
  ]);
});

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  async function counter() {
    const setting: DatabaseSetting =
      engine === 'postgres'
        ? { engine, url: await newPostgresDatabase() }
        : { engine, file: join(temporaryFolder(), 'contact.db') };
    const database = await openDatabase(setting);
    onTestFinished(() => database.close());
    const clock = { now: START };
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const onTime = { ...database, clock: clockAt(() => clock.now) };
    const make = () => createVisitCount({ database: onTime, log, timeZone: 'UTC' });
    return { database, clock, lines, make };
  }

  test('several servers add their counts up, and a second writing adds nothing', async () => {
    const { database, make } = await counter();
    const [one, two] = [make(), make()];
    for (let time = 0; time < 3; time += 1) one.pageSent(PERSON);
    two.pageSent(PERSON);
    await Promise.all([one.flush(), two.flush(), one.flush()]);
    one.pageSent(PERSON);
    await one.flush();
    const rows = await database.db.selectFrom('daily_count').selectAll().execute();
    expect(rows).toEqual([{ day: '2026-11-21', what: 'visit', count: 5 }]);
  });

  test('while the database takes no counts they are kept, those of yesterday too, and none is written twice', async () => {
    const { database, clock, lines, make } = await counter();
    const visits = make();
    visits.pageSent(PERSON);
    await database.db.schema.alterTable('daily_count').renameTo('away').execute();
    await visits.flush();
    clock.now += 24 * HOUR;
    visits.pageSent(PERSON);
    visits.messageStored();
    await visits.flush();
    expect(lines.join('')).toContain(
      'the counts of visits cannot be written; they are kept for the next time',
    );
    await database.db.schema.alterTable('away').renameTo('daily_count').execute();
    await visits.flush();
    await visits.flush();
    const rows = await database.db
      .selectFrom('daily_count')
      .selectAll()
      .orderBy('day')
      .orderBy('what')
      .execute();
    expect(rows).toEqual([
      { day: '2026-11-21', what: 'visit', count: 1 },
      { day: '2026-11-22', what: 'message', count: 1 },
      { day: '2026-11-22', what: 'visit', count: 1 },
    ]);
  });
});

test('nothing of whoever came is kept: neither in the database’s files nor in a log line', async () => {
  const { ask, visits, lines, databaseFile } = await site();
  const canary = {
    ...PERSON,
    'user-agent': `${CHROME} canary`,
    referer: 'https://canary.example/',
    cookie: 'canary=1',
  };
  await ask('/?canary=1', canary);
  await ask('/canary', { ...canary, 'x-forwarded-for': '203.0.113.9' });
  await visits?.flush();
  await expect.poll(() => lines.filter((line) => line.includes('page answered'))).toHaveLength(2);
  const kept = ['', '-wal', '-shm'].map((end) => readFileSync(databaseFile + end, 'latin1')).join('');
  expect(kept).toContain('2026-11-21');
  expect(kept + lines.join('')).not.toMatch(/canary|203\.0\.113\.9|127\.0\.0\.1|Mozilla|Chrome/);
});
