import { mkdir, open, rename, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import { composeMail } from './mail-text.ts';
import type { Settings } from './settings.ts';
import type { Claimed } from './store.ts';

/** Resolves once the mail server, or the disk, has taken the mail. */
export type Deliver = (message: Claimed, signal: AbortSignal) => Promise<void>;

export type Mailer = {
  deliver: Deliver;
  /** Where mails go, for people; without credentials. */
  destination: string;
  close(): void;
};

/** In milliseconds, for each step. A mail never hangs for as long as its lease lasts. */
export type MailTimeouts = typeof TIMEOUTS;

const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  dnsTimeout: 10_000,
};
const NO_OUTSIDE_CONTENT = { disableFileAccess: true, disableUrlAccess: true };

type MailSettings = Pick<Settings, 'smtpUrl' | 'mailDir' | 'mailFrom' | 'contactEmail'>;

export function openMailer(settings: MailSettings, timeouts: MailTimeouts = TIMEOUTS): Mailer {
  return settings.smtpUrl ? openSmtp(settings.smtpUrl, settings, timeouts) : openMailFolder(settings);
}

function openSmtp(smtpUrl: string, { mailFrom, contactEmail }: MailSettings, timeouts: MailTimeouts): Mailer {
  const url = new URL(smtpUrl);
  const transport = createTransport({
    url: smtpUrl,
    ...timeouts,
    ...NO_OUTSIDE_CONTENT,
    requireTLS: needsTls(url),
  });
  return {
    async deliver(message, signal) {
      await transport.sendMail({ ...composeMail(message, { from: mailFrom, to: contactEmail }), signal });
    },
    destination: url.port ? `${url.hostname}:${url.port}` : url.hostname,
    close: () => transport.close(),
  };
}

/**
 * Somebody between us and the server can hide its offer of STARTTLS; a password then must not
 * follow in the clear. `?requireTLS=false` in SMTP_URL overrides this for a network that is trusted.
 */
function needsTls(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const own = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return url.protocol === 'smtp:' && !own && (url.username !== '' || url.port === '587');
}

function openMailFolder({ mailDir, mailFrom, contactEmail }: MailSettings): Mailer {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    ...NO_OUTSIDE_CONTENT,
  });
  return {
    async deliver(message) {
      const mail = await transport.sendMail(composeMail(message, { from: mailFrom, to: contactEmail }));
      // The time makes a folder listing read like an inbox; no personal data stands in a file name.
      const time = new Date(message.receivedAt).toISOString().replace(/[:.]/g, '-');
      await writeDurably(mailDir, `${time}-${message.id}.eml`, await wholeMail(mail.message));
    },
    destination: mailDir,
    close: () => transport.close(),
  };
}

async function wholeMail(mail: Buffer | Readable): Promise<Buffer> {
  return Buffer.isBuffer(mail) ? mail : buffer(mail);
}

/** All of the file or none of it, even when the power fails; writing it twice is writing it once. */
async function writeDurably(folder: string, name: string, content: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const unfinished = `${path}.unfinished`;
  try {
    const file = await open(unfinished, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  // The rename itself lives in the folder.
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
