import { createHash } from 'node:crypto';
import { RFC_EMAIL_REGEX } from 'valibot';
import { addressDoubt } from '../../contract/address-doubt.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { HOUR } from '../../contract/time.ts';
import { lengthOfTopicLine } from '../../contract/topics.ts';
import { asciiAddress } from '../../settings/checks.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Unreported } from '../messages/queries.ts';
import { whyHeld } from '../messages/suspicion.ts';
import { type Message, shortId } from '../messages/table.ts';
import { describeDue, describeShortly, describeTime } from '../messages/time.ts';
import { describeFault } from './faults.ts';
import {
  button,
  drawSheet,
  entry,
  heading,
  type Link,
  type Marked,
  marked,
  type Part,
  quotation,
  sentence,
  warning,
} from './sheet.ts';
import type { Mail } from './transport.ts';

/** With more, it's a flood, and the desk has them all. */
export const MOST_LISTED = 50;
/** In graphemes: what fits in a phone's inbox, beside it, on a button, and on two lines. */
const LONGEST = { name: 60, preheader: 140, onButton: 30, firstWords: 120 };
/** Mail programs take links up to about 2,000 characters; Windows drops longer ones. */
const LONGEST_LINK = 1_900;

/** What the page said to the visitor. */
type Said = Pick<Sentences, 'replyHours' | 'topics' | 'spots'>;

type Needed = Pick<Settings, 'mailFrom' | 'contactEmail' | 'siteUrl' | 'timeZone' | 'desk'>;

/** What leads to the desk from a mail, if it can be reached from elsewhere. A reply may quote it, so it's no key. */
function deskLinks({ desk, siteUrl }: Needed, message?: Message): Link[] {
  if (!desk || !siteUrl?.startsWith('https:')) return [];
  const messages = `${siteUrl}/desk/messages`;
  if (!message) return [['Open', messages]];
  return [
    ['Open', `${messages}/${message.id}`],
    ['Mark as answered', `${messages}/${message.id}/answered`],
  ];
}

/** Of each mail there's one without a word of a visitor's, for a mail server that refuses the other for its words. */
export type Composed = Mail & {
  /** @param refusal the fault's label */
  withoutWords: (refusal: string) => Mail;
};

/**
 * A visitor's message, with their name as the sender's. Composed again for each attempt, so the result must always be the
 * same. A reply may quote all of it to the visitor, so nothing here is for the owner's eyes alone.
 */
export function composeNotification(message: Message, said: Said, settings: Needed): Composed {
  const { id, message_id: messageId, received_at: at } = message;
  const mail = { id, messageId, at, isAutomatic: false, ...fromVisitor(message, settings) };
  return withPlain({ ...mail, ...drawMessage(message, said, settings) }, 'A new message', message, settings);
}

/**
 * An answer to the notification, so mail programs show it beside that one. It repeats the message, so a reply to it
 * answers the visitor. Like the notification, it's the same at each attempt, and nothing in it is private.
 *
 * @param at when it's due, in milliseconds since 1970
 */
export function composeReminder(
  message: Message,
  { at, ...said }: Said & { at: number },
  settings: Needed,
): Composed {
  const { replyHours } = said;
  const first = fromVisitor(message, settings);
  const endsAt = message.received_at + replyHours * HOUR;
  const end = `${endsAt < at ? 'were' : 'are'} up on ${describeTime(endsAt, settings.timeZone)}`;
  const mail = {
    ...first,
    id: `reminder-${message.id}`,
    subject: `Re: ${first.subject}`,
    messageId: message.message_id.replace('<', '<reminder-'),
    inReplyTo: message.message_id,
    at,
    isAutomatic: true,
    ...drawMessage(message, said, settings, `Not answered yet. The ${replyHours} hours ${end}.`),
  };
  return withPlain(mail, 'A message is not answered yet', message, settings);
}

function fromVisitor({ name, email }: Message, settings: Needed) {
  const plainName = oneLine(name);
  // Some mail programs show an address in a name as the sender's.
  const shownName = shorten(plainName.replace(/[<>"@\\]+/g, ' ').trim(), LONGEST.name);
  return {
    from: { name: `${shownName} (website)`.trim(), address: settings.mailFrom.address },
    to: ownerOf(settings),
    replyTo: { name: plainName, address: email },
    // Includes the address, since some mail programs group by subject, and two people can share a name.
    subject: `New message from ${shorten(plainName, LONGEST.name)} (${oneLine(email)})`,
  };
}

/** @param notYet of a reminder, above the message */
function drawMessage(message: Message, said: Said, settings: Needed, notYet?: string) {
  const { name, email, received_at: receivedAt } = message;
  const { replyHours, topics } = said;
  const { about, words } = withoutTopics(message.message, said);
  const dueAt = receivedAt + replyHours * HOUR;
  const received = describeTime(receivedAt, settings.timeZone);
  const page = pageName(settings.siteUrl);
  const link = answerLink(message, settings);
  const shortLink = answerLink(message, settings, LONGEST_LINK / 2);
  const answer = `Answer ${shorten(oneLine(name), LONGEST.onButton)}`;
  return drawSheet({
    preheader: notYet ?? shorten(oneLine(words), LONGEST.preheader),
    head: [notYet ? 'Reminder' : 'New message', page],
    due: `Reply by ${describeDue(dueAt, receivedAt, settings.timeZone)}`,
    parts: [
      warning([notYet, doubtWords(email)].filter(Boolean).join('\n')),
      heading(name, [email], link),
      ...(about ? [marked(topics, about)] : []),
      quotation(words),
      // Several mail programs answer the owner, where the sender's address is hers.
      ...(link ? [{ ...button(answer, link), text: '' }] : []),
    ],
    plainLink: shortLink ? [answer, shortLink] : undefined,
    titleBlock: notYet
      ? [
          ['Received', received],
          ['If answered', 'Mark it as answered on your desk. Its settings can switch reminders off.'],
        ]
      : [['Received', `${received} through ${page}`]],
    links: deskLinks(settings, message),
  });
}

/** What was ticked, each with its number on the page's plan if it has one, and what was typed. */
function withoutTopics(message: string, { topics, spots }: Said): { about?: Marked[]; words: string } {
  const length = lengthOfTopicLine(topics, message);
  if (length === 0) return { words: message };
  const [line = ''] = message.split('\n', 1);
  // Where two have marked some, whose they are comes first, with a colon.
  const about = line.slice(line.indexOf(': ') + 2).split(/ \/ |; |(?<=:) /);
  const numbers = spots.split('\n');
  return {
    about: about.map((topic) => [topic, numbers.indexOf(topic) + 1]),
    words: message.slice(line.length).trimStart(),
  };
}

/** Without its words, a message's mail says that it came and where to read it. The same at each attempt, but for why. */
function withPlain(mail: Mail, title: string, message: Message, settings: Needed): Composed {
  const came = describeTime(message.received_at, settings.timeZone);
  const withoutWords = (refusal: string) =>
    asPlain(mail, settings, {
      subject: `${title}, without its words`,
      ...drawSheet({
        preheader: came,
        head: [title, pageName(settings.siteUrl)],
        parts: [
          heading(title, [
            `It came on ${came}.`,
            `Its words can’t be mailed to you: ${describeFault(refusal)}. It’s stored, and your desk has it: ${shortId(message.id)}.`,
          ]),
        ],
        titleBlock: [['Received', came]],
        links: deskLinks(settings, message),
      }),
    });
  return { ...mail, withoutWords };
}

/**
 * What the owner hasn't opened on her desk and should: suspected spam, what's set aside, and what's past its hours. At
 * least one.
 */
export function composeDaily(
  { ids, first, counts }: Unreported,
  now: number,
  { replyHours }: Pick<Said, 'replyHours'>,
  settings: Needed,
): Composed {
  const names = first.map(({ name }) => shorten(withoutLinks(name), LONGEST.name));
  const entries = first.map(({ received_at, email, message, ...row }, index) => [
    `${names[index]} <${email}>`,
    shorten(withoutLinks(message), LONGEST.firstWords),
    `${describeShortly(received_at, settings.timeZone)} – ${whyNamed(row, replyHours)}`,
  ]);
  const all = Object.values(counts).reduce((sum, count) => sum + count);
  const others = all - first.length;
  if (others > 0) entries.push([`… and ${number(others)} more.`]);
  const more = all === 1 ? '' : ` and ${number(all - 1)} more`;
  // The same for the same list, so that a mail program shows it once.
  const id = `daily-${createHash('sha256').update(ids.join()).digest('hex').slice(0, 16)}`;
  const counted = countWords(counts);
  const end =
    `You haven’t opened ${all === 1 ? 'it' : 'them'} on your desk. ${counts.spam > 0 ? 'If one isn’t spam, press “Not spam” there.' : ''}`.trim();
  const draw = (preheader: string, parts: readonly Part[]) =>
    drawSheet({
      preheader,
      head: ['On your desk', pageName(settings.siteUrl)],
      parts: [...parts, sentence(end)],
      titleBlock: [
        ['Sent', describeTime(now, settings.timeZone)],
        ['How often', 'Once a day at most, and each message once.'],
      ],
      links: deskLinks(settings),
    });
  const mail = {
    id,
    from: settings.mailFrom,
    to: ownerOf(settings),
    subject: `On your desk: ${shorten(names[0] ?? '', LONGEST.onButton)}${more}`,
    messageId: `<${id}@${settings.mailFrom.address.split('@').at(-1)}>`,
    at: now,
    isAutomatic: true,
    ...draw(names.join(', '), [heading(counted, []), ...entries.map(entry)]),
  };
  const withoutWords = (refusal: string) => {
    const lines = [`Nobody is named here: with their words, ${describeFault(refusal)}.`];
    const drawn = draw('Nobody is named here.', [heading(counted, lines)]);
    return asPlain(mail, settings, { subject: `On your desk: ${counted}`, ...drawn });
  };
  return { ...mail, withoutWords };
}

function whyNamed(
  { state, last_error, held_for }: Pick<Message, 'state' | 'last_error' | 'held_for'>,
  replyHours: number,
): string {
  if (state === 'spam') return `It’s held because ${whyHeld(held_for ?? '')}.`;
  if (state === 'sent') return `Not marked as answered, and the ${replyHours} hours are up.`;
  return last_error ? `Not mailed to you: ${describeFault(last_error)}.` : 'Not mailed to you yet.';
}

function countWords({ waiting, sent, set_aside: aside, spam }: Unreported['counts']): string {
  const counted = [
    [waiting + aside, 'not mailed to you'],
    [spam, 'held as spam'],
    [sent, 'not answered'],
  ] as const;
  const words = counted.flatMap(([count, what]) => (count > 0 ? [`${number(count)} ${what}`] : []));
  return new Intl.ListFormat('en-CA').format(words);
}

/** Under a Message-ID of its own, from the site, and with no header that names a visitor. */
function asPlain(
  { replyTo: _, inReplyTo: __, ...mail }: Mail,
  { mailFrom }: Needed,
  drawn: Pick<Mail, 'subject' | 'text' | 'html'>,
): Mail {
  const [id, messageId] = [`${mail.id}.plain`, mail.messageId.replace('@', '.plain@')];
  return { ...mail, id, messageId, from: mailFrom, ...drawn };
}

const ownerOf = ({ contactEmail }: Needed) => ({ name: '', address: asciiAddress(contactEmail) });

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
  { name, email, message, received_at }: Message,
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
  const body = `Hi ${name},\n\n\n\nOn ${describeTime(received_at, timeZone)}, ${name} wrote:\n${quote}`;
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
