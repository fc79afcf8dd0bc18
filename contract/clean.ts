import { FIELDS, type Field } from './contact-message.ts';

// Browsers from 2020 run all of contract/: no look-behind, no `replaceAll`, no `toWellFormed`.

/** These make a name look different from how it's written, e.g. in the owner's inbox. */
const OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/g;
const LINE_ENDS = /\r\n|[\n-\r\x85\u2028\u2029]/g;
const TABS_AND_LINE_ENDS = /\r\n|[\t-\r\x85\u2028\u2029]/g;
const OTHER_CONTROLS = /(?![\n\t])\p{Cc}/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
/** Signs that show nothing: what the standard calls ignorable by default, the empty pattern of Braille, and annotations. */
const NOTHING = /^[\s\p{DI}\u2800\uFFF9-\uFFFB]*$/u;

/** What somebody typed or pasted, as it's stored. What came along unseen is no reason to refuse it. */
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

/** What no accent can be taken from, as other keyboards write it. */
const LETTERS = { đ: 'd', ł: 'l', ø: 'o', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' };
const PLAIN: Record<string, string> = { ...LETTERS, '‘': "'", '’': "'", '“': '"', '”': '"' };

/** As people search: in any case, without accents, and whatever a keyboard makes of quotes and blanks. */
export const folded = (words: string) =>
  words
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036F\u064B-\u065F]/g, '')
    .replace(/[đłøßæœı‘’“”]/g, (sign) => PLAIN[sign] ?? sign)
    .replace(/\s+/g, ' ');

/** Nobody copies more with an address, and the patterns below take their time with very long texts. */
const LONGEST_COPIED = 2000;
/** But not the joiners that Persian and Indic domains may hold. */
const UNSEEN = /[\xA0\u202F]|(?![\u200C\u200D])\p{DI}/gu;
const STRAY_JOINERS = /(^|\p{ASCII}|[^\p{L}\p{M}])[\u200C\u200D]+/gu;
const NAMED = /^([^<>]*)<([^<>]*)>[^<>@]*$/;
const LINK = /^mailto:(?:\/\/)?([^?]*)/i;
/** By its form. Whether a browser would take it is checked after this. */
const ADDRESS = /^[^\s\p{Cc}"(),:;<>@[\\\]]+@[^\s\p{Cc}"(),:;<>@[\\\]]+$/u;

/** The one address in what was copied with it: a name, a link, quotes, the end of a sentence. Else the text as it is. */
function addressIn(text: string): string {
  if (text.length > LONGEST_COPIED) return text;
  const seen = asSeen(text);
  const [, name = '', inside = seen] = NAMED.exec(seen) ?? [];
  const bare = withoutMarks(inside);
  const link = LINK.exec(bare)?.[1];
  const address = link === undefined ? bare : withoutMarks(asSeen(decode(link)));
  // Mail programs write the address in place of a name they don't know.
  const isOnlyOne = !/\S@\S/.test(name) || withoutMarks(name).toLowerCase() === address.toLowerCase();
  return isOnlyOne && ADDRESS.test(address) ? address : text;
}

const asSeen = (text: string) =>
  text.replace(UNSEEN, '').normalize('NFKC').replace(STRAY_JOINERS, '$1').normalize('NFKC');

function withoutMarks(text: string): string {
  const start = text.replace(/[\s"'“”„‘’‚«»‹›()<>[\].,;:!?。、]+$/, '');
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
