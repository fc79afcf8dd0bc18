import { describe, expect, onTestFinished, test } from 'vitest';
import { eraseMessages } from '../messages/erase.ts';
import { heldNotices } from '../messages/look.ts';
import { markSpam, notSpam, requeueNotices } from '../messages/states.ts';
import { call, formPost, MESSAGE, openTestService, START } from '../tests/open-test-service.ts';
import { newPostgresDatabase } from '../tests/postgres.ts';
import { startSmtpServer } from '../tests/smtp-server.ts';
import { startWebhookServer } from '../tests/webhook-server.ts';

const MINUTE = 60_000;

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  async function open() {
    const mail = await startSmtpServer();
    onTestFinished(() => mail.close());
    const { posted, answer, host } = await startWebhookServer();
    const env: Record<string, string> = {
      SMTP_URL: mail.url,
      NOTIFY_WEBHOOK_URL: `http://${host}/secret-path`,
      NOTIFY_WEBHOOK_SECRET: `whsec_${'a'.repeat(32)}`,
    };
    if (engine === 'postgres') env.DATABASE_URL = await newPostgresDatabase();
    const service = await openTestService(env);
    const { outbox, notices } = service;
    if (!notices) throw new Error('no second way');
    const url = env.DATABASE_URL ?? `file:${service.databaseFile}`;
    return {
      ...service,
      mail,
      posted,
      answer,
      another: () => openTestService({ ...env, DATABASE_URL: url }),
      /** Both ways send what's due. Returns how much each has sent by then. */
      async send(now: number) {
        await Promise.all([outbox.runDue({ now }), notices.runDue({ now })]);
        return { mails: mail.received.length, notices: posted.length };
      },
    };
  }

  test('neither way waits for the other, and each tries again for itself', async () => {
    const { app, send, mail, answer, database, lines } = await open();
    await app.request(...call());
    mail.failAt('connect', 421);
    expect(await send(START)).toEqual({ mails: 0, notices: 1 });
    mail.acceptAll();
    answer.status = 503;
    await app.request(...call({ ...MESSAGE, message: 'Two' }));
    expect(await send(START + MINUTE)).toEqual({ mails: 2, notices: 2 });
    expect(await heldNotices(database)).toMatchObject({
      waiting: { count: 1, fault: 'unreachable http-503' },
    });
    answer.status = 410;
    expect(await send(START + 2 * MINUTE)).toEqual({ mails: 2, notices: 3 });
    expect(await send(START + 900 * MINUTE)).toEqual({ mails: 2, notices: 3 });
    expect(await heldNotices(database)).toMatchObject({
      waiting: { count: 0 },
      setAside: { count: 1, fault: 'refused http-410' },
    });
    answer.status = 200;
    expect(await requeueNotices(database, START)).toBe(1);
    expect(await send(START + 901 * MINUTE)).toEqual({ mails: 2, notices: 4 });
    expect(lines.join('')).toContain('notice set aside: the server of NOTIFY_WEBHOOK_URL does not take it');
    expect(lines.join('')).not.toMatch(/secret-path|whsec|aaaa|Ana|ana@|stock/);
  });

  test('a token that expired keeps every notice until it is set right, says so, and slows down', async () => {
    const { app, send, answer, database, lines } = await open();
    answer.status = 401;
    for (const message of ['One', 'Two']) await app.request(...call({ ...MESSAGE, message }));
    const refused = await send(START);
    expect(await send(START + 30_000)).toEqual(refused);
    expect(await heldNotices(database)).toMatchObject({
      waiting: { count: 2, fault: 'setup http-401' },
      setAside: { count: 0 },
    });
    expect(lines.join('')).toContain(
      'NO NOTICE GOES OUT: the server of NOTIFY_WEBHOOK_URL refuses our login',
    );
    answer.status = 200;
    expect(await send(START + 2 * MINUTE)).toEqual({ mails: 2, notices: refused.notices + 2 });
  });

  test('each message goes once, by one of two servers, and a message that is sent twice is one', async () => {
    const { app, notices, posted, another } = await open();
    const second = await another();
    for (const message of ['One', 'Two', 'Three', 'One']) await app.request(...call({ ...MESSAGE, message }));
    await Promise.all([notices?.runDue({ now: START }), second.notices?.runDue({ now: START })]);
    const ids = posted.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toHaveLength(3);
  });

  test('spam stays until it is said to be none, and what is erased is gone there too', async () => {
    const { app, store, send, database, folder } = await open();
    await app.request(...formPost({ ...MESSAGE, message: 'Held', leave_this_empty: 'x' }));
    const { id } = await store.add({ ...MESSAGE, message: 'Marked' }, { now: START });
    const { id: erased } = await store.add({ ...MESSAGE, message: 'Erased' }, { now: START });
    await markSpam(database, id, START);
    await eraseMessages(database, { id: erased }, { mailDir: folder, now: START });
    expect(await send(START)).toEqual({ mails: 0, notices: 0 });
    expect(await notSpam(database, id, START)).toBe('waiting');
    expect(await send(START)).toEqual({ mails: 1, notices: 1 });
    await markSpam(database, id, START);
    await notSpam(database, id, START);
    expect(await send(START + MINUTE)).toEqual({ mails: 1, notices: 1 });
    expect(await database.db.selectFrom('contact_notice').select('id').execute()).toHaveLength(2);
  });
});

test('without NOTIFY_WEBHOOK_URL nothing is kept for later', async () => {
  const { app, database, notices } = await openTestService();
  await app.request(...call());
  expect(notices).toBeUndefined();
  expect(await database.db.selectFrom('contact_notice').select('id').execute()).toEqual([]);
});
