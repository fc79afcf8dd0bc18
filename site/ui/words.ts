import { business, replyHours, replyTime } from '../content/business.ts';
import { packages } from '../content/packages.ts';
import { site } from '../content/site.ts';
import type { FACTS, FIGURES, Plural } from './shape.ts';

/** The page's language, and English where Node doesn't know that one's rules. */
const LOCALES = [site.language, 'en'];

/** Content with its {places} filled in. Others stay, for whoever knows them. */
export function filled<Content>(
  content: Content,
  values: Readonly<Record<string, string | number>> = figures,
): Content {
  const shown = (value: string | number) => (typeof value === 'number' ? inDigits(value) : value);
  const inside = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value.replace(/\{(\w+)\}/g, (place, name) => shown(values[name] ?? place));
    if (Array.isArray(value)) return value.map(inside);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inside(inner)]));
  };
  return inside(content) as Content;
}

/** The page's typeface has no narrow space, which some languages have between digits. */
function inLetters(digits: string): string {
  return digits.replaceAll('\u202f', '\u00a0');
}

const inDigits = (number: number) => inLetters(number.toLocaleString(LOCALES));

/** The words that go with a number: "{weeks} week" with 1, "{weeks} weeks" with 4. */
export function wordsFor(number: number, words: Plural): string {
  return words[new Intl.PluralRules(LOCALES).select(number)] ?? words.other;
}

function inCurrency(currency: string, currencyDisplay: 'narrowSymbol' | 'name') {
  const style = { style: 'currency', currency, currencyDisplay, maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(LOCALES, style);
}

/** 1499 → "$1,499" */
export function price(amount: number): string {
  return inLetters(inCurrency(business.currency, 'narrowSymbol').format(amount));
}

/** What a currency is called beside an amount that many people pay: its sign, or its name as in "Canadian dollars". */
function called(currency: string, how: 'narrowSymbol' | 'name'): string | undefined {
  return inCurrency(currency, how)
    .formatToParts(1000)
    .find(({ type }) => type === 'currency')?.value;
}

const sign = called(business.currency, 'narrowSymbol');
/** Follows each price whose sign could mean another currency: "$1,499 CAD", but "€1,499". Otherwise empty. */
export const currencyCode = Intl.supportedValuesOf('currency').some(
  (other) => other !== business.currency && called(other, 'narrowSymbol') === sign,
)
  ? business.currency
  : '';
const withCode = (prices: string) => `${prices} ${currencyCode}`.trim();

/** ["a", "b", "c"] → "a, b or c" */
function either(parts: string[]): string {
  return new Intl.ListFormat(LOCALES, { type: 'disjunction' }).format(parts);
}

/** ["a", "b", "c"] → "a, b, c" */
export function list(parts: string[]): string {
  return new Intl.ListFormat(LOCALES, { type: 'unit', style: 'short' }).format(parts);
}

const { items } = packages;
/** Each once, lowest first, however she orders the packages. */
const each = (numbers: number[]) => [...new Set(numbers)].sort((one, other) => one - other);

export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

export const facts: Record<(typeof FACTS)[number], string> = {
  country: business.country,
  currency: business.currency,
  currencyName: called(business.currency, 'name') ?? business.currency,
  reply: filled(replyTime, { hours: replyHours }),
  Count: packages.counts[items.length - 2] ?? String(items.length),
};

/** [4, 8, 16] → "4, 8 or 16 weeks" */
function anyOf(unit: 'weeks' | 'hours', figure: 'timeline' | 'effort'): string {
  const numbers = each(items.map((item) => item[figure]));
  const words = wordsFor(numbers.at(-1) ?? 0, packages[figure]);
  // They stay with what they count, wherever a line ends.
  return filled(words, { [unit]: either(numbers.map(inDigits)) }).replaceAll(' ', '\u00a0');
}

/** Plus the packages' figures, for sentences outside packages.ts. */
export const figures: Record<(typeof FIGURES)[number], string> = {
  ...facts,
  from: withCode(price(Math.min(...items.map((item) => item.price)))),
  prices: withCode(either(each(items.map((item) => item.price)).map(price))),
  weeks: anyOf('weeks', 'timeline'),
  hours: anyOf('hours', 'effort'),
};
