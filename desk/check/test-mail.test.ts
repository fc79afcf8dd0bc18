import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '../../server/log.ts';
import { countUnsent } from '../../server/messages/queries.ts';
import { openService } from '../../server/service.ts';
import { readSettings } from '../../settings/settings.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { listenUntilTestEnds } from '../../tests/support/desk/run-check.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { KEY, MESSAGE, START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import { sendTestMail } from './test-mail.ts';

/** A server as its owner runs it, with an outbox that sends. */
async function runningServer(env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const settings = readSettings({
    VITE_SUPABASE_ANON_KEY: KEY,
    DATABASE_URL: `file:${join(folder, 'contact.db')}`,
    MAIL_DIR: join(folder, 'mail'),
    CONTACT_EMAIL: 'owner@blueprint.ca',
    ...env,
  });
  const service = await untilEnd(openService(settings, { log: createLog('silent') }));
  return { settings, service, ownUrl: await listenUntilTestEnds(service.app.fetch) };
}

test('a test takes the whole way to the mail server, is known as one, and leaves nothing behind', async () => {
  const smtp = await untilEnd(startSmtpServer());
  const running = await runningServer({ SMTP_URL: smtp.url });
  const { database } = running.service;
  await createStore(database).add(MESSAGE, { now: START });
  await sendTestMail(running.settings, running.ownUrl);
  // The second one, whose words are nearly the same, is no repeat.
  const { verdict, found } = await sendTestMail(running.settings, running.ownUrl);
  const mail = smtp.received.findLast(({ parsed }) => parsed.text?.includes('This is a test'));
  expect(`${verdict}: ${found}`).toBe(
    `ok: Sent through the form, stored, and accepted for owner@blueprint.ca. Message-ID: ${mail?.parsed.messageId}`,
  );
  expect(mail?.to).toEqual(['owner@blueprint.ca']);
  const rows = await database.db.selectFrom('contact_message').select('name').execute();
  expect(rows).toEqual([{ name: MESSAGE.name }]);
});

test('without a mail server the test becomes a file, which is then removed', async () => {
  const running = await runningServer();
  const { verdict, found } = await sendTestMail(running.settings, running.ownUrl);
  expect(`${verdict}: ${found}`).toMatch(/^ok: .*written to a file.*Message-ID: </);
  expect(readdirSync(running.settings.mailDir)).toEqual([]);
});

test('what keeps a test from being sent, mailed or mailed in time is said, and no message stays in the queue', async () => {
  const smtp = await untilEnd(startSmtpServer());
  const running = await runningServer({ SMTP_URL: smtp.url });
  const failed = async (change = {}, patienceMs = 10_000) => {
    const settings = { ...running.settings, ...change };
    const { verdict, found } = await sendTestMail(settings, running.ownUrl, patienceMs);
    return `${verdict}: ${found}`;
  };
  smtp.failAt('content', 550);
  expect(await failed()).toBe(
    'wrong: It was stored, but not mailed to you as it is: the mail server refuses it (code 550).',
  );
  smtp.failAt('content', 451);
  expect(await failed()).toMatch(/^wrong: .*put it off \(code 451\)/);
  smtp.hangAtContent();
  expect(await failed({}, 300)).toMatch(/^wrong: It was stored, but not mailed within /);
  expect(await countUnsent(running.service.database)).toMatchObject({ waiting: 0, set_aside: 0 });
  smtp.acceptAll();
  expect(await failed({ supabaseAnonKey: 'another' })).toMatch(
    /^wrong: It couldn’t be sent through the form\. .*code 401/,
  );
});
