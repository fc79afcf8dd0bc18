import { createHash } from 'node:crypto';
import type { Promised } from '../../contract/promise.ts';
import { HOUR } from '../../contract/time.ts';
import type { Settings } from '../../settings/settings.ts';
import { describeTime } from '../messages/day.ts';
import { furtherFields } from '../messages/fields.ts';
import type { Message } from '../messages/message.ts';
import { doubtWords } from './address-words.ts';
import { escapeHtml } from './escape-html.ts';
import * as sheet from './layout.ts';
import type { Mail } from './mail.ts';
import { mailto, replySubject } from './mailto.ts';

/** What fits in a phone's inbox. */
const SUBJECT_NAME = 60;
const PREHEADER = 140;
/** Messages up to this length get larger type. */
const SHORT_MESSAGE = 160;

type Needed = Pick<Settings, 'mailFrom' | 'contactEmail' | 'siteUrl' | 'timeZone'>;

/**
 * Composed again for each attempt, so the result must always be the same. A reply may quote all of it to the visitor, so
 * nothing here is for the owner's eyes alone.
 */
export function composeNotification(message: Message, settings: Needed): Mail {
  return compose(message, settings);
}

/**
 * An answer to the notification, so mail programs show it beside that one. It repeats the message, so a reply to it
 * answers the visitor. Like the notification, it's the same at each attempt, and nothing in it is private.
 *
 * @param at when it's due, in milliseconds since 1970
 */
export function composeReminder(
  message: Message,
  { at, replyHours }: Promised & { at: number },
  settings: Needed,
): Mail {
  const { id, receivedAt } = message;
  const endsAt = describeTime(receivedAt + replyHours * HOUR, settings.timeZone);
  const first = compose(message, settings, `Not answered yet. The ${replyHours} hours are up on ${endsAt}.`);
  return {
    ...first,
    id: `reminder-${id}`,
    subject: `Re: ${first.subject}`,
    messageId: first.messageId.replace('<', '<reminder-'),
    inReplyTo: first.messageId,
    references: `${first.references} ${first.messageId}`,
    at,
  };
}

/** @param warning of a reminder, above the message */
function compose(message: Message, settings: Needed, warning?: string): Mail {
  const { id, name, email, receivedAt, messageId } = message;
  const { mailFrom, contactEmail, siteUrl, timeZone } = settings;
  const page = sheet.pageName(siteUrl);
  const received = describeTime(receivedAt, timeZone);
  const further = furtherFields(message).map(({ label, value }) => `${label}: ${value}`);
  const plainName = oneLine(name);
  const answer = mailto(email, { subject: replySubject(siteUrl) });
  const warnings = [warning, doubtWords(email)].filter((line) => line !== undefined);
  return {
    id,
    from: mailFrom,
    to: { name: '', address: contactEmail },
    replyTo: { name: plainName, address: email },
    // Includes the address, since some mail programs group by subject, and two people can share a name.
    subject: `New message from ${shorten(plainName, SUBJECT_NAME)} (${oneLine(email)})`,
    messageId,
    // Groups everything from one visitor.
    references: `<${visitor(email)}@${mailFrom.address.split('@')[1]}>`,
    at: receivedAt,
    // Mail programs leave out of a reply what's below the line of two dashes and a space.
    text: `${warnings.map((line) => `${line}\n\n`).join('')}${name} <${email}> wrote${siteUrl ? ` on ${page}` : ''}:
${further.map((line) => `${line}\n`).join('')}
${message.message}

-- 
To answer, reply to this mail: it goes to ${email}.
${warning ? 'If you’ve answered already, note it at your desk (npm run desk). Under Settings, you can switch reminders off.\n' : ''}Received on ${received} through ${page}.
`,
    html: sheet.mailHtml({
      preheader: warning ?? shorten(oneLine(message.message), PREHEADER),
      head: [warning ? 'Reminder' : 'New message', page],
      rows: [
        ...(warnings.length > 0 ? [sheet.row(sheet.warningHtml(warnings), [28, 0])] : []),
        sheet.row(whoHtml(name, email, answer) + further.map(furtherHtml).join(''), [28, 0]),
        sheet.row(messageHtml(message.message), [24, 0]),
        sheet.row(answer ? sheet.button(answer, 'Reply') : '', [28, 32]),
      ],
      titleBlock: [
        ['Received', sheet.timeHtml(received)],
        warning ? ['Answered already?', 'Note it at your desk.'] : ['Through', escapeHtml(page)],
      ],
    }),
  };
}

/**
 * What a stranger typed is shown as text, never as a link, except for the reply address, which has been checked and
 * percent-encoded.
 */
function whoHtml(name: string, email: string, answer: string | undefined): string {
  const address = escapeHtml(email);
  const link = answer
    ? `<a href="${escapeHtml(answer)}" ${sheet.textStyle('label', 'text-decoration:underline')}>${address}</a>`
    : address;
  return sheet.headingHtml(
    escapeHtml(name),
    link,
    name.length > 40 ? 'font-size:20px;line-height:27px' : undefined,
  );
}

function furtherHtml(line: string): string {
  const style = sheet.textStyle(
    'ink-quiet',
    `margin:4px 0 0;font-size:16px;line-height:24px;${sheet.BREAKING}`,
  );
  return `\n<p dir="auto" ${style}>${linesHtml(line)}</p>`;
}

function messageHtml(message: string): string {
  const size =
    message.length <= SHORT_MESSAGE ? 'font-size:20px;line-height:30px' : 'font-size:17px;line-height:27px';
  const style = sheet.textStyle('ink', `margin:0;${size};white-space:pre-wrap;${sheet.ANY_SCRIPT}`);
  return `<p dir="auto" ${style}>${linesHtml(message)}</p>`;
}

/** Uses `<br>`, since some mail programs don't know `pre-wrap`, which keeps the spaces within a line. */
function linesHtml(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}

function visitor(email: string): string {
  return `visitor-${createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 24)}`;
}

/**
 * For a header. Some mail programs also break lines at line and paragraph separators, which aren't control
 * characters. And `=?` starts an encoded word, which could hide a line break in a name.
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .trim();
}

/** Counts graphemes, so that no emoji or syllable is cut in half. */
export function shorten(text: string, max: number): string {
  let length = 0;
  for (const { index } of new Intl.Segmenter().segment(text)) {
    if (length === max) return `${text.slice(0, index).trimEnd()}…`;
    length += 1;
  }
  return text;
}
