/** The header fields of a mail in Sent, as fetched. Addresses are without names. */
export type SentMail = {
  recipients: string[];
  /** Decoded. */
  subject: string;
  /** By the clock of her mail program, or the server's. Milliseconds since 1970. */
  at: number;
  /** The Message-IDs in In-Reply-To and References, without brackets. */
  answers: string[];
  /** Nobody wrote it: a note of absence, or a mail of ours. */
  isAutomatic: boolean;
};

/** The value of a header field that may come several times. Folded lines are one. */
export function field(headers: string, name: string): string {
  const unfolded = headers.replace(/\r?\n(?=[ \t])/g, '');
  const lines = unfolded.matchAll(new RegExp(`^${name}[ \\t]*:(.*)$`, 'gim'));
  return [...lines].map(([, value = '']) => value.trim()).join(' ');
}

/**
 * Every Message-ID in a header's value, without brackets. Some programs fold a line within the brackets, double them,
 * leave them away, or put quotation marks around what's before the @.
 */
export function messageIds(value: string): string[] {
  const bracketed: string[] = [];
  const rest = value.replace(/<([^<>]*)>/g, (_, id: string) => {
    bracketed.push(id.replace(/\s+/g, ''));
    return ' ';
  });
  return [...bracketed, ...rest.split(/[\s,;<>]+/)].map((id) => id.replaceAll('"', '')).filter(Boolean);
}

/**
 * How mail programs begin the subject of a reply. A forwarded mail names the one it forwards as well, so without the
 * visitor among its recipients, only these prove an answer. Finnish VS is left out: in Danish and Norwegian, it's
 * a forwarded mail.
 */
const REPLY =
  /^(?:re|aw|antw(?:ort)?|sv|svar|odp|rif|res|ref|ynt|vá|ats|atb|bls|r|rép(?:onse)?|回复|回覆|答复|返信|답장|отв|ответ|απ|σχετ)\s*(?:[[(]\d+[\])]|\^\d+)?\s*[:\uff1a]/iu;

type Asked = { messageId: string; email: string; receivedAt: number };

/**
 * Whether it names the message's mail, and is an answer. A forwarded one isn't, and neither is a reply to the
 * owner's own addresses alone, which never reached the visitor.
 */
export function isAnswerTo(mail: SentMail, message: Asked, own: readonly string[]): boolean {
  if (!includes(mail.answers, message.messageId.slice(1, -1))) return false;
  if (includes(mail.recipients, message.email)) return true;
  return REPLY.test(mail.subject.trim()) && mail.recipients.some((address) => !includes(own, address));
}

/** Whether it went to the one who wrote the message, after that came. */
export function isMailTo({ recipients, at }: SentMail, { email, receivedAt }: Asked): boolean {
  return at >= receivedAt && includes(recipients, email);
}

/** Ignoring case. */
function includes(texts: readonly string[], wanted: string): boolean {
  return texts.some((text) => text.toLowerCase() === wanted.toLowerCase());
}
