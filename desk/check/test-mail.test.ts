import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listenUntilTestEnds } from '../../tests/support/desk/run-check.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { MESSAGE, openTestService, START } from '../../tests/support/service.ts';
import { sendTestMail } from './test-mail.ts';

async function runningServer(env: Record<string, string> = {}) {
  const service = await openTestService({ CONTACT_EMAIL: 'owner@blueprint.ca', ...env });
  service.outbox.start();
  return { ...service, ownUrl: await listenUntilTestEnds(service.app.fetch) };
}

test('a test goes all the way to the mail server, or says what stopped it, and leaves nothing behind', async () => {
  const smtp = await untilEnd(startSmtpServer());
  const running = await runningServer({ SMTP_URL: smtp.url });
  const { database } = running;
  await running.store.add(MESSAGE, { now: START });
  const sent = async (change = {}, patienceMs = 10_000) => {
    const settings = { ...running.settings, ...change };
    const { verdict, found } = await sendTestMail(settings, running.ownUrl, patienceMs);
    return `${verdict}: ${found}`;
  };
  await sent();
  const second = await sent();
  const mail = smtp.received.findLast(({ parsed }) => parsed.text?.includes('This is a test'));
  expect(second, 'nearly the same words are no repeat').toBe(
    `ok: Sent through the form, stored, and accepted for owner@blueprint.ca. Message-ID: ${mail?.parsed.messageId}`,
  );
  expect(mail?.to).toEqual(['owner@blueprint.ca']);

  smtp.failAt('content', 550);
  expect(await sent()).toBe(
    'wrong: It was stored, but not mailed to you as it is: the mail server refuses it (code 550).',
  );
  smtp.failAt('content', 451);
  expect(await sent()).toMatch(/^wrong: .*put it off \(code 451\)/);
  smtp.hangAtContent();
  expect(await sent({}, 300)).toMatch(/^wrong: It was stored, but not mailed within /);
  smtp.acceptAll();
  expect(await sent({ supabaseAnonKey: 'another' })).toMatch(
    /^wrong: It couldn’t be sent through the form\. .*code 401/,
  );
  // Where nobody listens
  expect((await sendTestMail(running.settings, 'http://127.0.0.1:1')).todo).toContain('“Server” first');
  const rows = await database.db.selectFrom('contact_message').select('name').execute();
  expect(rows).toEqual([{ name: MESSAGE.name }]);
  const elsewhere = (await openTestService()).settings.database;
  expect(await sent({ database: elsewhere })).toBe('wrong: It was stored, but not in this desk’s database.');
});

test('without a mail server the test becomes a file, which is then removed', async () => {
  const running = await runningServer();
  const { verdict, found } = await sendTestMail(running.settings, running.ownUrl);
  expect(`${verdict}: ${found}`).toMatch(/^ok: .*written to a file.*Message-ID: </);
  expect(readdirSync(running.settings.mailDir)).toEqual([]);
});
