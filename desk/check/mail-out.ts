import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { NodemailerError as Fault } from 'nodemailer';
import { MINUTE } from '../../contract/time.ts';
import { isOfProject } from '../../server/elsewhere.ts';
import { classifyMailError, describeFault, LOGIN_REPLIES, OF_ENCRYPTION } from '../../server/mail/faults.ts';
import { connectSmtp, logIn, type SmtpSession, TIMEOUTS } from '../../server/mail/transport.ts';
import type { DatabaseReport } from '../../server/messages/open.ts';
import { span } from '../../server/messages/time.ts';
import { asciiAddress, domainOf } from '../../settings/checks.ts';
import { isThisMachine } from '../../settings/local-network.ts';
import type { SmtpAddress } from '../../settings/server-url.ts';
import { type Settings, shortPath } from '../../settings/settings.ts';
import { about, type Check, type Finding, fieldOf } from './finding.ts';
import { certificateFault } from './server.ts';

const connection = about('mail-server', 'Mail server');
const encryption = about('mail-encryption', 'Encryption');
const login = about('mail-login', 'Mail login');
const sender = about('mail-sender', 'Sender');
const regular = about('regular', 'Each minute');

const COMPARE = 'Compare server and port with what your mail provider gives: usually port 465 or 587.';
/** For any fault that's about her address. */
export const MAILBOX = 'Is your address right? Is its mailbox full?';
const SERVER = fieldOf('SMTP_URL');

export const mailOut: Check = async ({ settings, now, database }) => {
  const { mail, supabaseUrl } = settings;
  // We can't see a Supabase function's own settings from here, only what it has done.
  const regular = isOfProject(settings) ? describeRegular(await database(), now) : [];
  if (mail.via === 'smtp') return [...regular, ...(await checkMailServer(mail, settings))];
  if (supabaseUrl) return regular;
  const found = `Emails are saved as files in ${shortPath(mail.folder)}. None is sent to you.`;
  return [connection.look(found, 'Choose your mail provider.', SERVER)];
};

/** Its job asks for a sweep each minute, and none takes this long. */
const SWEEPS_WITHIN = 10 * MINUTE;

function describeRegular(report: DatabaseReport, now: number): Finding[] {
  if (!('queue' in report)) return [];
  const { sweptAt } = report.queue;
  const ago = sweptAt === undefined ? undefined : span(Math.max(0, now - sweptAt));
  if (sweptAt !== undefined && now - sweptAt < SWEEPS_WITHIN)
    return [regular.ok(`Your project looked for emails to send ${ago} ago.`)];
  const found = `Your project hasn’t noted ${ago ? `for ${ago}` : 'yet'} that it looks for emails to send: failed ones, the daily email and reminders.`;
  const todo =
    'Go through “Retries” in docs/deploy-static.md: this version’s function, the job, both secrets, and the answers it gets.';
  return [regular.wrong(found, todo)];
}

/** Goes as far as the first word of a mail, with the same options as the server. Sends none. */
export async function checkMailServer(mail: SmtpAddress, settings: Settings, timeouts = TIMEOUTS) {
  const found: Finding[] = [];
  let session: SmtpSession | undefined;
  try {
    session = await connectSmtp(mail, settings.mailFrom, timeouts, AbortSignal.timeout(3 * MINUTE));
    found.push(connection.ok(`${mail.host} answers on port ${mail.port}.`));
    found.push(describeEncryption(session, mail));
    await logIn(session, mail);
    found.push(describeLogin(session, mail));
    await offerMail(session, settings);
    found.push(describeSender(mail, settings));
  } catch (error) {
    found.push(describeMailFault(error as Fault, mail, settings));
  } finally {
    session?.smtp.close();
  }
  return found;
}

/** Names sender and recipient, and hangs up where the mail would begin. */
async function offerMail({ smtp, step }: SmtpSession, { mailFrom, contactEmail }: Settings): Promise<void> {
  let isWanted = false;
  const content = new Readable({
    read() {
      isWanted = true;
      smtp.close();
    },
  });
  const envelope = { from: mailFrom.address, to: [asciiAddress(contactEmail)] };
  await step((done) => smtp.send(envelope, content, done)).catch((error) => {
    if (!isWanted) throw error;
  });
}

/** Mail servers and domains where she has all of `name+anything`, and where nobody has another name. */
const WITH_PLUS =
  /(^|[ .-])((gmail|googlemail|icloud|me|mac)\.com|(hotmail|outlook|live|office365|fastmail|proton(mail)?|pm)\.\w+(\.\w\w)?)( |$)/;
const OF_PROVIDERS = /^(yahoo|ymail|aol|gmx|web|zoho|yandex|bell|sympatico|videotron|rogers|shaw|telus)\./;

/** Names the first of these, or else one beside her own, that isn't the current one. */
function another({ host }: SmtpAddress, { mailFrom, contactEmail }: Settings, ...known: string[]): string {
  const domain = domainOf(contactEmail);
  const name = /\bsite@/i.test(contactEmail) ? 'website' : 'site';
  if (WITH_PLUS.test(`${host} ${domain}`)) known.push(contactEmail.replace(/(\+.*)?@/, `+${name}@`));
  else if (!OF_PROVIDERS.test(domain)) known.push(`${name}@${domain}`);
  const isOther = (one: string) => one.includes('@') && asciiAddress(one) !== mailFrom.address;
  const such = known.filter(isOther).map((one) => `, such as ${one}`);
  return `In MAIL_FROM, give another address that your mail provider lets you send from${such[0] ?? ''}.`;
}

function describeSender(mail: SmtpAddress, settings: Settings): Finding {
  const { address } = settings.mailFrom;
  if (address !== asciiAddress(settings.contactEmail))
    return sender.ok(`The mail server takes emails from ${address}.`);
  return sender.look(
    `Emails to ${settings.contactEmail} come from the same address, and some mail programs then answer you instead of the visitor.`,
    another(mail, settings),
    fieldOf('MAIL_FROM'),
  );
}

function describeEncryption({ smtp: { _socket } }: SmtpSession, { host }: SmtpAddress): Finding {
  if (_socket instanceof TLSSocket)
    return encryption.ok(_socket.authorized ? 'On, with a valid certificate.' : 'On.');
  return isThisMachine(host)
    ? encryption.ok('None needed: the mail server is on this machine.')
    : encryption.look(`Emails go to ${host} unencrypted, so others can read them.`, COMPARE, SERVER);
}

function describeLogin(
  { smtp: { allowsAuth } }: SmtpSession,
  { host, login: account }: SmtpAddress,
): Finding {
  if (!account) return login.ok('None.');
  if (allowsAuth) return login.ok('The mail server takes the address and password.');
  return login.look(`${host} offers no login, so the address and password weren’t tried.`, COMPARE, SERVER);
}

const RENEW = 'Is this machine’s clock right? Then ask your mail provider to renew it, or renew your own.';
const NAME = 'Use the host name that your mail provider gives, or one that the certificate is for.';
const SIGNER =
  'Ask your mail provider about it. Your own server needs one from a known authority, or its file in NODE_EXTRA_CA_CERTS.';
const BY_CODE: Record<string, string> = { CERT_HAS_EXPIRED: RENEW, ERR_TLS_CERT_ALTNAME_INVALID: NAME };

/** Why a mail server took no connection, login or mail: in its own words if it said any, and where to fix it. */
export function describeMailFault(fault: Fault, mail: SmtpAddress, settings: Settings): Finding {
  const { host, port } = mail;
  const { command = '', responseCode = 0, response = '', code = '', originalCode = code } = fault;
  const certificate = certificateFault(originalCode);
  if (certificate) {
    const todo = BY_CODE[originalCode] ?? SIGNER;
    return encryption.wrong(`${host} ${certificate} So no email is sent to it.`, todo, SERVER);
  }
  const { kind, label } = classifyMailError(fault);
  const typo = 'Check its name for a typo. If it’s right, try again in a few minutes.';
  if (code === 'EDNS') return connection.wrong(`${host} wasn’t found from this machine.`, typo, SERVER);
  const words = response && `: “${response.replace(/\s+/g, ' ').slice(0, 300)}”`;
  const found = `${host} on port ${port}: ${describeFault(label)}${words}.`;
  const isLogin = command.startsWith('AUTH') || LOGIN_REPLIES.includes(responseCode);
  if (['retry', 'slow', 'unsure'].includes(kind) || (responseCode > 0 && responseCode < 500))
    return (isLogin ? login : connection).look(found, 'Try again in a few minutes.');
  if (OF_ENCRYPTION.test(originalCode)) return encryption.wrong(found, COMPARE, SERVER);
  if (command === 'STARTTLS' || code === 'ETLS')
    return encryption.wrong(`${host} doesn’t start encryption, so no password is sent.`, COMPARE, SERVER);
  if (kind === 'setup' && isLogin) {
    const todo = 'Type the address and password again. Many providers ask for an app password.';
    return login.wrong(found, todo, fieldOf('password'));
  }
  if (kind === 'setup') {
    // Most mail servers take the address that she logs in with.
    const todo = another(mail, settings, mail.login?.user ?? '', settings.contactEmail);
    return sender.wrong(found, todo, fieldOf('MAIL_FROM'));
  }
  if (kind === 'mailbox') return sender.wrong(found, MAILBOX, fieldOf('CONTACT_EMAIL'));
  if (kind === 'refused') return sender.wrong(found, 'Ask your mail provider why.');
  const todo = `${COMPARE} Many hosting companies block these ports: ask yours to open them.`;
  return connection.wrong(found, todo, SERVER);
}
