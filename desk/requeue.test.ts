import { readdirSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HOUR } from '../contract/time.ts';
import { eraseMessages } from '../server/messages/erase.ts';
import { openDatabase } from '../server/messages/open.ts';
import { createStore } from '../server/messages/store.ts';
import { ENGINES, openTestDesk, runDesk } from '../tests/support/desk/desk-process.ts';
import { startSmtpServer } from '../tests/support/mail/smtp-server.ts';
import { START, temporaryFolder } from '../tests/support/service/open-test-service.ts';
import { startServer, submit } from '../tests/support/service/server-process.ts';
import { findMessage } from './find-message.ts';
import { mailAgain, mailAllAgain, takeForSpam } from './requeue.ts';

const timeZone = 'America/Toronto';

async function open(engine: (typeof ENGINES)[number]) {
  const desk = await openTestDesk(engine);
  const { database } = desk;
  return {
    ...desk,
    again: async (id: string, again = false) =>
      mailAgain(database, await findMessage(database, id), { again, timeZone }),
    spam: async (id: string) => takeForSpam(database, await findMessage(database, id)),
  };
}

describe.each(ENGINES)('on %s', (engine) => {
  const soon = engine === 'sqlite' ? 'at once' : 'within a minute';

  test('what was set aside goes back into the queue, as does what waits for hours', async () => {
    const { add, again, rows, database } = await open(engine);
    const failed = { failures: 12, first_failure_at: 5, last_error: 'retry smtp-451' };
    const aside = await add({ state: 'set_aside', ...failed, last_error: 'refused smtp-550' });
    const late = await add({ state: 'waiting', ...failed, next_attempt_at: Date.now() + 9 * HOUR });
    const inHand = await add({ state: 'waiting', next_attempt_at: Date.now() + HOUR });
    const spam = await add({ state: 'spam' });
    const sent = await add();
    expect(await again(aside.id)).toBe(
      `The message of Ana Souza is queued. A running server mails it ${soon}.`,
    );
    const queued = { state: 'waiting', failures: 0, first_failure_at: null, last_error: null };
    const [first, second] = await rows();
    expect(first).toMatchObject({ ...queued, attempts: aside.attempts, next_attempt_at: aside.received_at });
    expect(second).toMatchObject(late);
    expect(await mailAllAgain(database)).toMatch(/^2 messages queued\./);
    const [, now, ...others] = await rows();
    expect(now).toMatchObject(queued);
    expect(others).toMatchObject([inHand, spam, sent]);
    await expect(again(inHand.id)).rejects.toThrow('The message of Ana Souza is on its way just now.');
  });

  test('while the mail server refuses our login, nobody reads that mails go out at once', async () => {
    const { add, again, database } = await open(engine);
    await add({ state: 'waiting', last_error: 'setup smtp-535', next_attempt_at: Date.now() + HOUR });
    const { id } = await add({ state: 'spam' });
    for (const said of [await again(id), await mailAllAgain(database)])
      expect(said).toContain('once the mail server accepts our login: check SMTP_URL and MAIL_FROM');
  });

  test('what was delivered is mailed again only when that is meant', async () => {
    const { add, again, rows } = await open(engine);
    const { id } = await add();
    await expect(again(id)).rejects.toThrow('was mailed to you already (Sat, Nov 21, 2026, 6:01 a.m.).');
    expect((await rows())[0]?.state).toBe('sent');
    await again(id, true);
    expect((await rows())[0]).toMatchObject({ state: 'waiting', sent_at: null });
  });

  test('a message that is marked as spam while its mail is on the way is not mailed a second time', async () => {
    const { add, again, spam, rows, database } = await open(engine);
    const store = createStore(database, { mailDomain: 'example.com' });
    const waiting = { state: 'waiting', attempts: 0, received_at: Date.now() - HOUR } as const;
    const first = await add(waiting);
    const claimed = await store.claim(Date.now(), HOUR);
    expect(await spam(first.id)).toBe(
      'The message of Ana Souza is marked as spam. Its mail was on its way at that moment.',
    );
    expect(claimed && (await store.markSent(claimed, START))).toBe(true);
    expect((await rows())[0]).toMatchObject({ state: 'spam', sent_at: START });
    expect(await again(first.id)).toContain('had already been mailed');
    expect(await store.claim(Date.now() + 2 * HOUR, HOUR)).toBeUndefined();

    // Nor if the owner changes her mind while the mail is still going out.
    const second = await add(waiting);
    const mailing = await store.claim(Date.now(), HOUR);
    await spam(second.id);
    expect(await again(second.id)).toContain('is queued');
    expect(await store.claim(Date.now(), HOUR)).toBeUndefined();
    expect(mailing && (await store.markSent(mailing, START))).toBe(true);
    expect((await rows())[1]).toMatchObject({ state: 'sent', sent_at: START });
  });

  test('a message is marked as spam, and one that was none is delivered', async () => {
    const { add, again, spam, rows } = await open(engine);
    const held = await add({ state: 'spam', attempts: 0, name: 'Zoë' });
    const sent = await add();
    expect(await again(held.id)).toBe(`The message of Zoë is queued. A running server mails it ${soon}.`);
    expect((await rows())[0]?.state).toBe('waiting');
    expect(await spam(sent.id)).toBe('The message of Ana Souza is marked as spam.');
    await expect(spam(sent.id)).rejects.toThrow('already marked as spam');
    await again(sent.id);
    expect((await rows())[1]).toMatchObject({ ...sent, judged_at: expect.any(Number) });
  });
});

test('a running server mails at once what the desk has put back, and forgets what it has erased', async () => {
  const mail = await startSmtpServer();
  onTestFinished(() => mail.close());
  const folder = temporaryFolder();
  const server = await startServer(folder, { SMTP_URL: mail.url });
  mail.failAt('content', 550);
  expect(await submit(server.url, 'put back')).toBe(200);
  const database = await openDatabase({ engine: 'sqlite', file: `${folder}/contact.db` });
  onTestFinished(() => database.close());
  const list = async () =>
    JSON.parse((await runDesk(folder, ['list', '--json'])).out) as {
      id: string;
      state: string;
      lastError: string | null;
    }[];
  await expect.poll(list).toMatchObject([{ state: 'waiting', lastError: 'refused smtp-550' }]);
  mail.acceptAll();
  const [{ id = '' } = {}] = await list();
  await mailAgain(database, await findMessage(database, id), { timeZone });
  // Far sooner than the outbox's own poll, once a minute.
  await expect.poll(() => mail.received.length).toBe(1);
  await expect.poll(list).toMatchObject([{ id, state: 'sent' }]);

  await eraseMessages(database, { id }, { mailDir: `${folder}/mail`, now: Date.now() });
  expect(await list()).toEqual([]);
  expect(await submit(server.url, 'after it')).toBe(200);
  await expect.poll(() => mail.received.length).toBe(2);
  expect(readdirSync(folder)).not.toContain('mail');
});
