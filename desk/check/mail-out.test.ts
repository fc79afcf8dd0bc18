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
  const found = await checkMailServer(settings, timeouts);
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
    'mail-encryption ok: It is, with a valid certificate.',
    'mail-login ok: The mail server takes the address and password.',
  ]);
  expect(server.received).toEqual([]);
});

test('a mail server that encrypts from the start is recognized', async () => {
  const { key, cert } = await certificate();
  const server = await mailServer({ key, cert, secure: true });
  expect((await check(server.url.replace('smtp:', 'smtps:')))[1]).toBe(
    'mail-encryption ok: It is, with a valid certificate.',
  );
});

/** As a certificate fails at a server far away; the check of one nearby is off. */
const CHECKED = '?tls.rejectUnauthorized=true';

test.each([
  // smtp-server's built-in certificate has expired.
  ['that has expired', async () => ({})],
  ['that nobody known vouches for', () => certificate({ trusted: false })],
  ['for another name', () => certificate({ names: ['mail.firm.example'] })],
])('a certificate %s keeps the password back', async (words, tls) => {
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
  expect(found[0]?.found).toContain(`127.0.0.1 shows a certificate ${words}`);
  expect(passwords).toBe(0);
});

test('a certificate of its own is well on this machine', async () => {
  const server = await mailServer({ ...(await certificate({ trusted: false })), disabledCommands: [] });
  expect((await check(withPassword(server.url)))[1]).toMatch(/^mail-encryption ok: It is\.$/);
});

test('a wrong password is wrong, one that cannot be checked now is looked at', async () => {
  const server = await mailServer();
  server.failAt('auth', 535);
  expect((await check(withPassword(server.url)))[2]).toEqual(
    expect.stringMatching(/^mail-login wrong: The mail server refuses the address or password: “535/),
  );
  server.failAt('auth', 454);
  expect((await check(withPassword(server.url)))[2]).toMatch(/^mail-login look: .*at the moment: “454/);
});

test('neither password nor encryption is needed on this machine', async () => {
  const server = await mailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
  expect(await check(server.url)).toEqual([
    expect.stringMatching(/^mail-server ok/),
    'mail-encryption ok: None needed: the mail server is on this machine.',
    'mail-login ok: None.',
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
    expect.stringMatching(/^mail-server wrong: No mail server answers/),
  ]);
  await server.goDown();
  expect(await check(withPassword(server.url))).toEqual([
    `mail-server wrong: No mail server answers at 127.0.0.1 on port ${server.port} (ECONNREFUSED).`,
  ]);
  expect(await check('smtp://user:hunter2@mail.invalid')).toEqual([
    expect.stringMatching(/^mail-server wrong: There’s no host mail\.invalid/),
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
    expect.stringMatching(/^mail-server wrong: No mail server answers/),
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
