import type { MailBox } from '../settings/checks.ts';

/**
 * What a failed attempt means:
 *
 * - `retry`: try this message again later.
 * - `unreachable`: the mail server wasn't there, or broke off. Also tried again later, and at once when another mail
 *   shows that the server is back.
 * - `setup`: the mail server doesn't accept us, whatever the message. All are kept until somebody corrects the settings.
 * - `refused`: the mail server will never take this message to this recipient. It's set aside.
 */
export type FaultKind = 'retry' | 'unreachable' | 'setup' | 'refused';

/** `label` is what the database remembers, for instance `refused smtp-550`. */
export type MailFault = { kind: FaultKind; label: string };

/** A whole mail as plain data, whatever carries it. Every text in it is a string of one line, but the parts. */
export type Mail = {
  /** Names the mail's file; a mail of the same id and time takes its place. */
  id: string;
  from: MailBox;
  to: MailBox;
  replyTo?: MailBox;
  subject: string;
  /** With its angle brackets, as are the references. */
  messageId: string;
  /** Mails with a reference in common are shown together. */
  references?: string;
  /** Milliseconds since 1970. */
  at: number;
  text: string;
  html: string;
};

export type Mailer = {
  /** Resolves once the mail server, or the disk, has taken the mail. */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  /** Where mails go, for people; without credentials. */
  destination: string;
  close(): void;
};
