import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startScriptedSmtp } from '../../tests/support/mail/scripted-smtp.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { checkMailServer } from './smtp.ts';

const LONG = 60_000;
const PATIENT = { dnsTimeout: LONG, connectionTimeout: LONG, greetingTimeout: LONG, socketTimeout: LONG };

async function mailServer(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const server = await startSmtpServer(options);
  onTestFinished(() => server.close());
  return server;
}

async function check(url: string, timeouts = PATIENT) {
  const findings = await checkMailServer(url, timeouts);
  for (const { verdict, todo } of findings) expect(todo === undefined).toBe(verdict === 'ok');
  expect(JSON.stringify(findings)).not.toContain('hunter2');
  return findings.map(({ id, verdict, found }) => `${id} ${verdict}: ${found}`);
}

const withPassword = (url: string) => url.replace('://', '://user:hunter2@');

test('a mail server that encrypts by STARTTLS and accepts the password is well, and gets no mail', async () => {
  const { key, cert } = await certificate();
  const server = await mailServer({ key, cert, disabledCommands: [], authOptional: false });
  expect(await check(withPassword(server.url))).toEqual([
    `mail-server ok: 127.0.0.1 answers on port ${server.port}.`,
    'mail-encryption ok: Encrypted by STARTTLS; the certificate is valid.',
    'mail-login ok: The mail server accepts the user name and password.',
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

test.each([
  // smtp-server's built-in certificate has expired.
  ['has expired', async () => ({})],
  ['that it signed itself', () => certificate({ trusted: false })],
  ['for another name', () => certificate({ names: ['mail.example.com'] })],
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
  const lines = await check(withPassword(server.url));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^mail-encryption wrong: 127\.0\.0\.1 shows a certificate/);
  expect(lines[0]).toContain(words);
  expect(passwords).toBe(0);
});

test('a certificate whose check is switched off is looked at', async () => {
  const server = await mailServer({ ...(await certificate({ trusted: false })), disabledCommands: [] });
  expect((await check(`${server.url}?tls.rejectUnauthorized=false`))[1]).toMatch(
    /^mail-encryption look: .*switches/,
  );
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

test('a server that says nothing, turns us away or hangs up does not hold the check up', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const impatient = { ...PATIENT, greetingTimeout: 200 };
  expect(await check(`smtp://user:hunter2@127.0.0.1:${port}`, impatient)).toEqual([
    `mail-server wrong: No answer from 127.0.0.1 on port ${port}.`,
  ]);
  const closing = await startScriptedSmtp({ at: 'greeting', how: 'cut' });
  onTestFinished(closing.close);
  expect(await check(closing.url)).toEqual([
    expect.stringMatching(/^mail-server wrong: No mail can be sent/),
  ]);
  const refusing = await mailServer();
  refusing.failAt('connect', 554);
  expect(await check(refusing.url)).toEqual([expect.stringMatching(/^mail-server wrong: .*code 554/)]);
});
