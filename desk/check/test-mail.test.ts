import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../server/log.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { countUnsent } from '../../server/messages/queries.ts';
import { openService } from '../../server/service.ts';
import { readSettings, type Settings } from '../../settings/settings.ts';
import { createStore } from '../../tests/support/database/open-store.ts';
import { listenUntilTestEnds } from '../../tests/support/desk/run-check.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { KEY, MESSAGE, START, temporaryFolder } from '../../tests/support/service/open-test-service.ts';
import type { Finding } from './finding.ts';
import { sendTestMail, tryMail } from './test-mail.ts';

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
  const service = await openService(settings, { log: createLog('silent') });
  onTestFinished(() => service.close());
  return { settings, service, ownUrl: await listenUntilTestEnds(service.app.fetch) };
}

async function sendTest(settings: Settings, ownUrl: string, { patienceMs = 10_000 } = {}): Promise<Finding> {
  const database = await openDatabase(settings.database);
  onTestFinished(() => database.close());
  return sendTestMail({ settings, ownUrl, database, patienceMs });
}

test('a test takes the whole way to the mail server, is known as one, and leaves nothing behind', async () => {
  const smtp = await untilEnd(startSmtpServer());
  const { settings, service, ownUrl } = await runningServer({ SMTP_URL: smtp.url });
  await createStore(service.database).add(MESSAGE, { now: START });
  await sendTest(settings, ownUrl);
  // The second one, whose words are nearly the same, is no repeat.
  const finding = await sendTest(settings, ownUrl);
  const mail = smtp.received.findLast(({ parsed }) => parsed.text?.includes('This is a test'));
  expect(finding).toMatchObject({ verdict: 'ok', id: 'test-mail' });
  expect(finding.found).toMatch(/^Sent through the form, stored, and accepted for owner@blueprint\.ca\./);
  expect(finding.found).toContain(`Message-ID: ${mail?.parsed.messageId}`);
  expect(mail?.to).toEqual(['owner@blueprint.ca']);
  expect(mail?.parsed.subject).toContain('Test of your contact form');
  expect(mail?.parsed.replyTo?.[0]?.address).toBe('owner@blueprint.ca');
  const rows = await service.database.db.selectFrom('contact_message').select('name').execute();
  expect(rows).toEqual([{ name: MESSAGE.name }]);
});

test('without a mail server the test becomes a file, which is then removed', async () => {
  const { settings, ownUrl } = await runningServer();
  const finding = await sendTest(settings, ownUrl);
  expect(`${finding.verdict}: ${finding.found}`).toMatch(/^ok: .*written to a file.*Message-ID: </);
  expect(readdirSync(settings.mailDir)).toEqual([]);
});

test('a refused mail is reported with its reason, one that takes too long isn’t waited for, and no message stays in the queue', async () => {
  const smtp = await untilEnd(startSmtpServer());
  smtp.failAt('content', 550);
  const { settings, service, ownUrl } = await runningServer({ SMTP_URL: smtp.url });
  const refused = await sendTest(settings, ownUrl);
  expect(`${refused.verdict}: ${refused.found}`).toBe(
    'wrong: It was stored, but not mailed to you as it is: the mail server refuses it (code 550).',
  );
  smtp.failAt('content', 451);
  expect((await sendTest(settings, ownUrl)).found).toMatch(/put it off \(code 451\)/);
  smtp.hangAtContent();
  const slow = await sendTest(settings, ownUrl, { patienceMs: 300 });
  expect(`${slow.verdict}: ${slow.found}`).toMatch(/^wrong: It was stored, but not mailed within /);
  expect(await countUnsent(service.database)).toMatchObject({ waiting: 0, set_aside: 0 });
  smtp.acceptAll();
});

test('a server that refuses the key or doesn’t run is reported', async () => {
  const { settings, ownUrl } = await runningServer();
  expect((await sendTest({ ...settings, supabaseAnonKey: 'another' }, ownUrl)).found).toMatch(
    /^It couldn’t be sent through the form\. .*code 401/,
  );
  const gone = await sendTest(settings, 'http://127.0.0.1:6000');
  expect(`${gone.verdict}: ${gone.found}`).toMatch(/^wrong: It couldn’t be sent through the form\./);
});

const NEW = (url: string) =>
  readSettings({ SMTP_URL: url.replace('://', '://user:hunter2@'), CONTACT_EMAIL: 'owner@blueprint.ca' });

test.each([
  ['password', 'auth', 535, 'refuses our login or sender \\(code 535\\)'],
  ['CONTACT_EMAIL', 'recipient', 550, 'refuses your address \\(code 550\\)'],
  [undefined, 'content', 554, 'refuses it \\(code 554\\)'],
] as const)(
  'what new settings fail at leads to %s, in the mail server’s words',
  async (field, step, code, words) => {
    const smtp = await untilEnd(startSmtpServer());
    smtp.failAt(step, code);
    const finding = await tryMail(NEW(smtp.url));
    expect(finding).toMatchObject({ verdict: 'wrong', found: expect.stringMatching(`${words}: “${code} `) });
    expect(finding?.link).toBe(field && `/desk/settings#${field}`);
    smtp.acceptAll();
    expect(await tryMail(NEW(smtp.url))).toBeUndefined();
    expect(smtp.received.map(({ to }) => to)).toEqual([['owner@blueprint.ca']]);
  },
);

test('a mail server of a mistyped name is said to be unknown, at its field', async () => {
  expect(await tryMail(NEW('smtp://mail.firm.invalid:587'))).toMatchObject({
    verdict: 'wrong',
    found: 'mail.firm.invalid wasn’t found from this machine.',
    link: '/desk/settings#host',
  });
});
