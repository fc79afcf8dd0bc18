import { expect, onTestFinished, test } from 'vitest';
import { TIMEOUTS } from '../../server/mail/transport.ts';
import { readSettings } from '../../settings/settings.ts';
import { startScriptedSmtp } from '../../tests/support/mail/scripted-smtp.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { checkMailServer } from './mail-out.ts';

const OWNER = { CONTACT_EMAIL: 'me@firm.example', MAIL_FROM: 'web@firm.example' };

async function mailServer(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const server = await startSmtpServer(options);
  onTestFinished(() => server.close());
  return server;
}

async function scripted(fault: Parameters<typeof startScriptedSmtp>[0]) {
  const server = await startScriptedSmtp(fault);
  onTestFinished(() => server.close());
  return server;
}

async function findings(url: string, { timeouts = TIMEOUTS, ...env }: Env = {}) {
  const settings = readSettings({ ...OWNER, ...env, SMTP_URL: url });
  const found = await checkMailServer(settings, { timeouts });
  for (const { verdict, todo } of found) expect(todo === undefined).toBe(verdict === 'ok');
  expect(JSON.stringify(found)).not.toContain('hunter2');
  return found;
}
type Env = { timeouts?: typeof TIMEOUTS; CONTACT_EMAIL?: string; MAIL_FROM?: string };

async function check(url: string, env: Env = {}) {
  return (await findings(url, env)).map(({ id, verdict, found }) => `${id} ${verdict}: ${found}`);
}

const withPassword = (url: string) => url.replace('://', '://user:hunter2@');

test('a mail server that encrypts by STARTTLS and accepts the password is well, and gets no mail', async () => {
  const { key, cert } = await certificate();
  const server = await mailServer({ key, cert, disabledCommands: [], authOptional: false });
  expect(await check(withPassword(server.url))).toEqual([
    `mail-server ok: 127.0.0.1 answers on port ${server.port}.`,
    'mail-encryption ok: Encrypted by STARTTLS; the certificate is valid.',
    'mail-login ok: The mail server accepts the user name and password.',
    'mail-sender ok: The mail server takes mails from web@firm.example to me@firm.example.',
  ]);
  expect(server.received).toEqual([]);
});

test('a mail server that encrypts from the start is recognized', async () => {
  const { key, cert } = await certificate();
  const server = await mailServer({ key, cert, secure: true });
  expect((await check(server.url.replace('smtp:', 'smtps:')))[1]).toBe(
    'mail-encryption ok: Encrypted from the start; the certificate is valid.',
  );
});

/** As a certificate fails at a server far away; the check of one nearby is off. */
const CHECKED = '?tls.rejectUnauthorized=true';

test.each([
  // smtp-server's built-in certificate has expired.
  ['that has expired', async () => ({}), /renew its certificate/],
  ['that it signed itself', () => certificate({ trusted: false }), /NODE_EXTRA_CA_CERTS.*private address/],
  ['for another name', () => certificate({ names: ['mail.firm.example'] }), /: mail\.firm\.example\.$/],
])('a certificate %s keeps the password back, and what to do is said', async (words, tls, todo) => {
  let passwords = 0;
  const server = await mailServer({
    ...(await tls()),
    disabledCommands: [],
    onAuth: (_auth, _session, callback) => {
      passwords += 1;
      callback(null, { user: 'user' });
    },
  });
  const found = await findings(withPassword(server.url) + CHECKED);
  expect(found).toEqual([expect.objectContaining({ id: 'mail-encryption', verdict: 'wrong' })]);
  expect(found[0]?.found).toContain(`127.0.0.1 shows a certificate ${words}.`);
  expect(found[0]?.todo).toMatch(todo);
  expect(passwords).toBe(0);
});

test('a certificate of its own is well on this machine', async () => {
  const server = await mailServer({ ...(await certificate({ trusted: false })), disabledCommands: [] });
  expect((await check(withPassword(server.url)))[1]).toMatch(/^mail-encryption ok: .*isn’t checked/);
});

test('a wrong password is wrong, one that cannot be checked now is looked at', async () => {
  const server = await mailServer();
  server.failAt('auth', 535);
  expect((await check(withPassword(server.url)))[2]).toBe(
    'mail-login wrong: The mail server refuses the user name or password (code 535).',
  );
  server.failAt('auth', 454);
  expect((await check(withPassword(server.url)))[2]).toMatch(
    /^mail-login look: .*at the moment \(code 454\)/,
  );
});

test('a password that the server has no use for is looked at, none at all on this machine is well', async () => {
  const noLogins = await mailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
  expect((await check(withPassword(noLogins.url)))[2]).toMatch(/^mail-login look: .*offers no login/);
  expect(await check(noLogins.url)).toEqual([
    expect.stringMatching(/^mail-server ok/),
    'mail-encryption ok: None, and none needed: the mail server is on this machine.',
    expect.stringMatching(/^mail-login ok: None needed/),
    expect.stringMatching(/^mail-sender ok/),
  ]);
});

test('a missing offer of encryption is said so of when a password would follow it', async () => {
  const server = await mailServer();
  expect(await check(`${withPassword(server.url)}?requireTLS=true`)).toEqual([
    expect.stringMatching(/^mail-encryption wrong: .*offers no encryption/),
  ]);
});

test('a refused port, an unknown host and a wrong scheme each get a sentence of their own', async () => {
  const server = await mailServer();
  expect(await check(server.url.replace('smtp:', 'smtps:'))).toEqual([
    expect.stringMatching(/^mail-server wrong: .*does not encrypt from the start/),
  ]);
  await server.goDown();
  expect(await check(withPassword(server.url))).toEqual([
    `mail-server wrong: Nothing answers at 127.0.0.1 on port ${server.port}.`,
  ]);
  expect(await check('smtp://user:hunter2@mail.invalid')).toEqual([
    expect.stringMatching(/^mail-server wrong: The host mail\.invalid could not be looked up/),
  ]);
});

test('a server that says nothing, turns us away or hangs up is said so of', async () => {
  const silent = await scripted({ at: 'greeting', how: 'hang' });
  const timeouts = { connect: 200, reply: 200, content: 200 };
  expect(await check(silent.url, { timeouts })).toEqual([
    expect.stringMatching(/^mail-server wrong: No answer from 127\.0\.0\.1/),
  ]);
  const closing = await scripted({ at: 'greeting', how: 'cut' });
  expect(await check(closing.url)).toEqual([
    expect.stringMatching(/^mail-server wrong: No mail can be sent/),
  ]);
  const refusing = await scripted({ at: 'greeting', how: '554 5.7.1 On a block list' });
  expect(await check(refusing.url)).toEqual([
    expect.stringMatching(/^mail-server wrong: .*“554 5\.7\.1 On a block list”/),
  ]);
});

test.each([
  ['greeting', '421 4.3.2 Too many connections', 'mail-server'],
  ['ehlo', '451 4.7.0 Come back later', 'mail-server'],
  ['starttls', '454 4.7.0 TLS not available now', 'mail-encryption'],
] as const)('a server that puts us off at the step %s is looked at, with its words', async (at, how, id) => {
  const server = await scripted({ at, how });
  const [line, ...more] = await check(`${server.url}?requireTLS=true`);
  expect(line).toMatch(new RegExp(`^${id} look: .*at the moment: “${how}”`));
  expect(more).toEqual([]);
});

test.each(['cut', 'hang'] as const)('a login that ends in %s says nothing of the password', async (how) => {
  const server = await scripted({ at: 'auth', how });
  const timeouts = { connect: 1_000, reply: 500, content: 500 };
  expect((await check(server.url, { timeouts })).at(-1)).toMatch(/^mail-login look: .*no answer/);
});

/** A server where `sender` alone may send, and that says so at the sender or, as Postfix does, at the recipient. */
function takesOnly(sender: string, at: 'sender' | 'recipient') {
  const no = Object.assign(new Error('5.7.1 Sender address rejected: not yours'), { responseCode: 553 });
  let from = '';
  return mailServer({
    onMailFrom({ address }, _session, callback) {
      from = address;
      callback(at === 'recipient' || from === sender ? null : no);
    },
    onRcptTo: (_address, _session, callback) => callback(from === sender ? null : no),
  });
}

test.each(['sender', 'recipient'] as const)(
  'a sender that is refused (at the %s) is named, with the server’s words and an address that it takes',
  async (at) => {
    const byContact = await takesOnly('me@firm.example', at);
    const found = (await findings(byContact.url)).at(-1);
    expect(found).toMatchObject({ id: 'mail-sender', verdict: 'wrong' });
    expect(found?.found).toMatch(
      /web@firm\.example \(MAIL_FROM\): “553 5\.7\.1 Sender address rejected: not yours”/,
    );
    expect(found?.todo).toMatch(/MAIL_FROM to me@firm\.example/);
    const byLogin = await takesOnly('login@firm.example', at);
    const url = byLogin.url.replace('://', '://login%40firm.example:hunter2@');
    expect((await findings(url)).at(-1)?.todo).toMatch(/MAIL_FROM to login@firm\.example/);
    const byNone = await takesOnly('other@firm.example', at);
    expect((await findings(byNone.url)).at(-1)).toMatchObject({ verdict: 'wrong' });
    expect(byNone.received).toEqual([]);
  },
);

test('a mailbox that is refused is named with the server’s words, and one put off is looked at', async () => {
  const full = await scripted({ at: 'rcpt', how: '552 5.2.2 Mailbox full' });
  expect((await check(full.url)).at(-1)).toBe(
    'mail-sender wrong: The mail server takes no mails for me@firm.example (CONTACT_EMAIL): “552 5.2.2 Mailbox full”.',
  );
  const grey = await scripted({ at: 'rcpt', how: 450 });
  expect((await check(grey.url)).at(-1)).toMatch(/^mail-sender look: /);
  expect(grey.commands).not.toContain('DATA');
});

test('mails from her own address are looked at where there is an address beside it', async () => {
  const server = await mailServer();
  const todo = async (address: string) => {
    const found = (await findings(server.url, { CONTACT_EMAIL: address, MAIL_FROM: '' })).at(-1);
    expect(found?.id).toBe('mail-sender');
    return found?.todo;
  };
  expect(await todo('me@firm.example')).toContain('site@firm.example');
  expect(await todo('me@gmail.com')).toContain('me+site@gmail.com');
  // Any other name there is somebody else's.
  for (const domain of ['yahoo.com', 'videotron.ca', 'web.de'])
    expect(await todo(`me@${domain}`)).toBeUndefined();
  const strict = await takesOnly('me@firm.example', 'sender');
  expect((await check(strict.url, { MAIL_FROM: '' })).at(-1)).toMatch(/^mail-sender ok/);
});
