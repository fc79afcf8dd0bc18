import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { TLSSocket } from 'node:tls';
import type { NodemailerError as Fault } from 'nodemailer';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { classifyMailError } from '../../server/mail/faults.ts';
import { connectSmtp, logIn, TIMEOUTS } from '../../server/mail/transport.ts';
import { isThisMachine } from '../../settings/local-network.ts';
import { type Settings, shortPath } from '../../settings/settings.ts';
import type { SmtpAddress } from '../../settings/smtp-url.ts';
import { nearest } from './disk.ts';
import { about, type Check, type Finding, fieldOf } from './finding.ts';
import { certificateFault } from './web.ts';

const connection = about('mail-out', 'mail-server', 'Mail server');
const encryption = about('mail-out', 'mail-encryption', 'Encryption');
const login = about('mail-out', 'mail-login', 'Mail login');
const sender = about('mail-out', 'mail-sender', 'Sender');

const COMPARE = 'Compare server and port with what your mail provider gives: usually port 465 or 587.';
const LATER = 'Try again in a few minutes.';
const SERVER = fieldOf('SMTP_URL');

/** Whether the mail server can be reached, encrypts, and takes the password; or whether mails can be written to files. */
export const mailOut: Check = ({ settings }) =>
  settings.mail.via === 'folder' ? checkFolder(settings) : checkMailServer(settings);

async function checkFolder({ supabaseUrl, mailDir }: Settings): Promise<Finding[]> {
  // A Supabase function has its own settings, which we can't see from here.
  if (supabaseUrl) return [];
  const files = `Mails are saved as files in ${shortPath(mailDir)}`;
  const canWrite = await access(await nearest(mailDir), constants.W_OK).then(
    () => true,
    () => false,
  );
  return [
    canWrite
      ? connection.look(`${files}. None is sent to you.`, 'Choose your mail provider.', SERVER)
      : connection.wrong(`${files}, but no file can be written there.`, 'Check MAIL_DIR and its rights.'),
  ];
}

/** Connects, encrypts and logs in with the same options that the server uses to send mail. Sends none. */
export async function checkMailServer(settings: Settings, timeouts = TIMEOUTS): Promise<Finding[]> {
  const { mail, mailFrom } = settings;
  if (mail.via === 'folder') return [];
  const found: Finding[] = [];
  let smtp: SMTPConnection | undefined;
  try {
    smtp = await connectSmtp(mail, mailFrom, timeouts);
    found.push(connection.ok(`${mail.host} answers on port ${mail.port}.`), describeEncryption(smtp, mail));
    await logIn(smtp, mail);
    found.push(login.ok(mail.login ? 'The mail server takes the address and password.' : 'None.'));
  } catch (error) {
    const fault = error as Fault;
    found.push(
      smtp && !fault.responseCode
        ? login.look('The mail server gave no answer to the address and password.', LATER)
        : describeMailFault(fault, mail, settings),
    );
  } finally {
    smtp?.close();
  }
  return found;
}

function describeEncryption({ _socket }: SMTPConnection, { host }: SmtpAddress): Finding {
  if (_socket instanceof TLSSocket)
    return encryption.ok(_socket.authorized ? 'It is, with a valid certificate.' : 'It is.');
  return isThisMachine(host)
    ? encryption.ok('None needed: the mail server is on this machine.')
    : encryption.look(`Mails go to ${host} unencrypted, so others can read them.`, COMPARE, SERVER);
}

/** Why a mail server took no connection, login or mail, in its own words where it has said any. */
export function describeMailFault(
  fault: Fault,
  { host, port, secure }: SmtpAddress,
  { mailFrom, contactEmail }: Pick<Settings, 'mailFrom' | 'contactEmail'>,
): Finding {
  const { command = '', responseCode, response = '' } = fault;
  const location = `${host} on port ${port}`;
  const words = `: “${response.replace(/\s+/g, ' ').slice(0, 300)}”.`;
  const { kind } = classifyMailError(fault);
  const isLogin = command.startsWith('AUTH') || [530, 534, 535, 538].includes(responseCode ?? 0);
  if (kind === 'slow' || kind === 'unsure')
    return connection.look(`${location} begins to talk, and then gives no answer.`, LATER);
  if (responseCode && responseCode < 500) {
    const subject = isLogin ? login : command === 'STARTTLS' ? encryption : connection;
    return subject.look(`${location} takes no mail at the moment${words}`, LATER);
  }
  if (isLogin) {
    const todo = 'Type both once more. Many providers ask for an app password.';
    return login.wrong(`The mail server refuses the address or password${words}`, todo, SERVER);
  }
  if (responseCode && kind === 'setup') {
    const todo =
      'Choose a sender that your provider lets you send from: usually the address that you log in with.';
    const found = `The mail server takes no mail from ${mailFrom.address}${words}`;
    return sender.wrong(found, todo, fieldOf('MAIL_FROM'));
  }
  if (responseCode && kind === 'mailbox') {
    const todo = 'Is your address right, and your mailbox not full?';
    return sender.wrong(
      `The mail server takes no mail for ${contactEmail}${words}`,
      todo,
      fieldOf('CONTACT_EMAIL'),
    );
  }
  if (responseCode && command !== 'STARTTLS') {
    const todo = 'Ask your mail provider why; often this machine’s address is on a block list.';
    return connection.wrong(`${location} refuses ${kind === 'refused' ? 'the mail' : 'us'}${words}`, todo);
  }
  return describeNoConnection(fault, { host, location, secure });
}

function describeNoConnection(
  { originalCode, code = '', command }: Fault,
  { host, location, secure }: { host: string; location: string; secure: boolean },
): Finding {
  const cause = originalCode ?? code;
  const certificate = certificateFault(cause);
  if (certificate) {
    const todo =
      'Take the host name that your provider gives. A server of your own needs a certificate of a known authority, or its file in NODE_EXTRA_CA_CERTS.';
    return encryption.wrong(`${host} ${certificate} So no mail is sent to it.`, todo, SERVER);
  }
  if (!secure && (code === 'ETLS' || command === 'STARTTLS'))
    return encryption.wrong(`${location} offers no encryption, so no password is sent.`, COMPARE, SERVER);
  if (cause === 'ETIMEDOUT') {
    const todo = `${COMPARE} Many hosting companies block these ports: ask yours to open them.`;
    return connection.wrong(`No answer from ${location}.`, todo, SERVER);
  }
  if (/^E(NOTFOUND|AI_AGAIN)|EDNS/.test(cause))
    return connection.wrong(`There’s no host ${host} in the DNS.`, COMPARE, SERVER);
  return connection.wrong(`No mail server answers at ${location} (${cause || 'closed'}).`, COMPARE, SERVER);
}
