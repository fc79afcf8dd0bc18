import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../contract/time.ts';
import { openWith } from '../../tests/support/database/message-rows.ts';
import { ENGINES, newDatabase } from '../../tests/support/database/new-database.ts';
import { startWebhookServer } from '../../tests/support/network/webhook-server.ts';
import { call, MESSAGE, openTestService, refuseInserts, START } from '../../tests/support/service.ts';
import { createLog } from '../log.ts';
import type { Message } from '../messages/table.ts';
import { createTroubleWatch } from './trouble.ts';

async function watch(rows: Partial<Message>[]) {
  const database = await openWith(rows);
  const lines: { level: number; msg: string; [fact: string]: unknown }[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) });
  const trouble = createTroubleWatch({ database, log, webhook: undefined });
  async function check(now: number) {
    await trouble.check(now);
    return lines.splice(0);
  }
  return { database, check };
}

const failing = { last_error: 'retry smtp-451', first_failure_at: START - 20 * MINUTE };
const aside = { state: 'set_aside', last_error: 'refused smtp-550' } as const;

test('the log names each thing that’s wrong, with figures: late mails hourly, and stuck ones daily', async () => {
  const other = { ...failing, last_error: 'retry smtp-450', first_failure_at: START - 15 * MINUTE };
  const untried = { received_at: START - DAY };
  // If she has opened one, she knows about it.
  const opened = { ...aside, opened_at: START };
  const { check, database } = await watch([untried, failing, other, aside, aside, opened]);
  const lines = await check(START);
  const late = { level: 50, failing: 2, minutes: 20, fault: 'retry smtp-451' };
  expect(lines).toMatchObject([late, { level: 50, setAside: 2 }]);
  expect(lines[0]?.msg).toMatch(
    /^Contact form: 2 messages could not be mailed, the oldest for 20 min: the mail server put it off \(code 451\)\. All are kept/,
  );
  const minutes = [1, 59, 60, 61, 119, 24 * 60 - 1, 24 * 60];
  const told = await Array.fromAsync(minutes, (minute) => check(START + minute * MINUTE));
  expect(told.map(({ length }) => length)).toEqual([0, 0, 1, 0, 0, 1, 1]);
  await database.db.deleteFrom('contact_message').where('last_error', '=', other.last_error).execute();
  expect((await check(START + 3 * DAY))[0]?.msg).toContain('1 message could not be mailed for 3 days: ');
  expect(await check(START), 'once a clock that was ahead is right').toHaveLength(2);
});

test('while the mail server takes none, all waiting messages are counted, and a recent failure is no trouble', async () => {
  const none = await watch([{ ...failing, last_error: 'setup smtp-535' }, {}, {}]);
  expect(await none.check(START)).toMatchObject([{ failing: 3, fault: 'setup smtp-535' }]);
  // If a fast clock noted it, nobody knows how long it has lasted.
  const ahead = await watch([{ ...failing, first_failure_at: START + 15 * MINUTE + 1 }]);
  expect((await ahead.check(START))[0]?.msg).toContain('1 message could not be mailed for some time: ');
  const young = await watch([{ ...failing, first_failure_at: START - 15 * MINUTE + 1 }]);
  expect(await young.check(START)).toEqual([]);
  await young.database.db.schema.alterTable('contact_message').renameTo('away').execute();
  expect(await young.check(START), 'of one that cannot even be asked').toMatchObject([
    { msg: expect.stringContaining('VISITORS ARE TURNED AWAY') },
    { err: { code: 'SQLITE_ERROR' }, msg: 'the database cannot be asked whether emails fail' },
  ]);
});

test.each(ENGINES)('on %s, one of several servers alerts the owner, or another does', async (engine) => {
  const hook = await startWebhookServer();
  const env = { DATABASE_URL: await newDatabase(engine), ALERT_WEBHOOK_URL: hook.url };
  const servers = await Array.fromAsync({ length: 3 }, () => openTestService(env));
  const check = async (now: number) => {
    for (const { trouble } of servers) await trouble.check(now);
  };
  const [first] = servers;
  await first?.store.add({ ...MESSAGE, message: 'refused' }, { now: START });
  await first?.store.setNextAside(START, 'refused smtp-550');

  hook.answer.status = 500;
  await check(START);
  expect(hook.posted).toHaveLength(3);
  hook.answer.status = 200;
  await check(START + MINUTE);
  await check(START + 2 * HOUR);
  expect(hook.posted).toHaveLength(4);
  // An instance that has only just started knows no more than the database.
  servers.push(await openTestService(env));
  await check(START + 3 * HOUR);
  expect(hook.posted).toHaveLength(4);
  await check(START + MINUTE + DAY);
  expect(hook.posted).toHaveLength(5);
});

test.each(ENGINES)('while %s has no room, readiness fails, and the owner hears hourly', async (engine) => {
  const DATABASE_URL = await newDatabase(engine);
  const hook = await startWebhookServer();
  const env = { DATABASE_URL, ALERT_WEBHOOK_URL: hook.url };
  const { app, database, trouble, lines, readiness } = await openTestService(env);
  const texts = (): string[] => hook.posted.map(({ body }) => JSON.parse(body).text);
  const logged = () => lines.filter((line) => line.includes('VISITORS ARE TURNED AWAY'));
  let makeRoom = await refuseInserts(database);
  for (const _ of ['at once', 'again']) {
    expect((await app.request(...call())).status).toBe(503);
    await trouble.settled();
    expect(texts()).toEqual([expect.stringMatching(/VISITORS ARE TURNED AWAY.*saved: the d/)]);
    expect(logged()).toEqual([expect.stringMatching(/"level":50/)]);
    expect(await readiness()).toBe(503);
  }
  // It takes messages now and then, which is no new trouble.
  for (let minute = 1; minute < 60; minute += 2) {
    await makeRoom();
    expect(await readiness()).toBe(200);
    await trouble.check(START + minute * MINUTE);
    makeRoom = await refuseInserts(database);
    await trouble.check(START + (minute + 0.5) * MINUTE);
    expect(await readiness()).toBe(503);
  }
  expect([texts().length, logged().length]).toEqual([1, 1]);
  await trouble.check(START + HOUR);
  expect([texts().length, logged().length]).toEqual([2, 2]);
  expect([...texts(), ...lines].join('')).not.toMatch(/Ana|ana@|stock|hush|secret/);
  await makeRoom();
  expect(await readiness()).toBe(200);
  expect(await database.db.selectFrom('contact_message').selectAll().execute()).toEqual([]);
  expect((await app.request(...call())).status).toBe(200);
});
