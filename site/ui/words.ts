import { business, replyTime } from '../content/business.ts';
import { packages } from '../content/packages.ts';
import type { FACTS, FIGURES } from './shape.ts';

/** Fills in a sentence's {places}. An unknown one fails the build. */
export function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) {
      throw new Error(
        `Nothing to put into ${place} of “${sentence}”; known: {${Object.keys(values).join('}, {')}}`,
      );
    }
    return String(value);
  });
}

/** 1499 → "$1,499" */
export function dollars(price: number): string {
  return `$${price.toLocaleString('en-CA')}`;
}

/** ["a", "b", "c"] → "a, b or c" */
function either(parts: string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;
}

const { items } = packages;
const COUNTS = ['None', 'One', 'Two', 'Three', 'Four', 'Five'];

/** A list in Markdown. */
export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** What any sentence may hold. */
export const facts: Record<(typeof FACTS)[number], string> = {
  country: business.country,
  currency: business.currency,
  reply: replyTime,
  Count: COUNTS[items.length] ?? String(items.length),
};

/** Plus the packages' figures, for sentences outside packages.ts. */
const figures: Record<(typeof FIGURES)[number], string> = {
  ...facts,
  from: `${dollars(Math.min(...items.map(({ price }) => price)))} ${business.currency}`,
  prices: `${either(items.map(({ price }) => dollars(price)))} ${business.currency}`,
  weeks: `${either(items.map(({ timeline }) => String(timeline)))} weeks`,
  hours: `about ${either(items.map(({ effort }) => String(effort)))} hours`,
};

/** Content with its {places} filled in. Unknown ones stay, for `fill`. */
export function filled<Content>(
  content: Content,
  values: Readonly<Record<string, string>> = figures,
): Content {
  const inside = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
    if (Array.isArray(value)) return value.map(inside);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inside(inner)]));
  };
  return inside(content) as Content;
}
