import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { expect, test, vi } from 'vitest';
import { parseSmtpUrl } from '../../settings/server-url.ts';
import { readSettings } from '../../settings/settings.ts';
import { idOf, rowAt } from '../../tests/support/database/message-rows.ts';
import { SMTP_STEPS, startScriptedSmtp } from '../../tests/support/mail/scripted-smtp.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { MESSAGE, SAID, START, temporaryFolder } from '../../tests/support/service.ts';
import { classifyMailError, describeFault } from './faults.ts';
import { composeNotification } from './mails.ts';
import { compose, connectSmtp, openMailer, TIMEOUTS } from './transport.ts';

const OWNER = { CONTACT_EMAIL: 'owner@example.com', MAIL_FROM: 'Website <web@example.com>' };

function through(
  SMTP_URL: string,
  { timeouts = TIMEOUTS, signal = new AbortController().signal, env = {}, kind = {} } = {},
) {
  const settings = readSettings({ ...OWNER, SMTP_URL, ...env });
  return openMailer(settings, timeouts)(composeNotification(rowAt(0), SAID, settings, kind), signal);
}

const labelOf = (sending: Promise<void>) =>
  sending.then(
    () => 'none',
    (error: unknown) => classifyMailError(error).label,
  );

test('a server may take its time for the greeting, for each command, and most of all for the final dot', async () => {
  const timeouts = { connect: 300, reply: 2_000, content: 20_000 };
  const slow = [
    ['greeting', 500],
    ['rcpt', 500],
    ['data', 500],
    // Longer than any command may take.
    ['content', 2_500],
  ] as const;
  await Promise.all(
    slow.map(async ([at, lateMs]) => {
      const server = await untilEnd(startScriptedSmtp({ at, how: { lateMs } }));
      await through(server.url, { timeouts });
      expect(server.taken, at).toHaveLength(1);
    }),
  );
  expect(TIMEOUTS).toEqual({ connect: 30_000, reply: 60_000, content: 300_000 });
});

test('a mail that is stopped ends at once, wherever it is', async () => {
  const server = await untilEnd(startScriptedSmtp({ at: 'rcpt', how: 'hang' }));
  const stop = new AbortController();
  const send = () => through(server.url, { signal: stop.signal });
  const sending = send();
  await vi.waitFor(() => expect(server.commands.join()).toContain('RCPT'));
  stop.abort();
  expect(await labelOf(sending)).toBe('slow EABORT');
  expect(await labelOf(send())).toBe('slow EABORT');
});

test('a visitor’s mail counts as a person’s, a reminder as automatic, and neither names our software', async () => {
  const server = await untilEnd(startSmtpServer());
  for (const kind of [{}, { remindedAt: START }]) await through(server.url, { kind });
  const [first, reminder] = server.received;
  expect(first?.raw).not.toMatch(/^(auto-submitted|x-mailer):/im);
  expect(reminder?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  const parsed = { messageId: `<${idOf(0)}@example.com>`, date: new Date(START).toISOString() };
  expect(first).toMatchObject({ from: 'web@example.com', to: ['owner@example.com'], parsed });
});

test('the server is greeted with the sender’s domain, whose special letters are in ASCII there and in the mail', async () => {
  const server = await untilEnd(startScriptedSmtp());
  await through(server.url, { env: { CONTACT_EMAIL: 'info@bücher.example', MAIL_FROM: '' } });
  expect(server.commands[0]).toBe('EHLO xn--bcher-kva.example');
  expect(server.commands).toContain('MAIL FROM:<info@xn--bcher-kva.example>');
  expect(server.commands).toContain('RCPT TO:<info@xn--bcher-kva.example>');
  expect(server.taken[0]).toMatch(/^To: info@xn--bcher-kva\.example$/m);
});

test('STARTTLS on this machine may have a self-signed certificate, anything else may not', async () => {
  const tls = await certificate({ trusted: false });
  const near = await untilEnd(startSmtpServer({ ...tls, disabledCommands: [] }));
  await through(near.url);
  expect(near.received[0]?.parsed.subject).toContain(MESSAGE.name);
  expect(await labelOf(through(`${near.url}?tls.rejectUnauthorized=true`))).toBe(
    'unreachable DEPTH_ZERO_SELF_SIGNED_CERT',
  );
  for (const [SMTP_URL, rejectUnauthorized] of [
    ['smtp://127.0.0.1', false],
    ['smtp://mail', false],
    ['smtps://127.0.0.1', true],
    ['smtp://smtp.example.com', true],
  ] as const)
    expect.soft(readSettings({ SMTP_URL }).mail, SMTP_URL).toMatchObject({ tls: { rejectUnauthorized } });
});

test('a server that offers no login at all still gets the mail', async () => {
  const server = await untilEnd(startSmtpServer({ disabledCommands: ['STARTTLS', 'AUTH'] }));
  await through(server.url.replace('//', '//user:pass@'));
  expect(server.received).toHaveLength(1);
});

test('a server that nobody can connect to is given up once the time for connecting is over', async () => {
  // It takes the connection and never encrypts.
  const { url } = await untilEnd(startScriptedSmtp({ at: 'greeting', how: 'hang' }));
  const timeouts = { connect: 200, reply: 600_000, content: 600_000 };
  expect(await labelOf(through(url.replace('smtp', 'smtps'), { timeouts }))).toBe('unreachable ETIMEDOUT');
  const unknown = await labelOf(through('smtp://mail.firm.invalid'));
  expect(describeFault(unknown)).toBe('the mail server’s name isn’t found (EDNS)');
});

test('a stored value that is not text is never read as a file or an address to attach', async () => {
  const settings = readSettings(OWNER);
  const hostile = { path: import.meta.filename } as unknown as string;
  for (const change of [{ message: hostile }, { name: hostile }])
    expect(() => composeNotification(rowAt(0, change), SAID, settings)).toThrow(TypeError);
  const mail = composeNotification(rowAt(0), SAID, settings);
  for (const text of [hostile, { href: 'http://127.0.0.1:1' } as unknown as string])
    await expect(compose({ ...mail, text })).rejects.toThrow(/access rejected/);
});

test('without a mail server the mail becomes an .eml file that only the owner can read', async () => {
  const mailDir = join(temporaryFolder(), 'data/mail');
  for (const _ of ['once', 'again']) await through('', { env: { MAIL_DIR: mailDir } });
  const names = readdirSync(mailDir);
  expect(names).toEqual([`2026-11-21T12-00-00-000Z-${idOf(0)}.eml`]);
  const file = join(mailDir, names[0] ?? '');
  expect([statSync(file).mode & 0o777, statSync(mailDir).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(await PostalMime.parse(readFileSync(file))).toMatchObject({
    subject: `New message from ${MESSAGE.name} (${MESSAGE.email})`,
    replyTo: [{ address: MESSAGE.email }],
  });
});

test('an .eml file that can’t be written is a temporary fault', async () => {
  const mailDir = join(temporaryFolder(), 'mail');
  writeFileSync(mailDir, 'a file where the folder should be');
  const label = await labelOf(through('', { env: { MAIL_DIR: mailDir } }));
  expect(label).toMatch(/^unreachable /);
  expect(describeFault(label)).toMatch(/^its file in MAIL_DIR could not be written \(E/);
});

const SHORT = { connect: 400, reply: 400, content: 400 };
type Fault = Parameters<typeof startScriptedSmtp>[0];

async function kindOf(fault: Fault, { timeouts = TIMEOUTS, query = '' } = {}) {
  const server = await untilEnd(startScriptedSmtp(fault));
  const label = await labelOf(through(server.url + query, { timeouts }));
  return { kind: label.split(' ')[0], ...server };
}

const CODES = [421, 450, 451, 454, 535, 550, 554] as const;
/** What each of these codes means at each step, in the order of CODES. */
const MEANING: Record<(typeof SMTP_STEPS)[number], string> = {
  greeting: 'unreachable unreachable unreachable unreachable setup unreachable unreachable',
  ehlo: 'unreachable unreachable unreachable unreachable setup unreachable unreachable',
  auth: 'unreachable retry retry retry setup setup setup',
  mail: 'unreachable retry retry retry setup setup setup',
  rcpt: 'unreachable retry retry retry setup mailbox mailbox',
  data: 'retry retry retry retry setup refused refused',
  content: 'retry retry retry retry setup refused refused',
};

test.each(SMTP_STEPS)('at the step %s each reply code means what it should', async (at) => {
  const kinds = await Promise.all(CODES.map(async (how) => (await kindOf({ at, how })).kind));
  expect(kinds).toEqual(MEANING[at].split(' '));
});

test.each([
  ['content', '552 Requested mail action aborted: exceeded storage allocation', 'mailbox'],
  ['content', '550-5.2.2 Over quota\r\n550 5.2.2 Over quota', 'mailbox'],
  ['content', '550 5.1.1 No such user', 'mailbox'],
  ['mail', '552 5.2.2 Mailbox full', 'mailbox'],
  ['content', '552 5.3.4 Message too big for system', 'refused'],
  ['content', '552 5.7.0 This message was blocked because of its content', 'refused'],
  ['content', '554 5.7.1 Spam', 'refused'],
  ['content', '554 5.2.252 SendAsDenied; me@example.com not allowed to send as web@example.com', 'setup'],
  ['rcpt', '553 5.7.1 <web@example.com>: Sender address rejected: not owned by user me', 'setup'],
  ['content', '550-5.7.26 Your email has been blocked\r\n550 5.7.26 because it is unauthenticated', 'setup'],
  ['content', '550 5.7.515 Access denied, sending domain does not meet the required level', 'setup'],
  ['content', '550 5.7.1 Rejected by the DMARC policy of example.com', 'setup'],
  ['rcpt', '550 SPF: 192.0.2.1 is not allowed to send mail from example.com', 'setup'],
  ['rcpt', '550 5.7.1 Relaying denied', 'setup'],
  ['rcpt', '554 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'setup'],
  ['rcpt', '550 Sender verify failed', 'setup'],
  // SendGrid, Amazon SES, Exchange, iCloud and Fastmail look at the sender at the end.
  ['content', '550 The from address does not match a verified Sender Identity.', 'setup'],
  ['content', '554 Message rejected: Email address is not verified.', 'setup'],
  ['content', '550 5.7.60 SMTP; Client does not have permissions to send as this sender', 'setup'],
  ['content', '550 5.7.0 From address is not one of your addresses', 'setup'],
  ['content', '551 5.7.1 Not authorised to send from this header address', 'setup'],
  ['content', '550-5.4.5 Daily user sending limit exceeded.\r\n550 5.4.5 See the help', 'retry'],
  ['content', '552 Message would take you over your relay quota of 500', 'retry'],
  ['mail', '550 5.1.90 You have reached your daily limit for message recipients', 'retry'],
] as const)('at the step %s “%s” means %s', async (at, how, kind) => {
  expect((await kindOf({ at, how })).kind).toBe(kind);
});

test('a server that says nothing or hangs up has the mail only after its final dot', async () => {
  for (const how of ['hang', 'cut'] as const) {
    const kinds = SMTP_STEPS.map(async (at) => {
      const { kind, taken } = await kindOf({ at, how }, { timeouts: SHORT });
      return [kind, taken.length];
    });
    const [first, ...others] = await Promise.all(kinds);
    expect([first, others.pop()]).toEqual([
      ['unreachable', 0],
      ['unsure', 1],
    ]);
    expect(others).toEqual(Array(5).fill([how === 'hang' ? 'slow' : 'unreachable', 0]));
  }
});

test('if required encryption fails, the password isn’t sent', async () => {
  for (const how of [454, 554, 'cut', 'hang'] as const) {
    const options = { timeouts: SHORT, query: '?requireTLS=true' };
    const { kind, commands } = await kindOf({ at: 'starttls', how }, options);
    expect([kind, how]).toEqual([how === 'hang' ? 'slow' : 'unreachable', how]);
    expect(commands.join()).not.toContain('AUTH');
  }
});

test('a server elsewhere that offers no encryption gets no password, unless the settings say so', async () => {
  const { url } = await untilEnd(startScriptedSmtp({ at: 'starttls', how: 502 }));
  // This machine, by a name that doesn't say so
  const server = { ...parseSmtpUrl(url), host: '2130706433' };
  const connect = async (change: object) => {
    const { smtp } = await connectSmtp({ ...server, ...change }, { name: '', address: 'web@example.com' });
    smtp.close();
  };
  await expect(connect({})).rejects.toMatchObject({ code: 'ETLS' });
  for (const change of [{ requireTLS: false }, { login: undefined }]) await connect(change);
});
