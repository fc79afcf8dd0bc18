import { expect, test, vi } from 'vitest';
import { ENGINES, newDatabase } from '../../tests/support/database/new-database.ts';
import {
  call,
  MESSAGE,
  openTestService,
  refuseInserts,
  START,
  setTime,
} from '../../tests/support/service/open-test-service.ts';
import { SHARED_MS } from '../service.ts';

test('/healthz says that the server lives, /readyz that it takes messages, and neither anything of the business', async () => {
  const { app, store, stopSending } = await openTestService();
  const ask = async (path: string, method = 'GET') => {
    const response = await app.request(path, { method });
    return [response.status, Object.fromEntries(response.headers), await response.text()] as const;
  };
  const headers = { 'cache-control': 'no-store', 'content-type': 'application/json' };
  await app.request(...call());
  await store.add({ ...MESSAGE, name: 'Bot' }, { now: START, heldFor: ['trap'] });
  for (const path of ['/healthz', '/up', '/readyz']) {
    expect(await ask(path)).toEqual([200, headers, '{"ok":true}']);
    expect(await ask(path, 'HEAD')).toEqual([200, headers, '']);
  }
  await stopSending();
  expect(await ask('/readyz')).toEqual([503, headers, '{"ok":false}']);
  for (const path of ['/healthz', '/up']) expect((await app.request(path)).status).toBe(200);
});

test('however many ask within three seconds whether the server is ready, the disk is written to once', async () => {
  const { app, database, readiness } = await openTestService();
  const write = vi.spyOn(database, 'write');
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.request('/readyz')));
  setTime(Date.now() + SHARED_MS - 1);
  for (let again = 0; again < 50; again += 1) answers.push(await app.request('/readyz'));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(write).toHaveBeenCalledTimes(1);
  await readiness();
  // However far the clock is set back.
  setTime(0);
  await app.request('/readyz');
  expect(write).toHaveBeenCalledTimes(3);
});

test.each(ENGINES)(
  'once a visitor or the check of each minute finds that %s has no room, readiness fails until there is some again',
  async (engine) => {
    const env = { DATABASE_URL: await newDatabase(engine) };
    const { app, store, database, trouble, readiness, lines } = await openTestService(env);
    await trouble.check(START);
    const finds = [
      async () => expect((await app.request(...call())).status).toBe(503),
      () => trouble.check(START + 60_000),
    ];
    for (const find of finds) {
      expect(await readiness()).toBe(200);
      const allowInserts = await refuseInserts(database);
      await find();
      expect([await readiness(), await readiness()]).toEqual([503, 503]);
      await allowInserts();
    }
    expect([await readiness(), await store.counts()]).toEqual([200, expect.objectContaining({ waiting: 0 })]);
    // Nothing is left behind.
    expect(await database.db.selectFrom('contact_message').selectAll().execute()).toEqual([]);
    expect((await app.request(...call())).status).toBe(200);
    expect(lines.join('')).toContain('not ready: the database takes no messages');
    await trouble.settled();
  },
);
