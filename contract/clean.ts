import { FIELDS, type Field } from './contact-message.ts';

// Browsers from 2020 run all of contract/: no look-behind, no `replaceAll`, no `toWellFormed`.

/** These make a name look different from how it's written, e.g. in the owner's inbox. */
const OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/g;
const LINE_ENDS = /\r\n|[\n-\r\x85\u2028\u2029]/g;
const TABS_AND_LINE_ENDS = /\r\n|[\t-\r\x85\u2028\u2029]/g;
const OTHER_CONTROLS = /(?![\n\t])\p{Cc}/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
/** Characters that show nothing: what Unicode calls ignorable by default, the blank Braille pattern, and annotations. */
const NOTHING = /^[\s\p{DI}\u2800\uFFF9-\uFFFB]*$/u;

/** What somebody typed or pasted, as it's stored. Invisible characters in it are no reason to refuse it. */
export function clean(field: Field, typed: string): string {
  const { multiline, input } = FIELDS[field];
  // Before normalization: once such a character is gone, its neighbours may combine into one letter.
  const text = (multiline ? typed : typed.replace(OVERRIDES, ''))
    .replace(LONE_SURROGATES, '\uFFFD')
    .replace(multiline ? LINE_ENDS : TABS_AND_LINE_ENDS, multiline ? '\n' : ' ')
    .replace(OTHER_CONTROLS, '')
    .trim()
    .normalize('NFC');
  if (NOTHING.test(text)) return '';
  return input.type === 'email' ? addressIn(text) : text;
}

/** Letters whose accents can't be split off, as other keyboards type them. */
const LETTERS = { đ: 'd', ł: 'l', ø: 'o', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' };
const PLAIN: Record<string, string> = { ...LETTERS, '‘': "'", '’': "'", '“': '"', '”': '"' };

/** For searching: ignores case, accents, and the kind of quote or space. */
export const folded = (words: string) =>
  words
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036F\u064B-\u065F]/g, '')
    .replace(/[đłøßæœı‘’“”]/g, (sign) => PLAIN[sign] ?? sign)
    .replace(/\s+/g, ' ');

/** Nobody copies more than this with an address, and the patterns below are slow on very long texts. */
const LONGEST_COPIED = 2000;
/** Except the joiners that Persian and Indic domains may contain. */
const UNSEEN = /[\xA0\u202F]|(?![\u200C\u200D])\p{DI}/gu;
const STRAY_JOINERS = /(^|\p{ASCII}|[^\p{L}\p{M}])[\u200C\u200D]+/gu;
const NAMED = /^([^<>]*)<([^<>]*)>[^<>@]*$/;
const LINK = /^mailto:(?:\/\/)?([^?]*)/i;
/** Checks only its form. Whether a browser would take it is checked later. */
const ADDRESS = /^[^\s\p{Cc}"(),:;<>@[\\\]]+@[^\s\p{Cc}"(),:;<>@[\\\]]+$/u;

/** The one address, without what was copied along: a name, a link, quotes, a period. Otherwise the text as it is. */
function addressIn(text: string): string {
  if (text.length > LONGEST_COPIED) return text;
  const seen = asSeen(text);
  const [, name = '', inside = seen] = NAMED.exec(seen) ?? [];
  const bare = withoutMarks(inside);
  const link = LINK.exec(bare)?.[1];
  const address = link === undefined ? bare : withoutMarks(asSeen(decode(link)));
  // Mail programs repeat the address where they don't know the name.
  const isOnlyOne = !/\S@\S/.test(name) || withoutMarks(name).toLowerCase() === address.toLowerCase();
  return isOnlyOne && ADDRESS.test(address) ? address : text;
}

const asSeen = (text: string) =>
  text.replace(UNSEEN, '').normalize('NFKC').replace(STRAY_JOINERS, '$1').normalize('NFKC');

function withoutMarks(text: string): string {
  const start = text.replace(/[^\p{L}\p{M}\p{N}-]+$/u, '');
  // An address may begin with this quote, but none ends with it.
  const isQuoted = text.slice(start.length).includes("'");
  return start.replace(isQuoted ? /^[\s"'“”„‘’‚«»‹›(<[]+/ : /^[\s"“”„‘’‚«»‹›(<[]+/, '');
}

function decode(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}
