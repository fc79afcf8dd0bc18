import { existsSync, renameSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../messages/database.ts';
import { openStore } from '../messages/store.ts';
import { type MessageRow, openTestDesk } from '../tests/desk-process.ts';
import { START } from '../tests/open-test-service.ts';
import { newPostgresDatabase } from '../tests/postgres.ts';
import { runSql } from '../tests/postgres-server.ts';

/** A desk whose server is stopped, with a message in every state, and an empty Postgres to move to. */
async function stoppedDesk() {
  const desk = await openTestDesk('sqlite');
  await desk.add({ name: 'Zoë 👩🏽‍🔧', message: 'one\n\n  two' });
  await desk.add({
    state: 'waiting',
    attempts: 3,
    failures: 2,
    first_failure_at: START - 5_000,
    next_attempt_at: START + 60_000,
    last_error: 'retry smtp-451',
    idempotency_key: 'a key',
  });
  await desk.add({ state: 'set_aside', last_error: 'refused smtp-550' });
  await desk.add({ state: 'spam', attempts: 0 });
  for (let index = 0; index < 450; index += 1) await desk.add({ message: `message ${index}` });
  await desk.database.db
    .insertInto('daily_count')
    .values({ day: '2026-11-20', what: 'visit', count: 7 })
    .execute();
  const rows = await desk.rows();
  const to = await newPostgresDatabase();
  return { ...desk, to, rows, stop: () => desk.database.close() };
}

async function rowsOf(url: string): Promise<MessageRow[]> {
  const database = await openDatabase({ engine: 'postgres', url });
  try {
    return await database.db.selectFrom('contact_message').selectAll().orderBy('id').execute();
  } finally {
    await database.close();
  }
}

test('everything is moved as it is, compared, and goes on from there', async () => {
  const { run, stop, to, rows, file } = await stoppedDesk();
  await stop();
  const { code, out, err } = await run(['move', '--to', to]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/Moved 454 messages to Postgres at 127\.0\.0\.1:\d+\/test_\w+ and compared them/);
  expect(out).toMatch(/1 message still wait/);
  expect(out).not.toContain(new URL(to).password);
  expect(await rowsOf(to)).toEqual(rows);
  expect(await runSql(to, 'select * from daily_count')).toEqual([
    { day: '2026-11-20', what: 'visit', count: 7 },
  ]);
  // Nobody mails or reads the old file by mistake.
  expect([existsSync(file), existsSync(`${file}.moved`)]).toEqual([false, true]);
  const store = await openStore({ engine: 'postgres', url: to }, { mailDomain: 'x', leaseClock: 'caller' });
  onTestFinished(() => store.close());
  expect(await store.claim(START + 60_000, 1)).toMatchObject({ id: rows[1]?.id, attempts: 4, failures: 2 });
});

test('while the server runs nothing is moved', async () => {
  const { run, to, file } = await stoppedDesk();
  const { code, err } = await run(['move', '--to', to]);
  expect(code).toBe(1);
  expect(err).toMatch(/Another program has .*contact\.db open.*Stop it first/);
  expect(existsSync(file)).toBe(true);
  expect(await rowsOf(to)).toEqual([]);
});

test('a move that was broken off leaves nothing behind, and is started again', async () => {
  const { run, stop, to, rows, file } = await stoppedDesk();
  await stop();
  await rowsOf(to);
  // It comes as far as the last table, which another program holds until the move has given up.
  const held = await openDatabase({ engine: 'postgres', url: to });
  onTestFinished(() => held.close());
  await held.db.transaction().execute(async (transaction) => {
    // Ours would end it after ten seconds, which the move may take on a busy machine.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
    await transaction
      .insertInto('daily_count')
      .values({ day: '2026-11-20', what: 'visit', count: 1 })
      .execute();
    const { code, err } = await run(['move', '--to', to]);
    expect([code, err]).toEqual([1, expect.stringMatching(/broken off.*start it again/)]);
  });
  expect(existsSync(file)).toBe(true);
  await runSql(to, 'delete from daily_count');
  expect(await rowsOf(to)).toEqual([]);
  expect((await run(['move', '--to', to])).code).toBe(0);
  expect(await rowsOf(to)).toEqual(rows);
});

test('broken off after the last message, it is finished by starting it again', async () => {
  const { run, stop, to, rows, file } = await stoppedDesk();
  await stop();
  expect((await run(['move', '--to', to])).code).toBe(0);
  renameSync(`${file}.moved`, file);
  const { code, out } = await run(['move', '--to', '-'], { input: `${to}\n` });
  expect([code, out]).toEqual([0, expect.stringMatching(/Moved 454 messages/)]);
  expect(await rowsOf(to)).toEqual(rows);
  const again = await run(['move', '--to', to]);
  expect([again.code, again.err]).toEqual([1, expect.stringMatching(/contact\.db\.moved was moved before/)]);
});

test('a database that holds messages is refused, unless they are to be kept together', async () => {
  const { run, stop, to, rows, file } = await stoppedDesk();
  const store = await openStore({ engine: 'postgres', url: to }, { mailDomain: 'example.com' });
  onTestFinished(() => store.close());
  const message = { name: 'B', email: 'b@example.org', message: 'here before' };
  await store.add(message, { now: START });
  await stop();
  const refused = await run(['move', '--to', to]);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/Nothing was moved.*holds 1 message already.*--merge/),
  ]);
  expect(existsSync(file)).toBe(true);
  const merged = await run(['move', '--to', to, '--merge']);
  expect([merged.code, merged.out]).toEqual([0, expect.stringMatching(/It held 1 message before/)]);
  const all = await rowsOf(to);
  expect(all).toHaveLength(rows.length + 1);
  expect(all).toEqual(expect.arrayContaining(rows));
  expect((await store.counts()).waiting).toBe(2);
});

test('an address that cannot be used is said so of, without its password, and the file stays', async () => {
  const { run, stop, to, file } = await stoppedDesk();
  await stop();
  for (const [address, exit, words] of [
    ['mysql://me:hunter2@host/db', 2, /is not postgres:\/\//],
    ['postgres://me:hunter2@127.0.0.1:1/db', 1, /No Postgres server answers/],
    [to.replace(/:[^:@]+@/, ':hunter2@'), 1, /refuses the user or password/],
  ] as const) {
    const { code, err } = await run(['move', '--to', address]);
    expect([code, err]).toEqual([exit, expect.stringMatching(words)]);
    expect(err).not.toContain('hunter2');
  }
  expect(existsSync(file)).toBe(true);
  const onPostgres = await run(['move', '--to', to], { env: { DATABASE_URL: to } });
  expect([onPostgres.code, onPostgres.err]).toEqual([1, expect.stringMatching(/Postgres database already/)]);
});
