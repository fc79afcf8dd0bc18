import { createHash } from 'node:crypto';
import { RFC_EMAIL_REGEX } from 'valibot';
import { addressDoubt } from '../../contract/address-doubt.ts';
import type { Promised } from '../../contract/promise.ts';
import { HOUR } from '../../contract/time.ts';
import { asciiAddress } from '../../settings/checks.ts';
import type { Settings } from '../../settings/settings.ts';
import { furtherFields } from '../messages/fields.ts';
import type { Unreported } from '../messages/queries.ts';
import { whyHeld } from '../messages/suspicion.ts';
import { type Message, shortId } from '../messages/table.ts';
import { describeShortly, describeTime } from '../messages/time.ts';
import { describeFault } from './faults.ts';
import { button, drawSheet, entry, heading, type Part, quotation, warning } from './sheet.ts';
import type { Mail } from './transport.ts';

/** With more, it's a flood, and the desk has them all. */
export const MOST_LISTED = 50;
/** In graphemes: what fits in a phone's inbox, beside it, on a button, and on two lines. */
const LONGEST = { name: 60, preheader: 140, onButton: 30, firstWords: 120 };
/** Mail programs take links up to about 2,000 characters; Windows drops longer ones. */
const LONGEST_LINK = 1_900;

type Needed = Pick<Settings, 'mailFrom' | 'contactEmail' | 'siteUrl' | 'timeZone' | 'desk'>;

/** What leads to the desk from a mail, if it can be reached from elsewhere. A reply may quote it, so it's no key. */
function deskLinks({ desk, siteUrl }: Needed, message?: Message): (readonly [words: string, href: string])[] {
  if (!desk || !siteUrl?.startsWith('https:')) return [];
  const messages = `${siteUrl}/desk/messages`;
  if (!message) return [['Open', messages]];
  return [
    ['Open', `${messages}/${message.id}`],
    ['Mark as answered', `${messages}/${message.id}/answered`],
  ];
}

/**
 * A visitor's message, with their name as the sender's. Composed again for each attempt, so the result must always be the
 * same. A reply may quote all of it to the visitor, so nothing here is for the owner's eyes alone.
 */
export function composeNotification(message: Message, settings: Needed): Mail {
  const { id, name, email, receivedAt, messageId } = message;
  const plainName = oneLine(name);
  // Some mail programs show an address in a name as the sender's.
  const shownName = shorten(plainName.replace(/[<>"@\\]+/g, ' ').trim(), LONGEST.name);
  return {
    id,
    from: { name: `${shownName} (website)`.trim(), address: settings.mailFrom.address },
    to: { name: '', address: asciiAddress(settings.contactEmail) },
    replyTo: { name: plainName, address: email },
    // Includes the address, since some mail programs group by subject, and two people can share a name.
    subject: `New message from ${shorten(plainName, LONGEST.name)} (${oneLine(email)})`,
    messageId,
    // Groups everything from one visitor.
    references: `<visitor-${hash(email.toLowerCase(), 24)}@${domainOf(settings)}>`,
    at: receivedAt,
    isAutomatic: false,
    ...drawMessage(message, settings),
  };
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
  const first = composeNotification(message, settings);
  const endsAt = describeTime(message.receivedAt + replyHours * HOUR, settings.timeZone);
  return {
    ...first,
    id: `reminder-${first.id}`,
    subject: `Re: ${first.subject}`,
    messageId: first.messageId.replace('<', '<reminder-'),
    inReplyTo: first.messageId,
    references: `${first.references} ${first.messageId}`,
    at,
    isAutomatic: true,
    ...drawMessage(message, settings, `Not answered yet. The ${replyHours} hours are up on ${endsAt}.`),
  };
}

/** @param notYet of a reminder, above the message */
function drawMessage(message: Message, settings: Needed, notYet?: string) {
  const { name, email, receivedAt, message: words } = message;
  const page = pageName(settings.siteUrl);
  const link = answerLink(message, settings);
  const answer = `Answer ${shorten(oneLine(name), LONGEST.onButton)}`;
  const warnings = [notYet, doubtWords(email)].filter((line) => line !== undefined);
  const more = furtherFields(message).map(({ label, value }) => `${label}: ${value}`);
  const who = `${name} <${email}> wrote${settings.siteUrl ? ` on ${page}` : ''}:`;
  return drawSheet({
    preheader: notYet ?? shorten(oneLine(words), LONGEST.preheader),
    head: [notYet ? 'Reminder' : 'New message', page],
    parts: [
      ...(warnings.length > 0 ? [warning(warnings)] : []),
      {
        html: heading(name, email, { href: link ?? '', more }),
        text: [who, ...more].join('\n'),
        padding: [28, 0],
      },
      { html: quotation(words), text: words, padding: [24, link ? 0 : 32] },
      ...(link ? [{ html: button(link, answer), text: '', padding: [28, 32] as [number, number] }] : []),
    ],
    titleBlock: [
      ['Received', describeTime(receivedAt, settings.timeZone)],
      notYet
        ? ['If answered', 'Mark it as answered on your desk. Its settings can switch reminders off.']
        : ['Through', page],
    ],
    // Several mail programs answer the owner, where the sender's address is hers.
    end: link && `${answer}: ${answerLink(message, settings, LONGEST_LINK / 2)}`,
    links: deskLinks(settings, message),
  });
}

/**
 * What the owner hasn't opened on her desk and should: suspected spam, what's set aside, and what's past its hours. At
 * least one.
 */
export function composeDaily(
  reported: Unreported,
  now: number,
  { replyHours }: Promised,
  settings: Needed,
): Mail {
  const { ids, first } = reported;
  const names = first.map(({ name }) => shorten(withoutLinks(name), LONGEST.name));
  const others = ids.length - first.length;
  const subject = `${shorten(names[0] ?? '', LONGEST.onButton)}${ids.length === 1 ? '' : ` and ${number(ids.length - 1)} more`}`;
  const entries = first.map((message, index) => {
    const name = names[index] ?? '';
    const words = shorten(withoutLinks(message.message), LONGEST.firstWords);
    const why = `${describeShortly(message.receivedAt, settings.timeZone)} – ${whyNamed(message, replyHours)}`;
    return {
      html: entry(name, [`<${message.email}>`, words], why),
      text: `${name} <${message.email}>\n  ${words}\n  ${why}`,
      padding: [16, 0] as [number, number],
    };
  });
  return drawDaily(reported, now, settings, {
    subject: `On your desk: ${subject}`,
    preheader: names.join(', '),
    parts: others > 0 ? [...entries, sentence(`… and ${number(others)} more.`)] : entries,
  });
}

/** The same without a word of a visitor's, for a mail server that refuses the other for its words. */
export const composePlainDaily = (
  reported: Unreported,
  now: number,
  settings: Needed,
  refusal: string,
): Mail =>
  asPlain(
    drawDaily(reported, now, settings, {
      subject: `On your desk: ${countWords(reported.counts)}`,
      preheader: 'Nobody is named here.',
      parts: [sentence(`Nobody is named here: with their words, ${describeFault(refusal)}.`)],
    }),
    settings,
  );

function whyNamed({ state, lastError, heldFor }: Message, replyHours: number): string {
  if (state === 'spam') return `It’s held because ${whyHeld(heldFor)}.`;
  if (state === 'sent') return `Not marked as answered, and the ${replyHours} hours are up.`;
  return `Not mailed to you: ${describeFault(lastError)}.`;
}

function countWords({ waiting, sent, set_aside: aside, spam }: Unreported['counts']): string {
  const counted = [
    [waiting + aside, 'could not be mailed to you'],
    [spam, spam === 1 ? 'looks like spam' : 'look like spam'],
    [sent, sent === 1 ? 'waits for your answer' : 'wait for your answer'],
  ] as const;
  const words = counted.flatMap(([count, what], index) => {
    if (count === 0) return [];
    const isFirst = counted.slice(0, index).every(([before]) => before === 0);
    return [`${number(count)}${isFirst ? (count === 1 ? ' message' : ' messages') : ''} ${what}`];
  });
  return new Intl.ListFormat('en-CA').format(words);
}

function drawDaily(
  { ids, counts }: Unreported,
  now: number,
  settings: Needed,
  { subject, preheader, parts }: { subject: string; preheader: string; parts: Part[] },
): Mail {
  // The same for the same list, so that a mail program shows it once.
  const id = `daily-${hash(ids.join(), 16)}`;
  const unopened = `You haven’t opened ${ids.length === 1 ? 'it' : 'them'} on your desk.`;
  const spam = counts.spam > 0 ? ' If one isn’t spam, press “Not spam”.' : '';
  return {
    id,
    from: settings.mailFrom,
    to: { name: '', address: asciiAddress(settings.contactEmail) },
    subject,
    messageId: `<${id}@${domainOf(settings)}>`,
    at: now,
    isAutomatic: true,
    ...drawSheet({
      preheader,
      head: ['On your desk', pageName(settings.siteUrl)],
      parts: [
        {
          html: heading(`${countWords(counts)}.`, unopened),
          text: `${countWords(counts)}. ${unopened}`,
          padding: [28, 12],
        },
        ...parts,
        sentence(`Open your desk to read and answer.${spam}`),
      ],
      titleBlock: [
        ['Sent', describeTime(now, settings.timeZone)],
        ['How often', 'Once a day at most, and each message once.'],
      ],
      links: deskLinks(settings),
    }),
  };
}

/**
 * In place of a mail whose words the mail server refuses: that the message came and where to read it, without a word of
 * the visitor's. The same at each attempt, but for the reason.
 *
 * @param refused the notification or the reminder
 * @param refusal the fault's label
 */
export function composePlain(refused: Mail, message: Message, refusal: string, settings: Needed): Mail {
  const title = refused.isAutomatic ? 'A message is not answered yet' : 'A new message';
  const { id, receivedAt } = message;
  const came = `It came on ${describeTime(receivedAt, settings.timeZone)}.`;
  const why = `Its words can’t be mailed to you: ${describeFault(refusal)}. It’s stored, and your desk has it: ${shortId(id)}.`;
  return asPlain(
    {
      ...refused,
      subject: `${title}, without its words`,
      ...drawSheet({
        preheader: came,
        head: [title, pageName(settings.siteUrl)],
        parts: [{ html: heading(title, came), text: `${title}. ${came}`, padding: [28, 0] }, sentence(why)],
        titleBlock: [
          ['Received', describeTime(receivedAt, settings.timeZone)],
          ['Through', pageName(settings.siteUrl)],
        ],
        links: deskLinks(settings, message),
      }),
    },
    settings,
  );
}

/** Under a Message-ID of its own, from the site, and with no header that names a visitor. */
const asPlain = (mail: Mail, { mailFrom }: Needed): Mail => {
  const { replyTo: _, inReplyTo: __, references: ___, ...rest } = mail;
  return {
    ...rest,
    id: `${mail.id}.plain`,
    from: mailFrom,
    messageId: mail.messageId.replace('@', '.plain@'),
  };
};

const sentence = (text: string): Part => ({ html: entry('', [text]), text, padding: [20, 28] });

const number = (count: number) => count.toLocaleString('en-CA');

/** For the owner, if an answer to this address may not arrive: a sentence. */
export function doubtWords(email: string): string | undefined {
  const doubt = addressDoubt(email);
  if (!doubt) return undefined;
  const why = doubt.better ? `perhaps ${doubt.better} was meant` : 'no mail gets there';
  return `Your answer may not arrive: the address ends in ${doubt.domain}, and ${why}.`;
}

/**
 * Opens a draft of the answer in a mail program, with the message quoted, cut short if need be. Undefined for an address
 * that the form wouldn't accept. Everything but letters, digits and dots is percent-encoded, so that no address or
 * message can add a second recipient.
 */
export function answerLink(
  { name, email, message, receivedAt }: Message,
  { siteUrl, timeZone }: Pick<Settings, 'siteUrl' | 'timeZone'>,
  longest = LONGEST_LINK,
): string | undefined {
  if (!RFC_EMAIL_REGEX.test(email)) return undefined;
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  // Browsers accept dots in places where mail needs quotes.
  const quoted = /^\.|\.\.|\.$/.test(local) ? `"${local}"` : local;
  const subject = siteUrl ? `Re: Your message on ${pageName(siteUrl)}` : 'Re: Your message';
  const quote = message.replace(/^/gm, '> ');
  const body = `Hi ${name},\n\n\n\nOn ${describeTime(receivedAt, timeZone)}, ${name} wrote:\n${quote}`;
  const end = encode(' […]');
  let link = `mailto:${encode(quoted)}@${encode(email.slice(at + 1))}?subject=${encode(subject)}&body=`;
  // RFC 6068 requires CRLF.
  for (const { segment } of new Intl.Segmenter().segment(body.replaceAll('\n', '\r\n'))) {
    const next = encode(segment);
    if (link.length + next.length > longest - end.length) return link + end;
    link += next;
  }
  return link;
}

export function pageName(siteUrl: string | undefined): string {
  return siteUrl?.replace(/^https?:\/\//, '') ?? 'your website';
}

const domainOf = ({ mailFrom }: Needed) => mailFrom.address.slice(mailFrom.address.lastIndexOf('@') + 1);

const hash = (text: string, length: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Mail programs make links of addresses, and nobody should follow these. */
const withoutLinks = (text: string) => oneLine(text.replace(/(?:[a-z]+:\/\/|www\.)\S+/giu, '[link]'));

/**
 * For a header. Some mail programs also break lines at line and paragraph separators, which aren't control
 * characters. And `=?` starts an encoded word, which could hide a line break in a name.
 */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.replaceAll('=?', '= ?').trim();
}

/** Counts graphemes, so that no emoji or syllable is cut in half. */
function shorten(text: string, max: number): string {
  let length = 0;
  for (const { index } of new Intl.Segmenter().segment(text)) {
    if (length === max) return `${text.slice(0, index).trimEnd()}…`;
    length += 1;
  }
  return text;
}
