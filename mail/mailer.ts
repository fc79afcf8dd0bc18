import type { Buffer } from 'node:buffer';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { isThisMachine } from '../settings/near.ts';
import type { MailSetting } from '../settings/settings.ts';
import type { Mail, Mailer } from './mail.ts';
import { openResend } from './resend.ts';

/** In milliseconds, for each step. A mail never hangs for as long as its lease lasts. */
export type MailTimeouts = typeof TIMEOUTS;

const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  dnsTimeout: 10_000,
};
/**
 * Mails that come together share connections, which spares each the greeting, the encryption and the login. One that
 * comes alone has its own as before: a connection that has been idle for longer may be dead without our knowing.
 */
const POOL = {
  pool: true,
  idleTimeout: 5_000,
  // For a connection that the mail server ended between two mails. Everything else is the outbox's to try again.
  maxRequeues: 1,
} as const;
const NO_OUTSIDE_CONTENT = { disableFileAccess: true, disableUrlAccess: true };

export function openMailer(mail: MailSetting, timeouts: MailTimeouts = TIMEOUTS): Mailer {
  switch (mail.via) {
    case 'smtp':
      return openSmtp(mail.url, timeouts);
    case 'resend':
      return openResend(mail.apiKey, mail.baseUrl, timeouts.socketTimeout);
    case 'folder':
      return openMailFolder(mail.folder);
  }
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

/** How the mail server is spoken to, by the server and by whoever checks whether it could. */
export function smtpOptions(smtpUrl: string, timeouts: MailTimeouts = TIMEOUTS) {
  return { url: smtpUrl, ...timeouts, ...NO_OUTSIDE_CONTENT, requireTLS: needsTls(new URL(smtpUrl)) };
}

/**
 * Somebody between us and the server can hide its offer of STARTTLS; a password then must not
 * follow in the clear. `?requireTLS=false` in SMTP_URL overrides this for a network that is trusted.
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
      // The time makes a folder listing read like an inbox; no personal data stands in a file name.
      const time = new Date(mail.at).toISOString().replace(/[:.]/g, '-');
      await writeDurably(folder, `${time}-${mail.id}.eml`, message);
    },
    destination: folder,
    close: () => transport.close(),
  };
}

export function forNodemailer({ id: _, at, from, to, replyTo, ...mail }: Mail): SendMailOptions {
  return {
    ...mail,
    // Never strings: a name such as "x, other@example.com" would become a second recipient.
    from: { ...from },
    to: { ...to },
    ...(replyTo && { replyTo: { ...replyTo } }),
    date: new Date(at),
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false,
    ...NO_OUTSIDE_CONTENT,
  };
}

/** All of the file or none of it, even when the power fails; writing it twice is writing it once. */
async function writeDurably(folder: string, name: string, content: Buffer | Readable): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const unfinished = `${path}.unfinished`;
  try {
    await using file = await open(unfinished, 'w', 0o600);
    await file.writeFile(content);
    await file.sync();
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  // The rename itself lives in the folder.
  await using handle = await open(folder, 'r');
  await handle.sync();
}
