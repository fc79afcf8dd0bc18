import { createHash } from 'node:crypto';
import { RFC_EMAIL_REGEX } from 'valibot';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { HOUR } from '../../contract/time.ts';
import { lengthOfTopicLine } from '../../contract/topics.ts';
import { asciiAddress, domainOf } from '../../settings/checks.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Unreported } from '../messages/queries.ts';
import { whyHeld } from '../messages/suspicion.ts';
import { type Message, promisedBy } from '../messages/table.ts';
import { describeDue, describeShortly, describeTime } from '../messages/time.ts';
import { describeFault } from './faults.ts';
import * as sheet from './sheet.ts';
import type { Mail } from './transport.ts';

/** With more, it's a flood, and the desk has them all. */
export const MOST_LISTED = 50;
/** In graphemes: what fits in a phone's inbox, in its preview, on a button, and on two lines. */
const LONGEST = { name: 60, preheader: 140, onButton: 24, firstWords: 120 };
/** Mail programs take links up to about 2,000 characters; Windows drops longer ones. */
const LONGEST_LINK = 1_900;

/** On her desk or, with a function, in Supabase's table editor. */
const MARKED_ELSEWHERE = 'Mark it as answered where you read your messages.';
const SWITCHED_OFF = 'The setting “Reminders” turns these emails off.';

export type Said = Pick<Sentences, 'topics' | 'spots' | 'language'>;

type Letter = Partial<Mail> & Pick<Mail, 'id' | 'subject' | 'at' | 'isAutomatic'>;

/** From her site itself, unless the letter says otherwise. */
export function mailToOwner(settings: Settings, letter: Letter, drawn: Omit<sheet.Sheet, 'page'>): Mail {
  const { mailFrom, contactEmail, siteUrl } = settings;
  return {
    from: mailFrom,
    to: { name: '', address: asciiAddress(contactEmail) },
    messageId: `<${letter.id}@${domainOf(mailFrom.address)}>`,
    ...letter,
    ...sheet.drawSheet({ page: pageName(siteUrl), ...drawn }),
  };
}

/** The desk's public address. With a Supabase project, a static host has the site's address. */
export const publicDesk = ({ siteUrl, supabaseUrl }: Settings): string | undefined =>
  siteUrl?.startsWith('https:') && !supabaseUrl ? `${siteUrl}/desk` : undefined;

/** The link to the desk in a mail, if it can be reached from elsewhere. A reply may quote it, so it's no key. */
function messagesLink(settings: Settings): string | undefined {
  const desk = settings.desk && publicDesk(settings);
  return desk ? `${desk}/messages` : undefined;
}

/**
 * A visitor's message, with their name as the sender's, or the reminder of it. A reply answers the visitor and may quote
 * all of it, so nothing here is for the owner's eyes alone. Composed again for each attempt, it's always the same, except
 * for whether its time is up.
 *
 * @param options `remindedAt` is when a reminder goes out; `refusal` is a fault's label: then none of the refused words is in it
 */
export function composeNotification(
  message: Message,
  said: Said,
  settings: Settings,
  { remindedAt, now, refusal }: { remindedAt?: number; now?: number; refusal?: string | undefined } = {},
): Mail {
  const { name, email, message_id: messageId, received_at: receivedAt } = message;
  const { mailFrom, siteUrl, timeZone } = settings;
  const before = remindedAt ? 'reminder-' : '';
  const after = refusal ? '.plain' : '';
  const letter = {
    id: before + message.id + after,
    messageId: messageId.replace('<', `<${before}`).replace('@', `${after}@`),
    at: remindedAt ?? receivedAt,
    isAutomatic: remindedAt !== undefined,
  };
  const received = describeTime(receivedAt, timeZone);
  const dueAt = promisedBy(message);
  const isPast = dueAt < (remindedAt ?? now ?? receivedAt);
  const header = {
    title: remindedAt === undefined ? 'New message' : isPast ? 'Late' : 'Reminder',
    due: `${isPast ? 'Was due' : 'Reply by'} ${describeDue(dueAt, receivedAt, timeZone)}`,
    isLate: isPast,
  };
  const messages = messagesLink(settings);
  const open = messages && `${messages}/${message.id}`;
  const marking = open && buttonBelow('Mark as answered', `${open}/answered`, undefined, 'quiet');
  if (refusal) {
    const arrived = open ? 'A new message is on your desk' : 'A new message has arrived';
    const subject = remindedAt ? 'A message is not marked as answered' : arrived;
    const lines = [
      `It comes without its words, because ${describeFault(refusal)}.`,
      ...(open ? [] : ['You’ll find it where you read your messages.']),
    ];
    const buttons = sheet.besides(open && buttonBelow('Open on my desk', open, 'Open'), marking);
    const parts = [sheet.heading(subject, lines), buttons];
    const titleBlock = { Received: received, ...(!open && { 'Stored as': message.id.slice(-8) }) };
    const drawn = { ...header, preheader: received, parts, titleBlock };
    return mailToOwner(settings, { ...letter, subject }, drawn);
  }
  const plainName = oneLine(name);
  // Some mail programs take an address in a name for the sender's.
  const shownName = shorten(plainName.replace(/[<>"@\\]+/g, ' ').trim(), LONGEST.name);
  // Includes the address, since some mail programs group by subject, and two people can share a name.
  const subject = `New message from ${shorten(plainName, LONGEST.name)} (${oneLine(email)})`;
  const fromVisitor = {
    ...letter,
    from: { name: `${shownName} (website)`.trim(), address: mailFrom.address },
    replyTo: { name: plainName, address: email },
    subject: remindedAt ? `Re: ${subject}` : subject,
    ...(remindedAt && { inReplyTo: messageId }),
  };
  const { about, words } = withoutTopics(message.message, said);
  const notYet = remindedAt ? `Not marked as answered${isPast ? '' : ' yet'}.` : '';
  const link = answerLink(message, settings, said);
  const answer = `Answer ${shorten(plainName, LONGEST.onButton)}`;
  return mailToOwner(settings, fromVisitor, {
    ...header,
    preheader: notYet || shorten(oneLine(words), LONGEST.preheader),
    parts: [
      sheet.heading(name, [email, ...(notYet ? [notYet] : [])], link),
      about && sheet.marked(said.topics, about),
      words && sheet.words(words, words.length <= 160 ? 20 : 18, 'white-space:pre-wrap'),
      // If the sender's address is the owner's, several mail programs answer her.
      sheet.besides(link && buttonBelow(answer, link, undefined, 'answer'), marking),
      open && buttonBelow('Open on my desk', open, 'Open', 'link'),
    ],
    titleBlock: notYet
      ? { Received: received, Reminders: open ? SWITCHED_OFF : `${MARKED_ELSEWHERE} ${SWITCHED_OFF}` }
      : { Received: `${received} through ${pageName(siteUrl)}` },
  });
}

/** Its address goes in the lines of the text that a reply leaves out. */
const buttonBelow = (words: string, href: string, said = words, weight?: sheet.Weight) => ({
  ...sheet.button(words, href, weight),
  text: '',
  below: `${said}: ${href}`,
});

/** What was ticked, each with its number on the page's plan if it has one, and what was typed. */
export function withoutTopics(message: string, { topics, spots }: Pick<Said, 'topics' | 'spots'>) {
  const length = lengthOfTopicLine(topics, message);
  if (length === 0) return { about: undefined, words: message };
  const [line = ''] = message.split('\n', 1);
  const titles = spots.split('\n');
  const spot = `(?:${titles.map((title) => title.replace(/\W/g, '\\$&')).join('|')})(?=$|; | / )`;
  // If two people marked some, whose they are comes first, with a colon. Her name for a spot may have such marks, too.
  const parts = new RegExp(`(?<=^|[;:/] )(${spot})|; | / (?=[^;]*: )|(?<=:) (?=${spot})`);
  const about = line.slice(line.indexOf(': ') + 2).split(parts);
  return {
    about: about.filter(Boolean).map((topic) => [topic, titles.indexOf(topic) + 1] as const),
    words: message.slice(line.length).trimStart(),
  };
}

/** What the owner hasn't opened on her desk and should, which is at least one. With a `refusal`, as above, it names nobody. */
export function composeDaily(
  { ids, first, counts }: Unreported,
  said: Said,
  now: number,
  settings: Settings,
  refusal?: string,
): Mail {
  const { timeZone } = settings;
  const link = messagesLink(settings);
  const names = first.map(({ name }) => shorten(withoutLinks(name), LONGEST.name));
  const whys = first.map(whyNamed);
  const entries = first.flatMap((message, index) => {
    const words = shorten(withoutLinks(withoutTopics(message.message, said).words), LONGEST.firstWords);
    const when = describeShortly(message.received_at, timeZone);
    const lines = [names[index] ?? '', `${message.email} · ${when}`, words];
    // Said once for all that share it
    const why = whys[index] === whys[index - 1] ? '' : whys[index];
    return [
      why && sheet.barred(why, message.state === 'sent'),
      sheet.entry(lines, !why, link && `${link}/${message.id}`),
    ];
  });
  const all = Object.values(counts).reduce((sum, count) => sum + count);
  const more = all === 1 ? '' : ` and ${number(all - 1)} more`;
  if (all > first.length) entries.push(sheet.entry([`… and ${number(all - first.length)} more.`]));
  const counted = countWords(counts);
  const unnamed = refusal && [`This email comes without names and words, because ${describeFault(refusal)}.`];
  const notSpam =
    counts.spam > 0 ? ` If ${all === 1 ? 'it' : 'one'} isn’t spam, press “Not spam” there.` : '';
  const title = settings.desk ? 'On your desk' : 'Messages to look at';
  const them = all === 1 ? 'it' : 'them';
  const where = settings.desk
    ? `You haven’t opened ${them} on your desk.${notSpam}`
    : `You’ll find ${them} where your messages are stored.`;
  // The same for the same list, so that a mail program shows it once.
  const listed = createHash('sha256').update(ids.join()).digest('hex').slice(0, 16);
  const letter = {
    id: `daily-${listed}${refusal ? '.plain' : ''}`,
    subject: `${title}: ${refusal ? counted : shorten(names[0] ?? '', LONGEST.onButton) + more}`,
    at: now,
    isAutomatic: true,
  };
  return mailToOwner(settings, letter, {
    preheader: refusal ? 'Names and words are left out.' : names.join(', '),
    title,
    parts: [
      ...(unnamed ? [sheet.heading(counted, unnamed)] : [sheet.heading(counted), ...entries]),
      sheet.words(where, 16, sheet.RULE),
      link && buttonBelow('Open my desk', link, 'Open'),
    ],
    titleBlock: {
      Sent: describeTime(now, timeZone),
      'How often': 'Once a day at most.',
    },
  });
}

function whyNamed({ state, last_error, held_for }: Message): string {
  if (state === 'spam') return `Held because ${whyHeld(held_for ?? '')}.`;
  if (state === 'sent') return 'Not marked as answered, and the time you promised is up.';
  return last_error ? `Not mailed to you: ${describeFault(last_error)}.` : 'Not mailed to you yet.';
}

function countWords({ waiting, sent, set_aside: aside, spam }: Unreported['counts']): string {
  const kinds = {
    'not mailed to you': waiting + aside,
    late: sent,
    'held as spam': spam,
  };
  const counted = Object.entries(kinds).filter(([, count]) => count > 0);
  return new Intl.ListFormat('en-CA').format(counted.map(([what, count]) => `${number(count)} ${what}`));
}

const number = (count: number) => count.toLocaleString('en-CA');

/** For the webhook, without a word of the message. */
export function arrivalWords(receivedAt: number, replyHours: number, settings: Settings): string {
  const due = describeTime(receivedAt + replyHours * HOUR, settings.timeZone);
  return `New message on ${pageName(settings.siteUrl)}. Answer by ${due}.`;
}

/** Opens a draft that quotes the message, cut short if need be. Undefined for an address that the form wouldn't accept. */
export function answerLink(
  { name, email, message, received_at }: Message,
  { siteUrl, timeZone }: Pick<Settings, 'siteUrl' | 'timeZone'>,
  { language }: Pick<Said, 'language'>,
): string | undefined {
  if (!RFC_EMAIL_REGEX.test(email)) return undefined;
  const [local = '', domain = ''] = email.split('@');
  const page = siteUrl && pageName(siteUrl);
  const quote = message.replace(/^/gm, '> ');
  // Nobody wrote in English on a page in another language.
  const [subject, hello, wrote] = language.startsWith('en')
    ? [
        page ? `Your message on ${page}` : 'Your message',
        'Hi ',
        `On ${describeTime(received_at, timeZone)}, ${name} wrote:\n`,
      ]
    : [page ?? name, '', ''];
  const body = `${hello}${name},\n\n\n\n${wrote}${quote}`;
  const end = encode(' […]');
  let link = `mailto:${encode(local)}@${encode(domain)}?subject=${encode(`Re: ${subject}`)}&body=`;
  // RFC 6068 requires CRLF.
  for (const { segment } of new Intl.Segmenter().segment(body.replaceAll('\n', '\r\n'))) {
    const next = encode(segment);
    if (link.length + next.length > LONGEST_LINK - end.length) return link + end;
    link += next;
  }
  return link;
}

export function pageName(siteUrl: string | undefined): string {
  return siteUrl?.replace(/^https?:\/\//, '') ?? 'your website';
}

/** So that no address or message can add a second recipient. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Mail programs turn addresses into links, and nobody should follow these. */
const withoutLinks = (text: string) => oneLine(text.replace(/(?:[a-z]+:\/\/|www\.)\S+/giu, '[link]'));

/** For a header. `=?` starts an encoded word, which could hide a line break in a name. */
function oneLine(text: string): string {
  // Some mail programs also break lines at line and paragraph separators, which aren't control characters.
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.replaceAll('=?', '= ?').trim();
}

/** Counts graphemes, so that no emoji or syllable is cut in half. */
function shorten(text: string, max: number): string {
  const cut = Iterator.from(new Intl.Segmenter().segment(text)).drop(max).next().value;
  return cut ? `${text.slice(0, cut.index).trimEnd()}…` : text;
}
