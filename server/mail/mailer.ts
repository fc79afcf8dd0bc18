import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { isThisMachine } from '../../settings/near.ts';
import { replaceFile } from '../../settings/replace-file.ts';
import type { MailSetting } from '../../settings/settings.ts';
import { makeFolder } from '../messages/sync.ts';
import type { Mail, Mailer } from './mail.ts';

/** In milliseconds per step; far shorter than the outbox's lease. */
export type MailTimeouts = typeof TIMEOUTS;

const TIMEOUTS = {
  // Until the session stands: the greeting and the encryption too.
  connectionTimeout: 8_000,
  greetingTimeout: 8_000,
  socketTimeout: 30_000,
  dnsTimeout: 5_000,
};
/** Few mail servers take more from one client. */
export const MOST_CONNECTIONS = 8;
/**
 * Mails sent together share connections, and with them the greeting, TLS handshake and login. Idle connections are
 * closed soon, since they may be dead without us knowing.
 */
const POOL = {
  pool: true,
  maxConnections: MOST_CONNECTIONS,
  idleTimeout: 5_000,
  // For when the mail server closed the connection between two mails. The outbox retries everything else.
  maxRequeues: 1,
} as const;
const NO_OUTSIDE_CONTENT = { disableFileAccess: true, disableUrlAccess: true };

export function openMailer(mail: MailSetting, timeouts: MailTimeouts = TIMEOUTS): Mailer {
  return mail.via === 'smtp' ? openSmtp(mail.url, timeouts) : openMailFolder(mail.folder);
}

function openSmtp(smtpUrl: string, timeouts: MailTimeouts): Mailer {
  const url = new URL(smtpUrl);
  const transport = createTransport({ ...smtpOptions(smtpUrl, timeouts), ...POOL });
  return {
    async send(mail, signal) {
      await transport.sendMail({ ...forNodemailer(mail), signal });
    },
    destination: url.port ? `${url.hostname}:${url.port}` : url.hostname,
    close: () => transport.close(),
  };
}

/** Shared by the server and the doctor. */
export function smtpOptions(smtpUrl: string, timeouts: MailTimeouts = TIMEOUTS) {
  return { url: smtpUrl, ...timeouts, ...NO_OUTSIDE_CONTENT, requireTLS: needsTls(new URL(smtpUrl)) };
}

/**
 * A man in the middle can strip STARTTLS from the server's offer; then the password must not be sent in the clear.
 * `?requireTLS=false` in SMTP_URL overrides this for a trusted network.
 */
function needsTls(url: URL): boolean {
  return (
    url.protocol === 'smtp:' && !isThisMachine(url.hostname) && (url.username !== '' || url.port === '587')
  );
}

function openMailFolder(folder: string): Mailer {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    ...NO_OUTSIDE_CONTENT,
  });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(forNodemailer(mail));
      // Sorts by time, like an inbox, and contains no personal data.
      const time = new Date(mail.at).toISOString().replace(/[:.]/g, '-');
      makeFolder(folder);
      await replaceFile(join(folder, `${time}-${mail.id}.eml`), message, 0o600);
    },
    destination: folder,
    close: () => transport.close(),
  };
}

export function forNodemailer(whole: Mail): SendMailOptions {
  const { id: _, at, from, to, replyTo, ...mail } = whole;
  return {
    ...mail,
    // Objects, since in a string, the name "x, other@example.com" would become a second recipient.
    from: { ...from },
    to: { ...to },
    ...(replyTo && { replyTo: { ...replyTo } }),
    date: new Date(at),
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false,
    ...NO_OUTSIDE_CONTENT,
  };
}
