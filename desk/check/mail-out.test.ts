import { expect, test } from 'vitest';
import { TIMEOUTS } from '../../server/mail/transport.ts';
import { readSettings } from '../../settings/settings.ts';
import { type SmtpStep, startScriptedSmtp } from '../../tests/support/mail/scripted-smtp.ts';
import { startSmtpServer } from '../../tests/support/mail/smtp-server.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { checkMailServer } from './mail-out.ts';
import { tryMail } from './test-mail.ts';

const settingsWith = (SMTP_URL: string, MAIL_FROM = 'web@firm.example', CONTACT_EMAIL = 'me@firm.example') =>
  readSettings({ CONTACT_EMAIL, MAIL_FROM, SMTP_URL });

const scripted = (at: SmtpStep, how: string | number) => untilEnd(startScriptedSmtp({ at, how }));

async function findings(url: string, timeouts = TIMEOUTS, settings = settingsWith(url)) {
  if (settings.mail.via === 'folder') throw new Error('No mail server');
  const found = await checkMailServer(settings.mail, settings, timeouts);
  for (const { verdict, todo } of found) expect(todo === undefined).toBe(verdict === 'ok');
  expect(JSON.stringify(found)).not.toContain('hunter2');
  return found;
}

async function check(url: string, timeouts = TIMEOUTS) {
  return (await findings(url, timeouts)).map(({ id, verdict, found }) => `${id} ${verdict}: ${found}`);
}

const withPassword = (url: string) => url.replace('://', '://user:hunter2@');

test.each([
  ['that encrypts by STARTTLS', { trusted: true }, 'On, with a valid certificate.'],
  ['on this machine, with a certificate of its own', { trusted: false }, 'On.'],
  ['on this machine, without any', undefined, 'None needed: the mail server is on this machine.'],
])('a mail server %s is fine, and gets no mail', async (_, trusted, encryption) => {
  const tls = trusted && { ...(await certificate(trusted)), disabledCommands: [], authOptional: false };
  const server = await untilEnd(startSmtpServer(tls ?? { disabledCommands: ['STARTTLS', 'AUTH'] }));
  const login = tls ? 'The mail server takes the address and password.' : 'None.';
  expect(await check(tls ? withPassword(server.url) : server.url)).toEqual([
    `mail-server ok: 127.0.0.1 answers on port ${server.port}.`,
    `mail-encryption ok: ${encryption}`,
    `mail-login ok: ${login}`,
    'mail-sender ok: The mail server takes emails from web@firm.example.',
  ]);
  if (!tls) expect((await check(withPassword(server.url)))[2]).toMatch(/^mail-login look: .*weren’t tried/);
  expect(server.received).toEqual([]);
});

/** To fail as at a server far away; one nearby isn't checked. */
const CHECKED = '?tls.rejectUnauthorized=true';

test.each([
  // smtp-server's built-in certificate has expired.
  ['127.0.0.1', 'that has expired', 'Is this machine’s clock', async () => ({})],
  ['127.0.0.1', 'that no known authority', 'Ask your .*_CA_', () => certificate({ trusted: false })],
  ['localhost', 'for another name', 'Use .*one that', certificate],
])('at %s, a certificate %s ends the check before the password', async (host, words, todo, tls) => {
  const { port } = await untilEnd(startSmtpServer({ ...(await tls()), disabledCommands: [] }));
  const found = await findings(`smtp://user:hunter2@${host}:${port}${CHECKED}`);
  const said = `^mail-encryption wrong: ${host} .* certificate ${words}.* sent to it. ${todo}`;
  const lines = found.map((one) => `${one.id} ${one.verdict}: ${one.found} ${one.todo}`);
  expect(lines).toEqual([expect.stringMatching(said)]);
});

test.each([
  ['auth', 535, 'Type the address and password again', 'password'],
  ['mail', 553, 'In MAIL_FROM, give another address that', 'MAIL_FROM'],
  ['rcpt', '553 5.7.1 Sender address rejected', 'send from, such as me@firm.example.', 'MAIL_FROM'],
  ['rcpt', 550, 'Is your address right', 'CONTACT_EMAIL'],
  ['content', 554, 'Ask your mail provider', undefined],
] as const)('what is refused at %s with %s leads to what to change', async (at, how, todo, field) => {
  const { url } = await scripted(at, how);
  const finding = {
    ...{ verdict: 'wrong', link: field && `/desk/settings#${field}` },
    found: expect.stringContaining(`“${how}`),
    todo: expect.stringContaining(todo),
  };
  expect(await tryMail(settingsWith(url))).toMatchObject(finding);
  // Where the content would begin, the check hangs up.
  if (at !== 'content') expect((await findings(url)).at(-1)).toMatchObject(finding);
  const hers = await tryMail(settingsWith(url.replace('user', 'ana%40firm.example')));
  if (field === 'MAIL_FROM') expect(hers?.todo, 'what she logs in with').toContain('as ana@firm.example.');
});

test.each([
  ['me@firm.example', ', such as site@firm.example.'],
  ['site@firm.example', ', such as website@firm.example.'],
  ['me+web@hotmail.ca', ', such as me+site@hotmail.ca.'],
  ['me@yahoo.ca', 'send from.'],
])('instead of her own address, %s, emails can come from one beside it%s', async (own, other) => {
  const { url } = await scripted('content', 554);
  const found = await findings(url, TIMEOUTS, settingsWith(url, own, own));
  expect(found.at(-1)?.todo).toMatch(new RegExp(`^In MAIL_FROM.*${RegExp.escape(other)}$`));
});

test('a password that can’t be checked now, or a daily limit, needs a look, and no password is sent unencrypted', async () => {
  const { url } = await scripted('content', '550 5.4.5 Daily user sending limit exceeded');
  expect(await tryMail(settingsWith(url))).toMatchObject({ verdict: 'look' });
  const server = await untilEnd(startSmtpServer());
  server.failAt('auth', 454);
  expect((await check(withPassword(server.url)))[2]).toMatch(/^mail-login look: .*put it off.*“454/);
  expect(await check(`${withPassword(server.url)}?requireTLS=true`)).toEqual([
    expect.stringMatching(/^mail-encryption wrong: .*doesn’t start encryption/),
  ]);
});

test('a server that can’t be reached, says nothing or turns us away is reported as that', async () => {
  const one = async (url: string, timeouts = TIMEOUTS) => (await check(url, timeouts)).join();
  const server = await untilEnd(startSmtpServer());
  const early = await one(server.url.replace('smtp:', 'smtps:'));
  expect(early).toMatch(/^mail-encryption wrong: .*encryption .*fails \(ERR_SSL_WRONG_VERSION/);
  await server.goDown();
  expect(await one(withPassword(server.url))).toMatch(/^mail-server wrong: .*can’t be reached/);
  const silent = await scripted('greeting', 'hang');
  const short = { connect: 200, reply: 200, content: 200 };
  expect(await one(silent.url, short)).toMatch(/^mail-server wrong: .*\(ETIMEDOUT\)/);
  const refusing = await scripted('greeting', '554 5.7.1 On a block list');
  expect(await one(refusing.url)).toMatch(/^mail-server wrong: .*“554 5\.7\.1 On a block list”/);
  expect(await tryMail(settingsWith('smtp://mail.firm.invalid:587'))).toMatchObject({
    found: 'mail.firm.invalid wasn’t found from this machine.',
    link: '/desk/settings#SMTP_URL',
  });
});
