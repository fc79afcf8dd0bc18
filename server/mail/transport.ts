import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { NodemailerError } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { MINUTE } from '../../contract/time.ts';
import { domainOf, type MailBox } from '../../settings/checks.ts';
import { isThisMachine } from '../../settings/local-network.ts';
import type { SmtpAddress } from '../../settings/server-url.ts';
import type { Settings } from '../../settings/settings.ts';
import { makeFolder, replaceFile } from '../files.ts';
import { classifyMailError, FINAL_DOT } from './faults.ts';

/** Every string is a single line, except `text` and `html`. */
export type Mail = {
  /** For the file's name. */
  id: string;
  from: MailBox;
  to: MailBox;
  replyTo?: MailBox;
  subject: string;
  /** In angle brackets, like `inReplyTo`, by which mail programs group threads. */
  messageId: string;
  inReplyTo?: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether no person wrote it. Help desks suspend such mails, and answering machines leave them alone. */
  isAutomatic: boolean;
  text: string;
  html: string;
};

/** Resolves once the mail server has accepted the mail, or it's on disk. */
export type Mailer = (mail: Mail, signal: AbortSignal) => Promise<void>;

/** To connect, for each reply, and for the one to the content, which some scan for viruses. RFC 5321 asks for 5 and 10 minutes. */
export const TIMEOUTS = { connect: 30_000, reply: 60_000, content: 300_000 };

/** For a whole mail. A mail server that takes the full time for each step is done by then; one that drips isn't. */
const MOST_SENDING_MS = 15 * MINUTE;

export function openMailer({ mail: way }: Pick<Settings, 'mail'>, timeouts = TIMEOUTS): Mailer {
  return (mail, signal) =>
    way.via === 'smtp' ? sendBySmtp(mail, way, timeouts, signal) : writeToFolder(mail, way.folder);
}

/** If a mail's content is refused, sends the one without its words at once, and returns the refusal's label. */
export async function sendWholeOrPlain(
  mailer: Mailer,
  compose: (refusal?: string) => Mail,
  stop: AbortSignal,
): Promise<string | null> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(MOST_SENDING_MS)]);
  const mail = compose();
  try {
    await mailer(mail, signal);
    return null;
  } catch (error) {
    const { kind, label } = classifyMailError(error);
    // An automatic mail goes without the words whatever the answer to them is: quoted spam would hold it up for days.
    const isOfWords = ['DATA', FINAL_DOT].includes(String((error as NodemailerError).command));
    if (kind !== 'refused' && !(isOfWords && mail.isAutomatic)) throw error;
    await mailer(compose(label), signal);
    return label;
  }
}

async function sendBySmtp(mail: Mail, server: SmtpAddress, timeouts: typeof TIMEOUTS, signal: AbortSignal) {
  const content = Readable.from([await compose(mail)]);
  const session = await connectSmtp(server, mail.from, timeouts, signal);
  const { smtp, step } = session;
  content.once('end', () => void (smtp._socket || undefined)?.setTimeout(timeouts.content));
  try {
    await logIn(session, server);
    await step((done) => smtp.send({ from: mail.from.address, to: [mail.to.address] }, content, done));
    // Whatever it answers, or not.
    smtp.quit();
  } catch (error) {
    const hasAll = content.readableEnded && !(error as NodemailerError).responseCode;
    throw hasAll ? Object.assign(error as Error, { command: FINAL_DOT }) : error;
  } finally {
    smtp.close();
  }
}

/** `step` is one call to nodemailer, which reports a lost connection only in its events. */
export type SmtpSession = { smtp: SMTPConnection; step: (run: (done: Done) => void) => Promise<void> };
type Done = (error?: Error | null) => void;

/** Connects, greets with the sender's domain, and encrypts. For the server and the doctor. */
export async function connectSmtp(
  { host, port, secure, requireTLS, tls, login }: SmtpAddress,
  mailFrom: MailBox,
  { connect, reply }: typeof TIMEOUTS = TIMEOUTS,
  signal?: AbortSignal,
): Promise<SmtpSession> {
  const smtp = new SMTPConnection({
    ...{ host, port, secure, tls },
    name: domainOf(mailFrom.address),
    // A man in the middle can strip STARTTLS from the offer: no password in the clear. `?requireTLS=false` overrides this.
    requireTLS: requireTLS ?? (!secure && !isThisMachine(host) && (login !== undefined || port === 587)),
    greetingTimeout: reply,
    // A little longer, so that silence before the greeting is recognized as that.
    socketTimeout: 1.1 * reply,
  });
  const lost = new Promise<never>((_, reject) => {
    smtp.on('error', reject).on('end', () => {
      const code = signal?.aborted ? 'EABORT' : smtp.stage === 'init' ? 'ETIMEDOUT' : 'ECONNECTION';
      reject(Object.assign(new Error('The connection has ended'), { code, command: 'CONN' }));
    });
  });
  const step: SmtpSession['step'] = (run) => Promise.race([lost, promisify(run)()]);
  const close = () => smtp.close();
  const timer = setTimeout(() => smtp.stage === 'init' && close(), connect);
  signal?.addEventListener('abort', close);
  if (signal?.aborted) close();
  try {
    await step((done) => smtp.connect(done));
    return { smtp, step };
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

export async function logIn({ smtp, step }: SmtpSession, { login, authMethod }: SmtpAddress): Promise<void> {
  if (!login || !smtp.allowsAuth) return;
  const account = { user: login.user, pass: login.password, method: authMethod };
  await step((done) => smtp.login(account, done));
}

async function writeToFolder(mail: Mail, folder: string): Promise<void> {
  // Sorts by time, like an inbox, and contains no personal data.
  const time = new Date(mail.at).toISOString().replace(/[:.]/g, '-');
  makeFolder(folder);
  await replaceFile(join(folder, `${time}-${mail.id}.eml`), await compose(mail), 0o600);
}

/** Whether a message's mail became a file when it was `sentAt`, since no mail server was set then. */
export async function isMailFile(folder: string, id: string, sentAt: number): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  // A reminder's has a word between the two.
  const name = names.find((one) => one.endsWith(`Z-${id}.eml`));
  const file = name && (await stat(join(folder, name)).catch(() => undefined));
  // If it's much older, it's from an earlier try.
  return file ? sentAt - file.mtimeMs < MINUTE : false;
}

export function compose({ id: _, at, isAutomatic, ...mail }: Mail): Promise<Buffer> {
  const composer = new MailComposer({
    // Its addresses are objects: in a string, the name "x, other@example.com" would become a second recipient.
    ...mail,
    references: mail.inReplyTo,
    date: new Date(at),
    ...(isAutomatic && { headers: { 'Auto-Submitted': 'auto-generated' } }),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
