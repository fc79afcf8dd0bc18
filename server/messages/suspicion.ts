import { createHash } from 'node:crypto';
import type { ContactMessage } from '../../contract/contact-message.ts';

/** What's known of a message besides its words. */
export type Circumstances = {
  /** The field that people don't see was filled in. */
  trap?: boolean | undefined;
  /** How long the page had been open when the message was sent, in milliseconds. */
  openMs?: number | undefined;
  /** How many others sent the same text within the hour before. */
  others?: number | undefined;
  /** What it shares with messages that the owner called spam (known-spam.ts). */
  known?: readonly KnownSign[] | undefined;
};

/**
 * Nobody opens the page, goes to the form, has the browser fill in a name and an address, pastes a text and presses the
 * button within this time. Programs do.
 */
const FASTEST_PERSON_MS = 2_000;
/** Fewer may be one person with two devices and two addresses. */
const OTHERS = 3;
/** In letters. Two people may well write the same few words. */
const SHORTEST_COPY = 50;

const LINK = /(?:https?:\/\/|\bwww\.)[^\s<>"'\])]+/giu;
/** As forums write links. */
const CODED_LINK =
  /<a\s[^<>]{0,200}>[^<>]{0,100}<\/a>|\[(?:url|link)=[^[\]]{0,200}\][^[\]]{0,100}\[\/\w{3,4}\]/giu;
const LONGEST_HOST = 253;
const WORD = /\p{L}[\p{L}\p{M}]*/gu;
/** A word or two. */
const FEW_LETTERS = 12;

/** What a template calls its reader: `first_name`, `Company Name`, `contact.url`. */
const READER = String.raw` ?(?:[\w.]+[ _.-])?(?:(?:f|l|first|last|full)?_?name|company|business|website|site|domain|url|e-?mail|city|prénom|prenom|nom|nombre|vorname) ?`;
const BLANK = [
  String.raw`(?:\{\{|\$\{)${READER}(?:\|[^{}\n]{0,40})?\}`,
  String.raw`\{(?:\w+[ _]|f|l|first|last|full)name\}`,
  `%{1,2}${READER}%{1,2}`,
  String.raw`\[\[${READER}\]\]`,
  String.raw`\*\|${READER}\|\*`,
  `##${READER}##`,
].join('|');
/** `{Hi|Hello}`, and no formula or JSON. */
const CHOICE = String.raw`\{\p{L}[^{}|"=:;\d\n]{0,60}(?:\|[^{}|"=:;\d\n]{1,60})+\}`;
/** At the top, as in a greeting. Further down, it may be somebody's own template that doesn't work. */
const UNFILLED = new RegExp(
  String.raw`^(?:${CHOICE}|(?:\p{L}+[ ,.!]+){0,2}(?:${BLANK})[}\s]*(?:[,.!:–-]|\n|$))`,
  'iu',
);
const UNFILLED_NAME = new RegExp(`${BLANK}|${CHOICE}`, 'iu');
const CHOICES = new RegExp(CHOICE, 'giu');
/** A few may be lists of values. */
const MANY_CHOICES = 4;

/** Scripts whose words need no such characters: Persian, Hindi and emoji do. Soft hyphens come with pasted text. */
const LETTER = String.raw`[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]`;
const UNSEEN = String.raw`[\u034F\u180E\u200B-\u200D\u2060-\u2064\uFEFF]`;
const ALL_UNSEEN = new RegExp(UNSEEN, 'gu');
const BROKEN_WORD = new RegExp(`(?<!${LETTER})${LETTER}+(?:${UNSEEN}+${LETTER}+)+`, 'gu');

const CYRILLIC = /^\p{Script=Cyrillic}+$/u;
const LETTERS = /\p{L}+/gu;
const LATIN = /\p{Script=Latin}/u;
/** In small letters, those that pass for another alphabet's. */
const LIKE_LATIN = /^[асеорухіѕјкмтнвһαβεζηικμνορτυχ]+$/u;
const LIKE_CYRILLIC = /^[aceopxyikmthbsj]+$/u;
/** Of a message's words. A few may be quoted, pasted from a page, or typed on a keyboard with two alphabets. */
const PERVASIVE = 1 / 4;

type Tell = (message: ContactMessage, around: Circumstances) => boolean;

/** Each is enough to hold a message back. None looks at what a message is about. */
const SIGNS = {
  trap: { why: 'it fills in a field that people don’t see', holds: (_, { trap }) => trap === true },
  fast: {
    why: 'it was sent sooner after opening the page than a person can type',
    holds: (_, { openMs = Infinity }) => openMs < FASTEST_PERSON_MS,
  },
  copies: {
    why: 'several senders sent the same text within an hour',
    holds: (_, { others = 0 }) => others >= OTHERS,
  },
  template: {
    why: 'it’s a template that nobody filled in',
    holds: ({ name, message }) =>
      UNFILLED_NAME.test(name) || UNFILLED.test(message) || count(message, CHOICES) >= MANY_CHOICES,
  },
  hidden: {
    why: 'it hides its words with characters that nobody sees',
    holds: (message) => isPervasive(message, (text) => distinct(text, BROKEN_WORD).length),
  },
  alphabets: {
    why: 'it disguises its words with letters of other alphabets',
    holds: (message) =>
      isPervasive(message, (text) => {
        const found = distinct(text.toLowerCase(), LETTERS).map(switches);
        return found.filter((each) => each > 1).length;
      }),
  },
  mostlyLinks: { why: 'it says little besides its links', holds: isMostlyLinks },
} as const satisfies Record<string, { why: string; holds: Tell }>;

/** Shared with a message that the owner called spam: its text, its sender's address, the host of a link. */
export type KnownSign = 'text' | 'sender' | `link:${string}`;
export type Sign = keyof typeof SIGNS | KnownSign;

/** The signs of spam for which a message is held back; none if it isn't. Looks at nothing but its arguments. */
export function reasonsToHold(message: ContactMessage, around: Circumstances = {}): Sign[] {
  const signs = (Object.keys(SIGNS) as (keyof typeof SIGNS)[]).filter((sign) =>
    SIGNS[sign].holds(message, around),
  );
  return [...signs, ...(around.known ?? [])];
}

/** Why a message is held back, for the owner, after "because": `it fills in a field that people don’t see`. */
export function whyHeld(signs: readonly string[]): string {
  return new Intl.ListFormat('en-CA').format(new Set(signs.map(whyOf)));
}

function whyOf(sign: string): string {
  const like = (what: string) => `it has the same ${what} as a message that you called spam`;
  if (sign === 'text') return like('text');
  if (sign === 'sender') return like('sender');
  if (sign.startsWith('link:')) return like(`link (${sign.slice('link:'.length)})`);
  // Versions before this one judged words, and a newer one may know more signs.
  return Object.hasOwn(SIGNS, sign)
    ? SIGNS[sign as keyof typeof SIGNS].why
    : 'another version of this site took its words for spam';
}

/** The same for messages that differ only in names, links and numbers. Undefined if it's too short to say that. */
export function copyKey({ message }: Pick<ContactMessage, 'message'>): string | undefined {
  const said = message.normalize('NFKC').replace(LINK, ' ').toLowerCase().match(WORD)?.join(' ') ?? '';
  if (said.length < SHORTEST_COPY) return undefined;
  return `text ${createHash('sha256').update(said).digest('base64url')}`;
}

/** The hosts that it links to, without `www.`. Not those that many people share, such as google.com. */
export function linkedHosts({ message }: Pick<ContactMessage, 'message'>): string[] {
  const hosts = new Set(distinct(message, LINK).map(hostOf));
  return [...hosts].filter((host) => host.includes('.') && !isShared(host));
}

/** Empty if no DNS knows it. */
function hostOf(link: string): string {
  const [, name = ''] = /^(?:https?:\/\/)?(?:[^/?#]*@)?([\p{L}\p{M}\p{N}.-]+)/iu.exec(link) ?? [];
  const url = `https://${name}`;
  if (name.length > LONGEST_HOST || !URL.canParse(url)) return '';
  return new URL(url).hostname.replace(/^www\.|\.$/g, '');
}

/** What a small business may link to, or a newsletter that it pastes. */
const SHARED = new Set(
  `google youtube youtu.be goo.gl gmail gstatic googleusercontent appsheet linkedin lnkd.in facebook fb fb.me fb.com
  instagram whatsapp wa.me t.me telegram twitter x.com t.co tiktok pinterest reddit vimeo wikipedia medium substack
  apple icloud microsoft office live sharepoint onedrive 1drv.ms outlook amazon ebay etsy kijiji craigslist walmart alibaba
  dropbox box wetransfer docusign adobe canva figma miro loom notion notion.so airtable trello asana monday clickup slack
  zoom zoom.us calendly hubspot salesforce zoho odoo shopify myshopify wix wixsite squarespace weebly godaddy wordpress
  blogspot webflow github gitlab gitbook bitbucket stackoverflow quickbooks intuit xero stripe paypal square mailchimp
  list-manage campaign-archive constantcontact sendgrid bit.ly tinyurl ow.ly typeform jotform surveymonkey yelp trustpilot
  indeed upwork fiverr homestars yahoo bing notion.site chatgpt openai zapier sortly netsuite canada.ca gc.ca`.split(
    /\s+/,
  ),
);

/** The service itself, or anything under it, in any country: `docs.google.com`, `amazon.co.uk`. */
function isShared(host: string): boolean {
  const labels = host.split('.');
  return labels.some(
    (label, at) =>
      SHARED.has(labels.slice(at).join('.')) ||
      (SHARED.has(label) &&
        /^(?:com|net|org|ca|co\.[a-z]{2}|com\.[a-z]{2}|[a-z]{2})$/.test(labels.slice(at + 1).join('.'))),
  );
}

function isMostlyLinks({ message }: ContactMessage): boolean {
  const said = message.replace(CODED_LINK, ' ').replace(LINK, ' ').match(LETTERS)?.join('') ?? '';
  const isLinks = linkedHosts({ message }).length > 2 || count(message, CODED_LINK) > 0;
  return isLinks && said.length < FEW_LETTERS;
}

/** Whether so many of the words are disguised that it's no accident. */
function isPervasive({ name, message }: ContactMessage, countDisguised: (text: string) => number): boolean {
  const text = `${name}\n${message}`;
  const disguised = countDisguised(text);
  const words = distinct(text.replaceAll(ALL_UNSEEN, '').toLowerCase(), LETTERS).length;
  return disguised > 1 && disguised >= PERVASIVE * words;
}

/** How often a word changes between alphabets in disguise, up to twice: a slip of the keyboard changes it once. */
function switches(word: string): number {
  const letters = [...word];
  const isLatin = letters.map((letter) => LATIN.test(letter));
  const latin = letters.filter((_, at) => isLatin[at]).join('');
  const others = letters.filter((_, at) => !isLatin[at]).join('');
  // Shorter ones are names in formulas.
  if (letters.length < 3 || latin === '') return 0;
  const isDisguise = LIKE_LATIN.test(others) || (LIKE_CYRILLIC.test(latin) && CYRILLIC.test(others));
  return isDisguise ? Math.min(2, isLatin.filter((is, at) => at > 0 && is !== isLatin[at - 1]).length) : 0;
}

function distinct(text: string, pattern: RegExp): string[] {
  return [...new Set(text.match(pattern))];
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
