import type { MailBox } from '../../settings/checks.ts';

/**
 * What a failed attempt means:
 *
 * - `retry`: try this message again later.
 * - `unreachable`: the mail server was down, or dropped the connection. Also tried again later, or as soon as another
 *   mail shows that the server is back.
 * - `slow`: it took the connection, and then gave no answer, perhaps to this mail alone. It's tried again later, apart from
 *   the others.
 * - `setup`: the mail server doesn't accept us, whatever the message. All messages wait until someone fixes the
 *   settings.
 * - `refused`: the mail server will never take this message for this recipient. It's set aside.
 */
export type FaultKind = 'retry' | 'unreachable' | 'slow' | 'setup' | 'refused';

/** `label` is what's stored in the database, such as `refused smtp-550`. */
export type MailFault = { kind: FaultKind; label: string };

/** A mail as plain data, however it's sent. Every string is a single line, except `text` and `html`. */
export type Mail = {
  /** For the file's name. */
  id: string;
  from: MailBox;
  to: MailBox;
  replyTo?: MailBox;
  subject: string;
  /** In angle brackets, like `references`. */
  messageId: string;
  /** Mail programs group threads by these two: one id, and one or more with spaces between. */
  inReplyTo?: string;
  references?: string;
  /** Milliseconds since 1970. */
  at: number;
  text: string;
  html: string;
};

export type Mailer = {
  /** Resolves once the mail server has accepted the mail, or it's on disk. */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  /** For people to read, so without credentials. */
  destination: string;
  close(): void;
};
