import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readSettings } from '../../settings/settings.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import {
  claimed,
  linksOf,
  MESSAGE,
  START,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';
import { checkMessage } from '../messages/fields.ts';
import type { Message } from '../messages/message.ts';
import { makeFolder } from '../messages/sync.ts';
import { classifyMailError } from './faults.ts';
import { openMailer } from './mailer.ts';
import { composeNotification } from './notification.ts';

vi.mock('../messages/sync.ts', { spy: true });

const OWNER = {
  CONTACT_EMAIL: 'owner@example.com',
  MAIL_FROM: 'Website <web@example.com>',
  SITE_URL: 'https://www.example.com',
  TIME_ZONE: 'America/Toronto',
};

async function mailServer(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const server = await startSmtpServer(options);
  onTestFinished(() => server.close());
  return server;
}

async function deliver(url: string, message: Message = claimed()): Promise<void> {
  const settings = readSettings({ ...OWNER, SMTP_URL: url });
  const mailer = openMailer(settings.mail);
  try {
    await mailer.send(composeNotification(message, settings), AbortSignal.timeout(60_000));
  } finally {
    mailer.close();
  }
}

async function faultOf(url: string): Promise<string> {
  const error = await deliver(url).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error === undefined ? 'none' : classifyMailError(error).label;
}

test('the owner gets a mail from the own domain that answers the visitor', async () => {
  const server = await mailServer();
  await deliver(server.url);
  const [mail] = server.received;
  expect(mail).toMatchObject({ from: 'web@example.com', to: ['owner@example.com'] });
  expect(mail?.parsed).toMatchObject({
    from: { name: 'Website', address: 'web@example.com' },
    to: [{ name: '', address: 'owner@example.com' }],
    replyTo: [{ name: MESSAGE.name, address: MESSAGE.email }],
    subject: `New message from ${MESSAGE.name} (${MESSAGE.email})`,
    messageId: '<01a1fb9c@example.com>',
    date: new Date(START).toISOString(),
  });
  expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(mail?.raw).not.toMatch(/x-mailer/i);
  expect(mail?.parsed.text).toContain(MESSAGE.message);
  for (const part of [mail?.parsed.text, mail?.parsed.html?.replace(/<\/?span[^>]*>/g, '')]) {
    expect(part).toContain('Saturday, November 21, 2026 at 7:00 a.m. EST');
    expect(part).toMatch(/through\b.*\bwww\.example\.com/is);
    expect(part).not.toMatch(/npm|desk|01a1fb9c/);
  }
});

test('one tap begins the answer, to the checked address and nobody else', async () => {
  const server = await mailServer();
  await deliver(server.url);
  const answer = 'mailto:ana@example.org?subject=Re%3A%20Your%20message%20on%20www.example.com';
  expect(linksOf(server.received[0]?.parsed.html ?? '')).toEqual([answer, answer]);
});

test('every script, emoji and blank of a message arrives exactly', async () => {
  const server = await mailServer();
  const message = 'Žluťoučký 山田 محمد 👩🏽‍🔧\n\n\tindented  twice \n.\n..dots\nFrom here\n--\nend';
  await deliver(server.url, claimed({ message, name: '山田 👩🏽‍🔧' }));
  expect(server.received[0]?.parsed.text).toContain(
    `wrote on www.example.com:\n\n${message}\n\n-- \nTo answer`,
  );
  expect(server.received[0]?.parsed.replyTo?.[0]?.name).toBe('山田 👩🏽‍🔧');
});

test('what a visitor typed is text in the HTML part too, and never a link', async () => {
  const server = await mailServer();
  const message = '<script>alert(1)</script> <a href="https://evil.example">x</a> & \'"';
  await deliver(server.url, claimed({ message, name: '<b>Ana</b>' }));
  const html = server.received[0]?.parsed.html ?? '';
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).toContain('&lt;b&gt;Ana&lt;/b&gt;');
  expect(html).not.toMatch(/<script/i);
  expect(linksOf(html).filter((link) => !link.startsWith('mailto:ana@example.org?'))).toEqual([]);
});

test.each([
  'Ana, other@example.com',
  '"Ana" <other@example.com>',
  'Ana\u2028Bcc: other@example.com',
  'Ana (comment) ; group: a@b;',
  '=?UTF-8?Q?=0D=0ABcc:_other@example.com?=',
  'x'.repeat(200),
  '😀'.repeat(200),
])('the name %j stays one name in the headers', async (name) => {
  const server = await mailServer();
  await deliver(server.url, claimed({ name }));
  const [mail] = server.received;
  const shown = name.replace('\u2028', ' ').replaceAll('=?', '= ?');
  expect(mail?.to).toEqual(['owner@example.com']);
  expect(mail?.parsed.replyTo).toEqual([{ name: shown, address: MESSAGE.email }]);
  const short = [...shown].length > 60 ? `${[...shown].slice(0, 60).join('')}…` : shown;
  expect(mail?.parsed.subject).toBe(`New message from ${short} (${MESSAGE.email})`);
  expect(mail?.parsed.bcc ?? []).toEqual([]);
  const lines = mail?.raw.split('\r\n\r\n', 1)[0]?.split('\r\n') ?? [];
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(998);
});

test.each([
  '.odd.@example.org',
  'a..b@example.org',
  "o'brien@example.org",
  'a@b',
  'x{y}|z@example.org',
  'info@münchen.example',
])('the accepted address %s can be replied to', async (email) => {
  const server = await mailServer();
  const checked = checkMessage({ ...MESSAGE, email });
  if (!checked.ok) throw new Error(checked.fault);
  await deliver(server.url, claimed(checked.message));
  const { replyTo, html = '' } = server.received[0]?.parsed ?? {};
  expect(replyTo?.[0]?.address?.replaceAll('"', '')).toBe(checked.message.email);
  const [link = ''] = linksOf(html);
  expect(link).toMatch(/^mailto:[\w%.@-]+\?subject=[\w%.-]+$/);
  expect(decodeURIComponent(new URL(link).pathname).replaceAll('"', '')).toBe(checked.message.email);
});

test('a stored value that is not text is never read as a file to attach', async () => {
  const server = await mailServer();
  const hostile = { path: '/etc/hostname' } as unknown as string;
  await expect(deliver(server.url, claimed({ message: hostile }))).rejects.toThrow(TypeError);
  await expect(deliver(server.url, claimed({ name: hostile }))).rejects.toThrow(TypeError);
  expect(server.received).toEqual([]);
});

test('without a mail server the mail becomes an .eml file that only the owner can read', async () => {
  const mailDir = join(temporaryFolder(), 'data/mail');
  const settings = readSettings({ ...OWNER, MAIL_DIR: mailDir });
  const mailer = openMailer(settings.mail);
  await mailer.send(composeNotification(claimed(), settings), new AbortController().signal);
  await mailer.send(composeNotification(claimed(), settings), new AbortController().signal);
  const names = readdirSync(mailDir);
  expect(names).toEqual(['2026-11-21T12-00-00-000Z-01a1fb9c.eml']);
  const file = join(mailDir, names[0] ?? '');
  expect([statSync(file).mode & 0o777, statSync(mailDir).mode & 0o777]).toEqual([0o600, 0o700]);
  const mail = await PostalMime.parse(readFileSync(file));
  expect(mail).toMatchObject({
    subject: `New message from ${MESSAGE.name} (${MESSAGE.email})`,
    replyTo: [{ address: MESSAGE.email }],
  });
});

test('a new mail folder is made so that a power failure cannot take it away with the mail', async () => {
  const mailDir = join(temporaryFolder(), 'mail');
  const settings = readSettings({ ...OWNER, MAIL_DIR: mailDir });
  await openMailer(settings.mail).send(composeNotification(claimed(), settings), AbortSignal.timeout(60_000));
  expect(makeFolder).toHaveBeenCalledWith(mailDir);
});

test('an .eml file that cannot be written is a fault that passes', async () => {
  const mailDir = join(temporaryFolder(), 'mail');
  const settings = readSettings({ ...OWNER, MAIL_DIR: mailDir });
  writeFileSync(mailDir, 'a file where the folder should be');
  const error = await openMailer(settings.mail)
    .send(composeNotification(claimed(), settings), new AbortController().signal)
    .catch((reason: unknown) => reason);
  expect(classifyMailError(error).kind).toBe('unreachable');
});

test('a server that offers no login at all is a matter of the settings', async () => {
  const server = await mailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
  const label = await faultOf(server.url.replace('//', '//user:pass@'));
  expect(['none', 'setup EAUTH', 'setup ENOAUTH']).toContain(label);
});

test('a certificate that cannot be trusted keeps the mail back', async () => {
  const server = await mailServer({ disabledCommands: [] });
  expect(await faultOf(server.url)).toMatch(/^unreachable E/);
  expect(server.received).toEqual([]);
});

test('a password is not sent in the clear when the offer of encryption is missing', async () => {
  let passwords = 0;
  const spying = await mailServer({
    onAuth: (_auth, _session, callback) => {
      passwords += 1;
      callback(null, { user: 'x' });
    },
  });
  const onThisMachine = spying.url.replace('//', '//user:pass@');
  expect(await faultOf(onThisMachine)).toBe('none');
  expect(passwords).toBe(1);
  expect(await faultOf(`${onThisMachine}?requireTLS=true`)).toMatch(/^unreachable /);
  expect(passwords).toBe(1);
});

test('the destination that is shown holds no password', () => {
  const { destination } = openMailer(
    readSettings({ SMTP_URL: 'smtps://me:hunter2@mail.example.com:465' }).mail,
  );
  expect(destination).toBe('mail.example.com:465');
});
