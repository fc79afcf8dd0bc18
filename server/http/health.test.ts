import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import {
  call,
  MESSAGE,
  openTestService,
  refuseInserts,
  START,
} from '../../tests/support/service/open-test-service.ts';

test('/healthz says that the server lives, /readyz what waits, and neither names anybody', async () => {
  const { app, store, clock, prepareToStop } = await openTestService();
  expect(await (await app.request('/healthz')).json()).toEqual({ ok: true });
  await app.request(...call());
  await store.add({ ...MESSAGE, name: 'Bot' }, { now: START, heldFor: ['trap'] });
  clock.now += 90_000;
  const ready = await app.request('/readyz');
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({
    ok: true,
    waiting: 1,
    set_aside: 0,
    spam: 1,
    oldest_undelivered_seconds: 90,
  });
  prepareToStop();
  expect((await app.request('/readyz')).status).toBe(503);
  for (const path of ['/healthz', '/up']) expect((await app.request(path)).status).toBe(200);
});

test('readiness fails when the database takes no writes', async () => {
  const { app, databaseFile, lines } = await openTestService();
  const other = new Database(databaseFile);
  other.exec('drop table store_check');
  other.close();
  expect((await app.request('/readyz')).status).toBe(503);
  expect(lines.join('')).toContain('not ready: the database takes no messages');
});

test('however many ask at once whether the server is ready, the disk is written to once', async () => {
  const { app, database } = await openTestService();
  let writes = 0;
  if (database.engine === 'sqlite')
    database.sqlite.function('count_write', () => {
      writes += 1;
      return null;
    });
  await sql`create temp trigger counted before insert on store_check begin select count_write(); end`.execute(
    database.db,
  );
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.request('/readyz')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(writes).toBe(1);
});

test.each(['sqlite', 'postgres'] as const)(
  'once a message could not be stored on %s, readiness fails until there is room for one again',
  async (engine) => {
    const env = engine === 'postgres' ? { DATABASE_URL: await newPostgresDatabase() } : {};
    const { app, store, database, trouble } = await openTestService(env);
    const ready = async () => (await app.request('/readyz')).status;
    const allowInserts = await refuseInserts(database);
    expect((await app.request(...call())).status).toBe(503);
    expect([await ready(), await ready()]).toEqual([503, 503]);
    await allowInserts();
    expect([await ready(), (await app.request(...call())).status]).toEqual([200, 200]);
    expect(await store.counts()).toMatchObject({ waiting: 1, spam: 0 });
    await trouble.settled();
  },
);

test.each(['sqlite', 'postgres'] as const)(
  'on %s, the check of each minute finds without a visitor that nothing can be stored, and leaves nothing behind',
  async (engine) => {
    const env = engine === 'postgres' ? { DATABASE_URL: await newPostgresDatabase() } : {};
    const { app, database, trouble } = await openTestService(env);
    const ready = async () => (await app.request('/readyz')).status;
    await trouble.check(START);
    const allowInserts = await refuseInserts(database);
    await trouble.check(START + 60_000);
    expect(await ready()).toBe(503);
    await allowInserts();
    expect(await ready()).toBe(200);
    expect(await database.db.selectFrom('contact_message').selectAll().execute()).toEqual([]);
  },
);
