import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import type { NodemailerError as Fault } from 'nodemailer';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import SERVICES from 'nodemailer/lib/well-known/services.json' with { type: 'json' };
import { SENDER_REFUSED } from '../../server/mail/faults.ts';
import { connectSmtp, logIn, step, TIMEOUTS } from '../../server/mail/transport.ts';
import { asciiAddress, emailAddress } from '../../settings/checks.ts';
import { isLocalNetwork, isThisMachine } from '../../settings/local-network.ts';
import { type Settings, shortPath } from '../../settings/settings.ts';
import type { SmtpAddress } from '../../settings/smtp-url.ts';
import { nearest } from './disk.ts';
import { domainOf } from './domain.ts';
import { about, type Check, type Finding, fieldOf } from './finding.ts';
import { CERTIFICATE_FAULTS } from './web.ts';

const COMPARE = 'Compare server and port with what your mail provider gives: usually port 465 or 587.';
const LATER = 'Try again in a few minutes.';

const connection = about('mail-out', 'mail-server', 'Mail server');
const encryption = about('mail-out', 'mail-encryption', 'Encryption');
const login = about('mail-out', 'mail-login', 'Mail login');
const sender = about('mail-out', 'mail-sender', 'Sender');
const SERVER = fieldOf('SMTP_URL');
const SENDER = fieldOf('MAIL_FROM');

type Needed = Pick<Settings, 'mail' | 'mailFrom' | 'contactEmail'>;

/**
 * Whether the mail server can be reached, encrypts, and accepts the password and both addresses. Sends no mail. Without a
 * mail server: whether mails can be written to files.
 */
export const mailOut: Check = {
  needs: ['SMTP_URL', 'MAIL_DIR', 'MAIL_FROM', 'CONTACT_EMAIL'],
  // It's as patient as the server is.
  limitMs: 240_000,
  run: async ({ settings }, signal) =>
    settings.mail.via === 'folder' ? [await checkFolder(settings)] : checkMailServer(settings, { signal }),
};

async function checkFolder({ supabaseUrl, mailDir }: Settings): Promise<Finding> {
  if (supabaseUrl) {
    const todo = 'Copy SMTP_URL from the project’s secrets, or try with --send-test.';
    const { host } = new URL(supabaseUrl);
    return connection.look(`${host} sends them, with mail settings that are not in this .env.`, todo);
  }
  const files = `Mails are saved as files in ${shortPath(mailDir)}`;
  const canWrite = await access(await nearest(mailDir), constants.W_OK).then(
    () => true,
    () => false,
  );
  return canWrite
    ? connection.look(`${files}. None is sent to you.`, 'Choose your mail provider.', SERVER)
    : connection.wrong(`${files}, but no file can be written there.`, 'Check MAIL_DIR and its rights.');
}

/** Connects, encrypts and logs in with the same options that the server uses to send mail. */
export async function checkMailServer(
  settings: Needed,
  { timeouts = TIMEOUTS, signal = undefined as AbortSignal | undefined } = {},
): Promise<Finding[]> {
  const { mail, mailFrom } = settings;
  if (mail.via === 'folder') return [];
  const opened = await connectSmtp(mail, mailFrom, timeouts, signal).catch((error: Fault) => error);
  if (opened instanceof Error) return [connectionFault(opened, mail, mailFrom.address)];
  try {
    const reached = connection.ok(`${mail.host} answers on port ${mail.port}.`);
    const findings = [reached, describeEncryption(opened, mail), await tryLogin(opened, mail, signal)];
    if (findings.at(-1)?.verdict === 'ok') findings.push(await trySender(opened, mail, settings, signal));
    return findings;
  } finally {
    opened.close();
  }
}

/** Of a reply that runs over several lines, too. */
const quote = (reply: string) => `“${reply.replace(/\s+/g, ' ').slice(0, 300)}”`;

const SIGNER =
  'Use the host name that your mail provider gives. If the server is yours, give it a certificate of a known authority, or name the file of its own in NODE_EXTRA_CA_CERTS. If it’s on this machine or in your own network, write smtp:// and its private address: there, no certificate is checked.';

function certificateFault(error: Fault, cause: string, host: string): Finding {
  const shows = `${host} ${CERTIFICATE_FAULTS[cause]}`;
  if (cause === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const { cert } = error as { cert?: PeerCertificate };
    const names = cert?.subjectaltname?.replaceAll('DNS:', '') ?? '';
    const todo = `Take the name of the certificate for the server’s${names && `: ${names}`}.`;
    return encryption.wrong(`${shows} So no mail is sent to it.`, todo, SERVER);
  }
  const todo = /EXPIRED|NOT_YET|REVOKED/.test(cause)
    ? 'Tell your mail provider. If the server is yours, renew its certificate.'
    : SIGNER;
  return encryption.wrong(`${shows} So no mail is sent to it.`, todo, SERVER);
}

function connectionFault(error: Fault, { host, port, secure }: SmtpAddress, mailFrom: string): Finding {
  const location = `${host} on port ${port}`;
  const cause = error.originalCode ?? error.code ?? '';
  if (CERTIFICATE_FAULTS[cause]) return certificateFault(error, cause, host);
  const subject = error.command === 'STARTTLS' ? encryption : connection;
  if (error.responseCode && error.responseCode < 500)
    return subject.look(`${location} takes no mail at the moment: ${quote(error.response ?? '')}.`, LATER);
  if (!secure && (error.code === 'ETLS' || error.command === 'STARTTLS'))
    return encryption.wrong(
      `${location} offers no encryption, so our password is not sent.`,
      COMPARE,
      SERVER,
    );
  if (error.response) {
    const refused = `${location} refuses the connection: ${quote(error.response)}.`;
    return /^(EHLO|HELO)/.test(error.command ?? '')
      ? connection.wrong(
          refused,
          `We greet it as ${domainOf(mailFrom)}, the domain of MAIL_FROM. Take a sender whose domain it knows.`,
          SENDER,
        )
      : connection.wrong(
          refused,
          'Ask your mail provider why; often this machine’s address is on a block list.',
        );
  }
  if (cause === 'ETIMEDOUT') {
    const todo = `${COMPARE} Many hosting companies block these ports: ask yours to open them.`;
    return connection.wrong(`No answer from ${location}.`, todo, SERVER);
  }
  const found =
    cause === 'ECONNREFUSED'
      ? `Nothing answers at ${location}.`
      : /^E(NOTFOUND|AI_AGAIN)|EDNS/.test(cause)
        ? `The host ${host} could not be looked up in the DNS.`
        : /WRONG_VERSION_NUMBER|EPROTO/.test(cause) && secure
          ? `${location} answers, but does not encrypt from the start as smtps:// asks for.`
          : `No mail can be sent to ${location} (${cause || 'the connection was closed'}).`;
  return connection.wrong(found, COMPARE, SERVER);
}

function describeEncryption({ _socket }: SMTPConnection, { host, secure }: SmtpAddress): Finding {
  if (_socket instanceof TLSSocket) {
    const how = secure ? 'Encrypted from the start' : 'Encrypted by STARTTLS';
    if (_socket.authorized) return encryption.ok(`${how}; the certificate is valid.`);
    return !secure && isLocalNetwork(host)
      ? encryption.ok(
          `${how}. The certificate isn’t checked, since ${host} is on your own machine or network.`,
        )
      : encryption.look(
          `${how}, but SMTP_URL switches off the check of the certificate.`,
          'Remove tls.rejectUnauthorized from SMTP_URL.',
          SERVER,
        );
  }
  return isThisMachine(host)
    ? encryption.ok('None, and none needed: the mail server is on this machine.')
    : encryption.look(
        `Mails go to ${host} unencrypted, so anybody on the way can read them.`,
        COMPARE,
        SERVER,
      );
}

async function tryLogin(
  smtp: SMTPConnection,
  mail: SmtpAddress,
  signal: AbortSignal | undefined,
): Promise<Finding> {
  if (!mail.login) {
    return smtp.allowsAuth && !isThisMachine(mail.host)
      ? login.look(
          'SMTP_URL has neither user nor password, though the mail server offers logins.',
          'Most mail servers then refuse every mail. Give the user and the password.',
          SERVER,
        )
      : login.ok('None needed: SMTP_URL has no user, and the mail server asks for none.');
  }
  if (!smtp.allowsAuth)
    return login.look(
      'The mail server offers no login, so the password in SMTP_URL is not used.',
      COMPARE,
      SERVER,
    );
  const error = await logIn(smtp, mail, signal).catch((fault: Fault) => fault);
  if (!error) return login.ok('The mail server accepts the user name and password.');
  const { responseCode: code } = error;
  if (!code)
    return login.look(
      'The mail server gave no answer to the user name and password, so nobody knows whether they’re right.',
      LATER,
    );
  return code < 500
    ? login.look(`The mail server can’t check the password at the moment (code ${code}).`, LATER)
    : login.wrong(
        `The mail server refuses the user name or password (code ${code}).`,
        'Type them once more. Many providers ask for an app password. (In SMTP_URL, write % as %25, @ as %40, : as %3A, / as %2F, ? as %3F and # as %23.)',
        SERVER,
      );
}

/** Whether it takes mails from MAIL_FROM to CONTACT_EMAIL, and otherwise from which address. */
async function trySender(
  smtp: SMTPConnection,
  mail: SmtpAddress,
  { mailFrom, contactEmail }: Needed,
  signal: AbortSignal | undefined,
): Promise<Finding> {
  const from = mailFrom.address;
  const to = asciiAddress(contactEmail);
  const takes = async (address: string) => (await envelope(smtp, address, to, signal)).status === 250;
  const { status, response, step: at } = await envelope(smtp, from, to, signal);
  if (status === 250) {
    const other = from === to ? besideOf(from) : undefined;
    return other && (await takes(other))
      ? sender.look(
          'Mails come from your own address. If you press Reply, several mail programs then answer you, and not the visitor. “Answer” in the mail is always right.',
          `Set MAIL_FROM to an address beside yours, such as ${other}, which your mail server takes.`,
          SENDER,
        )
      : sender.ok(`The mail server takes mails from ${from} to ${to}.`);
  }
  if (status === 0) return sender.look('The mail server gave no answer about the sender.', LATER);
  const words = quote(response);
  if (status < 500) return sender.look(`The mail server takes no mail now: ${words}.`, LATER);
  if (!mail.login && (status === 530 || /relay/i.test(response)))
    return login.wrong(
      `The mail server takes no mail without a login: ${words}.`,
      'Give the user and the password that your mail provider gave you.',
      SERVER,
    );
  let better: string | undefined;
  for (const address of [mail.login?.user ?? '', to])
    if (!better && address !== from && isAddress(address) && (await takes(address))) better = address;
  if (!better && at === 'recipient' && !SENDER_REFUSED.test(response))
    return sender.wrong(
      `The mail server takes no mails for ${to} (CONTACT_EMAIL): ${words}.`,
      'Is your address right, and your mailbox not full? Mails to it are tried again by themselves.',
      fieldOf('CONTACT_EMAIL'),
    );
  return sender.wrong(
    `The mail server takes no mails from ${from} (MAIL_FROM): ${words}.`,
    better
      ? `Set MAIL_FROM to ${better}, which it takes.`
      : 'Set MAIL_FROM to an address that your mail provider lets you send from: usually the one that you log in with.',
    SENDER,
  );
}

/** The first of the two that's refused, or the second; then begins anew. */
async function envelope(
  smtp: SMTPConnection,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<{ status: number; response: string; step: 'sender' | 'recipient' }> {
  let reply = { status: 0, response: '' };
  let at: 'sender' | 'recipient' = 'sender';
  // Nodemailer's way to send a command of one's own.
  smtp.customAuth.set('ASK', async ({ sendCommand }) => {
    reply = await sendCommand(`MAIL FROM:<${from}>`);
    if (reply.status === 250) {
      at = 'recipient';
      reply = await sendCommand(`RCPT TO:<${to}>`);
      if (reply.status === 251) reply = { ...reply, status: 250 };
    }
    await sendCommand('RSET');
  });
  await step(smtp, signal, (done) => smtp.login({ method: 'ASK' }, done)).catch(() => {
    reply = { status: 0, response: '' };
  });
  return { ...reply, step: at };
}

/** Where mails for `name+anything` come to `name`. */
const WITH_PLUS =
  /^((gmail|googlemail|icloud|me|mac|fastmail|protonmail)\.com|(proton|pm)\.me|(outlook|hotmail|live)\..+)$/;
/** Where any other name is somebody else's, beside the well-known services. */
const SHARED =
  /^((yahoo|ymail|aol|gmx)\..+|msn\.com|mail\.(com|ru)|(web|t-online|freenet)\.de|(bell|telus|comcast|verizon|att|cox|laposte)\.net|(videotron|sympatico|shaw)\.ca|rogers\.com|(orange|free|sfr|wanadoo)\.fr)$/;
const PROVIDERS = Object.values<object>(SERVICES).flatMap((service) =>
  'domains' in service ? service.domains : [],
);

/** An address beside this one that its owner can have. */
function besideOf(address: string): string | undefined {
  const domain = domainOf(address);
  const local = address.slice(0, address.lastIndexOf('@')).replace(/\+.*/, '');
  if (WITH_PLUS.test(domain)) return `${local}+site@${domain}`;
  return SHARED.test(domain) || PROVIDERS.includes(domain) ? undefined : `site@${domain}`;
}

function isAddress(text: string): boolean {
  try {
    return emailAddress.read(text, '') !== '';
  } catch {
    return false;
  }
}
