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

/** A mail as plain data, however it's sent. Each text is one line, except for `text` and `html`. */
export type Mail = {
  /** For the file's name. */
  id: string;
  from: MailBox;
  to: MailBox;
  replyTo?: MailBox;
  subject: string;
  /** In angle brackets, like `references`. */
  messageId: string;
  /** Mail programs group by this. */
  references?: string;
  /** Milliseconds since 1970. */
  at: number;
  text: string;
  html: string;
};

export type Mailer = {
  /** Resolves once the mail server has accepted the mail, or it's on disk. */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  /** For people, without credentials. */
  destination: string;
  close(): void;
};
