import type { NodemailerError } from 'nodemailer';

/** Replaces the command in an error after which nobody knows whether the mail was taken. */
export const FINAL_DOT = 'FINAL DOT';

/** What a failed attempt means, and how the owner reads it. */
const WORDS = {
  retry: 'the mail server put it off',
  /** It was down, or dropped the connection. Tried again later, or as soon as another mail shows that it's back. */
  unreachable: 'the mail server can’t be reached, or isn’t taking mail right now',
  /** It gave no answer, perhaps to this mail alone. Tried again later, apart from the others. */
  slow: 'the mail server gave no answer',
  /** It got the whole mail and said neither yes nor no. Tried again under the same Message-ID, apart from the others. */
  unsure: 'the mail server gave no answer at the end, so it may have arrived',
  /** It doesn't accept us, whatever the message. All messages wait until someone fixes the settings. */
  setup: 'the mail server refuses our login or sender',
  /** The state of the owner's mailbox: full, or unknown. It may take any mail again later. */
  mailbox: 'the mail server refuses your address, or your mailbox is full',
  /** It will never take this content. */
  refused: 'the mail server refuses it',
};

export type FaultKind = keyof typeof WORDS;

export const OF_CERTIFICATES = /CERT|SIGN/;
export const OF_ENCRYPTION = /^ERR_SSL/;
/** Without a mail server, a mail is a file. nodemailer has its own codes for connections. */
const OF_FILES = /^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|EIO|ENOTDIR|EISDIR|EEXIST|EMFILE|ENFILE)$/;
const OF_CODES = [
  [OF_FILES, 'its file in MAIL_DIR could not be written'],
  [OF_CERTIFICATES, 'the mail server’s certificate isn’t valid'],
  [OF_ENCRYPTION, 'encryption with the mail server fails'],
  [/^ETLS$/, 'the mail server doesn’t start encryption'],
  [/^(smtp-535|EAUTH)$/, 'the mail server doesn’t accept the address or password'],
  [/^EDNS$/, 'the mail server’s name isn’t found'],
] as const;

/** From a label, as classifyMailError makes it. */
export function kindIn(label: string | null | undefined): FaultKind | undefined {
  const [kind = ''] = label?.split(' ') ?? [];
  return Object.hasOwn(WORDS, kind) ? (kind as FaultKind) : undefined;
}

/** A label in words for the owner. Some codes say it better than the kind. */
export function describeFault(label: string | null | undefined): string {
  const [, code = ''] = label?.split(' ') ?? [];
  const kind = kindIn(label);
  const known = kind ? WORDS[kind] : 'no reason is known';
  const [, words = known] = OF_CODES.find(([codes]) => codes.test(code)) ?? [];
  return code ? `${words} (${code.replace('smtp-', 'code ')})` : words;
}

/** `label` is what's stored in the database, such as `refused smtp-550`. */
export function classifyMailError(error: unknown): { kind: FaultKind; label: string } {
  const fault = (error instanceof Error ? error : {}) as Partial<NodemailerError>;
  const { code, originalCode = '', responseCode: reply } = fault;
  const kind = kindOf(fault);
  const said = reply && code !== 'ETLS' ? `smtp-${reply}` : typeof code === 'string' ? code : 'error';
  const isOfTls = OF_CERTIFICATES.test(originalCode) || OF_ENCRYPTION.test(originalCode);
  return { kind, label: `${kind} ${isOfTls ? originalCode : said}` };
}

/** Wrong or missing credentials, a mechanism that's too weak, authentication required. */
export const LOGIN_REPLIES = [530, 534, 535, 538];
/** No such address, or its mailbox is closed or full (RFC 3463), at whatever step. Gmail uses 552 5.7.0 for content. */
const MAILBOX = /^(552[ -](?!5\.(2\.3|3\.4|[67]\.))|5\d\d[ -]5\.(1\.[126]|2\.[12])\b)/;
// Postfix says it only at the recipient, and most others at the end. So do those who ask for SPF, DKIM or DMARC (RFC 7372,
// Gmail's 5.7.27 and 5.7.30, Outlook's 5.7.509 and 5.7.515).
const SENDER_REFUSED =
  /sender address rejected|SendAsDenied|permissions to send as|not (verified|authori[sz]ed|one of your)|verified sender|\b(DMARC|DKIM|SPF)\b|unauthenticated|^5\d\d[ -]5\.7\.(2[0-7]|30|509|515)\b/i;
/** More than the account may send for now. Gmail, Microsoft and GoDaddy make it sound permanent. */
const PAST_LIMIT = /\b(sending|daily|hour(ly)?|relay) (limit|quota)\b/i;
/** Before it has seen a word: it objects to who connects, from where, or to relaying at all. */
const CLIENT_REFUSED = /^5\d\d[ -]5\.7\.|\brelay|client host|\bblocked using\b|sender verify/i;

/** Goes by the reply, if there's one: nodemailer's own `code` only names the step, and may be temporary or permanent. */
function kindOf(fault: Partial<NodemailerError>): FaultKind {
  const { code = '', command = '', responseCode: reply, response = '', timeoutType } = fault;
  const isLogin = command.startsWith('AUTH') || /^(EAUTH|ENOAUTH|EOAUTH2)$/.test(code);
  if (!reply) {
    if (command === FINAL_DOT) return 'unsure';
    // EABORT: our own limit for the whole mail.
    if (code === 'EABORT' || timeoutType === 'SOCKET_TIMEOUT') return 'slow';
    return isLogin ? 'setup' : 'unreachable';
  }
  const isConnecting = ['CONN', 'EHLO', 'HELO', 'STARTTLS'].includes(command);
  if (LOGIN_REPLIES.includes(reply)) return 'setup';
  // 503 (bad sequence) is about the session, not the message.
  // Some close the connection for what a mail says.
  if (reply === 421 && command !== 'DATA') return 'unreachable';
  if (reply < 500 || reply === 503) return isConnecting ? 'unreachable' : 'retry';
  if (isLogin) return 'setup';
  if (isConnecting) return 'unreachable';
  if (PAST_LIMIT.test(response)) return 'retry';
  // All mail has the same sender, so it's not about this message.
  if (SENDER_REFUSED.test(response)) return 'setup';
  if (MAILBOX.test(response)) return 'mailbox';
  if (command === 'RCPT TO') return CLIENT_REFUSED.test(response) ? 'setup' : 'mailbox';
  return command === 'MAIL FROM' ? 'setup' : 'refused';
}
