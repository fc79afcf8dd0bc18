import { createHash } from 'node:crypto';
import { FIELD_NAMES } from '../contract/contact.ts';
import { furtherFields } from '../messages/fields.ts';
import type { Message } from '../messages/message.ts';
import { shortId } from '../messages/short-id.ts';
import type { Settings } from '../settings/settings.ts';
import { describeTime } from './day.ts';
import { escapeHtml } from './escape-html.ts';
import { button, commandHtml, mailHtml, pageName, row, textStyle, timeHtml } from './layout.ts';
import type { Mail } from './mail.ts';
import { mailto } from './mailto.ts';

type NotificationSettings = Pick<Settings, 'mailFrom' | 'contactEmail' | 'siteUrl' | 'timeZone'>;

/** What a phone's list of mails shows of a subject, and of the line below it. */
const SUBJECT_NAME = 60;
const PREHEADER = 140;
/** A question of one line is not lost in the middle of a sheet; a long letter is not shouted. */
const SHORT_MESSAGE = 160;

/** The mail that tells the owner of one message. Made anew for each attempt, and the same each time. */
export function composeNotification(message: Message, settings: NotificationSettings): Mail {
  const { id, name, email, receivedAt } = message;
  for (const text of [...FIELD_NAMES.map((field) => message[field] ?? ''), message.messageId]) {
    if (typeof text !== 'string') throw new TypeError('A stored message holds something other than text');
  }
  const plainName = oneLine(name);
  const facts: Facts = {
    ...message,
    further: furtherFields(message),
    page: pageName(settings.siteUrl),
    received: describeTime(receivedAt, settings.timeZone),
    command: `npm run desk show ${shortId(id)}`,
  };
  return {
    id,
    from: settings.mailFrom,
    to: { name: '', address: settings.contactEmail },
    replyTo: { name: plainName, address: email },
    // The address tells two people of one name apart, for mail programs that group by the subject.
    subject: `New message from ${shorten(plainName, SUBJECT_NAME)} (${oneLine(email)})`,
    messageId: message.messageId,
    // The others group by this: everything that one visitor has written stands together.
    references: `<${visitor(email)}@${settings.mailFrom.address.split('@')[1]}>`,
    at: receivedAt,
    text: textPart(facts),
    html: htmlPart(facts),
  };
}

type Facts = Message & {
  further: { label: string; value: string }[];
  page: string;
  received: string;
  command: string;
};

function textPart({ name, email, message, further, page, received, command }: Facts): string {
  return `${name} <${email}> wrote on ${page}:
${further.map(({ label, value }) => `${label}: ${value}\n`).join('')}
${message}

--
To answer, reply to this mail: it goes to ${email}.
Received on ${received} through ${page}.
Read it at the desk: ${command}
`;
}

/**
 * What a stranger typed is text and never a link. The one exception is the address to answer to, which has been
 * checked and is written percent-encoded; what the links show is that address, or our own word.
 */
function htmlPart({ name, email, message, further, page, received, command }: Facts): string {
  const answer = mailto(email, { subject: `Your message on ${page}` });
  const size =
    message.length <= SHORT_MESSAGE ? 'font-size:20px;line-height:30px' : 'font-size:17px;line-height:27px';
  const nameSize = name.length <= 40 ? 'font-size:28px;line-height:34px' : 'font-size:20px;line-height:27px';
  const address = escapeHtml(email);
  return mailHtml({
    preheader: shorten(oneLine(message), PREHEADER),
    head: ['New message', page],
    rows: [
      row(
        `<h1 dir="auto" ${textStyle('ink', `margin:0;${nameSize};font-weight:800;letter-spacing:-.01em;${ANY_SCRIPT};${BREAKING}`)}>${escapeHtml(name)}</h1>
<p ${textStyle('ink-quiet', `margin:4px 0 0;font-size:16px;line-height:24px;${BREAKING}`)}>${
          answer
            ? `<a href="${escapeHtml(answer)}" ${textStyle('label', 'text-decoration:underline')}>${address}</a>`
            : address
        }</p>${further.map(furtherHtml).join('')}`,
        [28, 0],
      ),
      // A line end is <br> for mail programs that know no pre-wrap, which is for the blanks within a line.
      row(
        `<p dir="auto" ${textStyle('ink', `margin:0;${size};white-space:pre-wrap;${ANY_SCRIPT};${BREAKING}`)}>${escapeHtml(message).replaceAll('\n', '<br>')}</p>`,
        [24, 0],
      ),
      row(answer ? button(answer, 'Reply') : '', [28, 32]),
    ],
    titleBlock: [
      ['Received', `${timeHtml(received)}<br>through ${escapeHtml(page)}`],
      ['Read it at the desk', commandHtml(command)],
    ],
  });
}

function furtherHtml({ label, value }: Facts['further'][number]): string {
  const style = textStyle('ink-quiet', `margin:4px 0 0;font-size:16px;line-height:24px;${BREAKING}`);
  return `\n<p dir="auto" ${style}>${escapeHtml(label)}: ${escapeHtml(value).replaceAll('\n', '<br>')}</p>`;
}

const BREAKING = 'overflow-wrap:anywhere;word-break:break-word';
/** Each line from its own side: an Arabic line below an English one begins at the right. */
const ANY_SCRIPT = 'unicode-bidi:plaintext;text-align:start';

function visitor(email: string): string {
  return `visitor-${createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 24)}`;
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

/** At most so many characters as a reader counts them, so that no emoji or syllable is cut in two. */
function shorten(text: string, max: number): string {
  let length = 0;
  for (const { index } of new Intl.Segmenter().segment(text)) {
    if (length === max) return `${text.slice(0, index).trimEnd()}…`;
    length += 1;
  }
  return text;
}
