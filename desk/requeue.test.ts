import { readdirSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createStore } from '../server/messages/store.ts';
import { ENGINES, openTestDesk, runDesk } from '../tests/support/desk/desk-process.ts';
import { startSmtpServer } from '../tests/support/mail/smtp-server.ts';
import { START, temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { startServer, submit } from '../tests/support/service/server-process.ts';

const HOUR = 3_600_000;

describe.each(ENGINES)('on %s', (engine) => {
  const soon = engine === 'sqlite' ? 'at once' : 'within a minute';

  test('what was set aside goes back into the queue, as does what waits for hours', async () => {
    const { add, run, runJson, rows } = await openTestDesk(engine);
    const failed = { failures: 12, first_failure_at: 5, last_error: 'retry smtp-451' };
    const aside = await add({ state: 'set_aside', ...failed, last_error: 'refused smtp-550' });
    const late = await add({ state: 'waiting', ...failed, next_attempt_at: START + 9 * HOUR });
    const inHand = await add({ state: 'waiting', next_attempt_at: START + HOUR });
    const spam = await add({ state: 'spam' });
    const sent = await add();
    expect(await run(['requeue', aside.id])).toEqual({
      code: 0,
      out: `The message of Ana Souza is queued. A running server mails it ${soon}.\n`,
      err: '',
    });
    const queued = { state: 'waiting', failures: 0, first_failure_at: null, last_error: null };
    const [first, second] = await rows();
    expect(first).toMatchObject({ ...queued, attempts: aside.attempts, next_attempt_at: aside.received_at });
    expect(second).toEqual(late);
    expect(await runJson(['requeue', 'all'])).toEqual({ requeued: 2 });
    const [, now, ...others] = await rows();
    expect(now).toMatchObject(queued);
    expect(others).toEqual([inHand, spam, sent]);
  });

  test('while the mail server refuses our login, nobody reads that mails go out at once', async () => {
    const { add, run } = await openTestDesk(engine);
    await add({ state: 'waiting', last_error: 'setup smtp-535', next_attempt_at: START + HOUR });
    const { id } = await add({ state: 'spam' });
    for (const args of [
      ['not-spam', id],
      ['requeue', 'all'],
    ]) {
      const { code, out } = await run(args);
      expect(code).toBe(0);
      expect(out).toContain('once the mail server accepts our login: check SMTP_URL and MAIL_FROM');
    }
  });

  test('what was delivered is mailed again only when that is said', async () => {
    const { add, run, rows } = await openTestDesk(engine);
    const { id } = await add();
    expect(await run(['requeue', id])).toMatchObject({
      code: 1,
      err: 'The message of Ana Souza was mailed to you already (Sat, Nov 21, 2026, 6:01 a.m.). --again sends it once more.\n',
    });
    expect((await rows())[0]?.state).toBe('sent');
    expect(await run(['requeue', id, '--again'])).toMatchObject({ code: 0 });
    expect((await rows())[0]).toMatchObject({ state: 'waiting', sent_at: null });
  });

  test('a message that is marked as spam while its mail is on the way is not mailed a second time', async () => {
    const { add, runJson, run, rows, database } = await openTestDesk(engine);
    const store = createStore(database, { mailDomain: 'example.com', leaseClock: 'caller' });
    const waiting = { state: 'waiting', attempts: 0 } as const;
    const first = await add(waiting);
    const claimed = await store.claim(START, HOUR);
    expect(await run(['spam', first.id])).toMatchObject({
      out: 'The message of Ana Souza is marked as spam. Its mail was on its way at that moment.\n',
    });
    expect(claimed && (await store.markSent(claimed, START))).toBe(true);
    expect((await rows())[0]).toMatchObject({ state: 'spam', sent_at: START });
    expect(await runJson(['not-spam', first.id])).toEqual({ id: first.id, state: 'delivered', requeued: 0 });
    expect(await store.claim(START + 2 * HOUR, HOUR)).toBeUndefined();

    // Nor if the owner changes her mind while the mail is still going out.
    const second = await add(waiting);
    const again = await store.claim(START, HOUR);
    await run(['spam', second.id]);
    expect(await runJson(['not-spam', second.id])).toMatchObject({ state: 'waiting', requeued: 1 });
    expect(await store.claim(START, HOUR)).toBeUndefined();
    expect(again && (await store.markSent(again, START))).toBe(true);
    expect((await rows())[1]).toMatchObject({ state: 'sent', sent_at: START });
  });

  test('a message is marked as spam, and one that was none is delivered', async () => {
    const { add, run, runJson, rows } = await openTestDesk(engine);
    const spam = await add({ state: 'spam', attempts: 0, name: 'Zoë' });
    const sent = await add();
    expect(await run(['not-spam', spam.id])).toEqual({
      code: 0,
      out: `The message of Zoë is queued. A running server mails it ${soon}.\n`,
      err: '',
    });
    expect((await rows())[0]?.state).toBe('waiting');
    expect(await runJson(['spam', sent.id])).toEqual({ id: sent.id, state: 'spam' });
    expect(await run(['spam', sent.id])).toMatchObject({ code: 1 });
    // It's already been mailed.
    expect(await runJson(['requeue', sent.id])).toMatchObject({ state: 'delivered', requeued: 0 });
    expect((await rows())[1]).toEqual({ ...sent, judged_at: expect.any(Number) });
  });
});

test('what to requeue must be said in one way', async () => {
  const { run } = await openTestDesk('sqlite');
  for (const args of [[], ['00000001', 'all'], ['all', '--again']])
    expect(await run(['requeue', ...args])).toMatchObject({ code: 2, out: '' });
  expect(await run(['requeue', 'all'])).toMatchObject({
    code: 0,
    out: 'There’s nothing to mail: no message waits or is set aside.\n',
  });
});

test('a running server mails at once what the desk has put back, and forgets what it has erased', async () => {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const folder = temporaryFolder();
  const server = await startServer(folder, { SMTP_URL: mail.url });
  const now = { TEST_CLOCK_SHIFT: '0' };
  mail.failAt('recipient', 550);
  expect(await submit(server.url, 'put back')).toBe(200);
  const list = async () =>
    JSON.parse((await runDesk(folder, ['list', '--json'], { env: now })).out) as {
      id: string;
      state: string;
    }[];
  await expect.poll(list).toMatchObject([{ state: 'set-aside' }]);
  mail.acceptAll();
  const [{ id = '' } = {}] = await list();
  expect(await runDesk(folder, ['requeue', id], { env: now })).toMatchObject({ code: 0 });
  // Far sooner than the outbox's own poll, once a minute.
  await expect.poll(() => mail.received.length).toBe(1);
  await expect.poll(list).toMatchObject([{ id, state: 'delivered' }]);

  expect(await runDesk(folder, ['erase', id, '--yes'], { env: now })).toMatchObject({ code: 0 });
  expect(await list()).toEqual([]);
  expect(await submit(server.url, 'after it')).toBe(200);
  await expect.poll(() => mail.received.length).toBe(2);
  expect(readdirSync(folder)).not.toContain('mail');
});
