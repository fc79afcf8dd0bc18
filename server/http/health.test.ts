import { expect, test, vi } from 'vitest';
import {
  call,
  MESSAGE,
  openTestService,
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
