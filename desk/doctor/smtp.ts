import { TLSSocket } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import SMTPTransport from 'nodemailer/lib/smtp-transport';
import { type MailTimeouts, smtpOptions } from '../../mail/mailer.ts';
import { isThisMachine } from '../../settings/near.ts';
import { about, type Check, type Finding } from './check.ts';
import { certificateFault, certificateLife } from './web.ts';

/** Together they stay below the limit of this check. */
const TIMEOUTS: MailTimeouts = {
  dnsTimeout: 5_000,
  connectionTimeout: 8_000,
  greetingTimeout: 8_000,
  socketTimeout: 8_000,
};

const connection = about('messages', 'mail-server', 'Mail server');
const encryption = about('messages', 'mail-encryption', 'Encryption');
const login = about('messages', 'mail-login', 'Mail login');

/** Whether the mail server can be reached, encrypts, and accepts the password. No mail is sent. */
export const smtp: Check = {
  name: 'smtp',
  about: connection,
  needs: ['SMTP_URL'],
  when: ({ mail }) => mail.via === 'smtp',
  run: async ({ settings: { mail }, now }) => (mail.via === 'smtp' ? checkMailServer(mail.url, { now }) : []),
};

/** What nodemailer tells of a failed step beside its message. */
type SmtpError = Error & {
  code?: string | undefined;
  originalCode?: string | undefined;
  command?: string | undefined;
  responseCode?: number | undefined;
};

/**
 * Connects, encrypts and logs in with the very options that the server sends mail with, and sends none.
 *
 * @param now milliseconds
 */
export async function checkMailServer(
  smtpUrl: string,
  { now, timeouts = TIMEOUTS }: { now: number; timeouts?: MailTimeouts },
): Promise<Finding[]> {
  // The transport reads the URL; a connection of our own can be asked what has become of it.
  const transport = new SMTPTransport(smtpOptions(smtpUrl, timeouts));
  const smtp = new SMTPConnection(transport.options);
  try {
    const fault = await connect(smtp);
    if (fault) return [connectionFault(fault, smtp)];
    const findings = [
      connection.ok(`${smtp.host} answers on port ${smtp.port}.`),
      describeEncryption(smtp, new URL(smtpUrl), now),
    ];
    return [...findings, await tryLogin(smtp, new URL(smtpUrl), transport.auth || undefined)];
  } finally {
    smtp.close();
    transport.close();
  }
}

function connect(smtp: SMTPConnection): Promise<SmtpError | undefined> {
  return new Promise((resolve) => {
    // Also for what comes after the connection, so that no late error ends the program.
    smtp.on('error', (error: SmtpError) => resolve(error));
    smtp.on('end', () => resolve(new Error('closed')));
    smtp.connect((error) => resolve(error));
  });
}

function connectionFault(error: SmtpError, { host, port, secureConnection }: SMTPConnection): Finding {
  const place = `${host} on port ${port}`;
  const cause = error.originalCode ?? error.code ?? '';
  const certificate = certificateFault(cause);
  if (certificate) {
    return encryption.wrong(
      `${host} ${certificate} So no mail is given to it.`,
      'Use the host name that your mail provider gives for SMTP. If the server is your own, renew its certificate.',
    );
  }
  if (/^E(NOTFOUND|AI_AGAIN)|EDNS/.test(cause)) {
    const found = cause === 'ENOTFOUND' ? 'is not known to the DNS' : 'could not be looked up in the DNS';
    return connection.wrong(
      `The host ${host} ${found}.`,
      'Compare the host in SMTP_URL with the one your mail provider gives.',
    );
  }
  if (cause === 'ECONNREFUSED') {
    return connection.wrong(
      `Nobody listens at ${place}.`,
      'Compare the port in SMTP_URL with your mail provider’s: usually smtps:// with 465, or smtp:// with 587.',
    );
  }
  if (/WRONG_VERSION_NUMBER|EPROTO/.test(cause) && secureConnection) {
    return connection.wrong(
      `${place} answers, but does not encrypt from the start as smtps:// asks for.`,
      'Write smtp:// in place of smtps:// in SMTP_URL, or take port 465.',
    );
  }
  if (error.code === 'ETLS' || error.command === 'STARTTLS') {
    return encryption.wrong(
      `${place} offers no encryption, so our password is not sent.`,
      'Ask your mail provider for its encrypted port, usually smtps:// with 465.',
    );
  }
  if (cause === 'ETIMEDOUT') {
    const hint = port === 465 && !secureConnection ? 'Write smtps:// in place of smtp:// in SMTP_URL. ' : '';
    return connection.wrong(
      `No answer from ${place}.`,
      `${hint}Compare host and port with your mail provider’s. Many hosting companies block the SMTP ports: ask yours to open them.`,
    );
  }
  if (error.responseCode) {
    return connection.wrong(
      `${place} turns us away with code ${error.responseCode}.`,
      'Ask your mail provider why, with that code; often this machine’s address is on a block list.',
    );
  }
  return connection.wrong(
    `No mail can be given to ${place} (${cause || 'the connection was closed'}).`,
    'Compare SMTP_URL with what your mail provider gives.',
  );
}

function describeEncryption({ host, _socket }: SMTPConnection, url: URL, now: number): Finding {
  if (!(_socket instanceof TLSSocket)) {
    return isThisMachine(host)
      ? encryption.ok('None, and none needed: the mail server is on this machine.')
      : encryption.look(
          `Mails go to ${host} unencrypted, so whoever stands between can read them.`,
          'Use smtps:// with port 465 in SMTP_URL if your mail provider offers it.',
        );
  }
  const how = url.protocol === 'smtps:' ? 'Encrypted from the start' : 'Encrypted by STARTTLS';
  if (!_socket.authorized) {
    return encryption.look(
      `${how}, but SMTP_URL switches the check of the certificate off.`,
      'Leave tls.rejectUnauthorized out of SMTP_URL.',
    );
  }
  const life = certificateLife(_socket.getPeerCertificate().valid_to, now);
  return life.soon
    ? encryption.look(
        `${how}; the certificate of ${host} ${life.text}.`,
        'It is renewed by whoever runs that mail server. If that is you, renew it now.',
      )
    : encryption.ok(`${how}; the certificate ${life.text}.`);
}

async function tryLogin(
  smtp: SMTPConnection,
  url: URL,
  auth: SMTPConnection.AuthenticationType | undefined,
): Promise<Finding> {
  if (!auth) {
    return smtp.allowsAuth && !isThisMachine(smtp.host)
      ? login.look(
          'SMTP_URL has neither user nor password, though the mail server knows logins.',
          'Most mail servers then refuse every mail. Write smtps://user:password@host:465.',
        )
      : login.ok('None needed: SMTP_URL has no user, and the mail server asks for none.');
  }
  if (!smtp.allowsAuth) {
    return login.look(
      'The mail server offers no login, so user and password in SMTP_URL are not used.',
      'Try another port of your mail provider, usually smtps:// with 465, or leave user and password away.',
    );
  }
  const error = await new Promise<SmtpError | undefined>((resolve) => {
    smtp.once('error', resolve);
    smtp.login(auth, (fault) => resolve(fault ?? undefined));
  });
  if (!error) return login.ok('The mail server accepts user and password.');
  const code = error.responseCode ? ` (code ${error.responseCode})` : '';
  if (error.responseCode && error.responseCode < 500) {
    return login.look(
      `The mail server cannot check the password just now${code}.`,
      'Run this again in some minutes.',
    );
  }
  return login.wrong(
    `The mail server refuses user and password${code}.`,
    `Correct them in SMTP_URL; write % as %25, @ as %40, : as %3A and / as %2F there. Many providers want an app password made for this purpose.${url.password ? '' : ' The password is missing.'}`,
  );
}
