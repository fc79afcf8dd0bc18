import { TLSSocket } from 'node:tls';
import type { NodemailerError as Fault } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import SMTPTransport from 'nodemailer/lib/smtp-transport';
import { type MailTimeouts, smtpOptions } from '../../server/mail/mailer.ts';
import { isThisMachine } from '../../settings/near.ts';
import { about, type Check, type Finding } from './check.ts';
import { CERTIFICATE_FAULTS } from './web.ts';

const TIMEOUTS: MailTimeouts = {
  dnsTimeout: 5_000,
  connectionTimeout: 8_000,
  greetingTimeout: 8_000,
  socketTimeout: 8_000,
};
const COMPARE =
  'Compare server and port, under Settings at npm run desk, with what your mail provider gives: usually port 465 or 587.';

const connection = about('messages', 'mail-server', 'Mail server');
const encryption = about('messages', 'mail-encryption', 'Encryption');
const login = about('messages', 'mail-login', 'Mail login');

/** Whether the mail server can be reached, encrypts, and accepts the password. Sends no mail. */
export const smtp: Check = {
  about: connection,
  when: ({ mail }) => mail.via === 'smtp',
  run: async ({ settings: { mail } }) => (mail.via === 'smtp' ? checkMailServer(mail.url) : []),
};

/** Connects, encrypts and logs in with the same options that the server uses to send mail. */
export async function checkMailServer(smtpUrl: string, timeouts = TIMEOUTS): Promise<Finding[]> {
  // Used only to parse the URL: its own `verify()` doesn't say which step failed.
  const transport = new SMTPTransport(smtpOptions(smtpUrl, timeouts));
  const smtp = new SMTPConnection(transport.options);
  try {
    const fault = await new Promise<Fault | undefined>((resolve) => {
      // Never removed, so that a late error doesn't crash the program.
      smtp.on('error', resolve);
      smtp.on('end', () => resolve(new Error('closed')));
      smtp.connect(resolve);
    });
    if (fault) return [connectionFault(fault, smtp)];
    const reached = connection.ok(`${smtp.host} answers on port ${smtp.port}.`);
    return [reached, describeEncryption(smtp), await tryLogin(smtp, transport.auth || undefined)];
  } finally {
    smtp.close();
    transport.close();
  }
}

function connectionFault(error: Fault, { host, port, secureConnection }: SMTPConnection): Finding {
  const place = `${host} on port ${port}`;
  const cause = error.originalCode ?? error.code ?? '';
  const certificate = CERTIFICATE_FAULTS[cause];
  if (certificate) {
    const todo =
      'Use the host name that your mail provider gives. If the server is yours, renew its certificate.';
    return encryption.wrong(`${host} ${certificate} So no mail is sent to it.`, todo);
  }
  if (!secureConnection && (error.code === 'ETLS' || error.command === 'STARTTLS'))
    return encryption.wrong(`${place} offers no encryption, so our password is not sent.`, COMPARE);
  if (error.responseCode) {
    const todo = 'Ask your mail provider why; often this machine’s address is on a block list.';
    return connection.wrong(`${place} refuses the connection with code ${error.responseCode}.`, todo);
  }
  if (cause === 'ETIMEDOUT') {
    const todo = `${COMPARE} Many hosting companies block these ports: ask yours to open them.`;
    return connection.wrong(`No answer from ${place}.`, todo);
  }
  const found =
    cause === 'ECONNREFUSED'
      ? `Nothing answers at ${place}.`
      : /^E(NOTFOUND|AI_AGAIN)|EDNS/.test(cause)
        ? `The host ${host} could not be looked up in the DNS.`
        : /WRONG_VERSION_NUMBER|EPROTO/.test(cause) && secureConnection
          ? `${place} answers, but does not encrypt from the start as smtps:// asks for.`
          : `No mail can be sent to ${place} (${cause || 'the connection was closed'}).`;
  return connection.wrong(found, COMPARE);
}

function describeEncryption({ host, secureConnection, _socket }: SMTPConnection): Finding {
  if (_socket instanceof TLSSocket) {
    const how = secureConnection ? 'Encrypted from the start' : 'Encrypted by STARTTLS';
    return _socket.authorized
      ? encryption.ok(`${how}; the certificate is valid.`)
      : encryption.look(
          `${how}, but SMTP_URL switches off the check of the certificate.`,
          'Remove tls.rejectUnauthorized from SMTP_URL.',
        );
  }
  return isThisMachine(host)
    ? encryption.ok('None, and none needed: the mail server is on this machine.')
    : encryption.look(`Mails go to ${host} unencrypted, so anybody on the way can read them.`, COMPARE);
}

async function tryLogin(
  smtp: SMTPConnection,
  auth: SMTPConnection.AuthenticationType | undefined,
): Promise<Finding> {
  if (!auth) {
    return smtp.allowsAuth && !isThisMachine(smtp.host)
      ? login.look(
          'SMTP_URL has neither user nor password, though the mail server offers logins.',
          'Most mail servers then refuse every mail. Write smtps://user:password@host:465.',
        )
      : login.ok('None needed: SMTP_URL has no user, and the mail server asks for none.');
  }
  if (!smtp.allowsAuth)
    return login.look('The mail server offers no login, so the password in SMTP_URL is not used.', COMPARE);
  const error = await new Promise<Fault | null | undefined>((resolve) => {
    smtp.once('error', resolve);
    smtp.login(auth, resolve);
  });
  if (!error) return login.ok('The mail server accepts the user name and password.');
  const code = error.responseCode ? ` (code ${error.responseCode})` : '';
  return error.responseCode && error.responseCode < 500
    ? login.look(
        `The mail server can’t check the password at the moment${code}.`,
        'Try again in a few minutes.',
      )
    : login.wrong(
        `The mail server refuses the user name or password${code}.`,
        'Type them once more under Settings at npm run desk. Many providers ask for an app password. (In SMTP_URL, write % as %25, @ as %40, : as %3A and / as %2F.)',
      );
}
