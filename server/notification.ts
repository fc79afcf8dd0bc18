import { escapeHtml } from './escape-html.ts';
import type { Mail } from './mail.ts';
import type { Settings } from './settings.ts';
import type { Claimed } from './store.ts';

/** The mail that tells the owner of one message. Made anew for each attempt, and the same each time. */
export function composeNotification(
  message: Claimed,
  { mailFrom, contactEmail }: Pick<Settings, 'mailFrom' | 'contactEmail'>,
): Mail {
  const { id, name, email, receivedAt } = message;
  for (const text of [name, email, message.message, message.messageId]) {
    if (typeof text !== 'string') throw new TypeError('A stored message holds something other than text');
  }
  const received = describeTime(receivedAt);
  const plainName = oneLine(name);
  return {
    id,
    from: mailFrom,
    to: { name: '', address: contactEmail },
    replyTo: { name: plainName, address: email },
    subject: `New message from ${plainName}`,
    messageId: message.messageId,
    at: receivedAt,
    text: textPart(message, received),
    html: htmlPart(message, received),
  };
}

function textPart({ name, email, message }: Claimed, received: string): string {
  return `${name} <${email}> wrote on your website:

${message}

--
Received ${received}.
Reply to this mail and your answer goes to ${name}.
`;
}

/** No address in it becomes a link: what a stranger typed must not be one click away. */
function htmlPart({ name, email, message }: Claimed, received: string): string {
  const paragraphs = message
    .split(/\n{2,}/)
    .map((lines) => `<p style="margin:0 0 16px">${escapeHtml(lines).replaceAll('\n', '<br>\n')}</p>`)
    .join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>New message</title>
</head>
<body style="margin:0;padding:24px 16px;font:17px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<div style="max-width:600px;margin:0 auto;overflow-wrap:anywhere">
<p style="margin:0 0 2px;font-size:20px;line-height:1.3"><strong>${escapeHtml(name)}</strong></p>
<p style="margin:0 0 24px">${escapeHtml(email)}</p>
<div dir="auto" style="border-left:3px solid #888888;padding:0 0 0 16px;margin:0 0 24px">
${paragraphs}
</div>
<p style="margin:0;font-size:14px">Received ${received}.<br>Reply to this mail and your answer goes to ${escapeHtml(name)}.</p>
</div>
</body>
</html>
`;
}

/**
 * For a header. Line and paragraph separators are no control characters, yet end a line for some mail
 * programs; and `=?` begins an encoded word, in which a name could hide a line end.
 */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .trim();
}

/** In UTC, since neither the owner's nor the server's time zone is known to be the other's. */
function describeTime(time: number): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(time)} UTC`;
}
