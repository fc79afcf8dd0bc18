import { packages } from '../content/packages.ts';

/** Puts values into the {places} of a sentence; an unknown place fails the build, naming it. */
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
export function either(parts: string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;
}

/** The packages' figures for sentences elsewhere on the page. */
export const figures = {
  from: `${dollars(Math.min(...packages.items.map(({ price }) => price)))} CAD`,
  prices: `${either(packages.items.map(({ price }) => dollars(price)))} CAD`,
  weeks: `${either(packages.items.map(({ timeline }) => String(timeline)))} weeks`,
  hours: `about ${either(packages.items.map(({ effort }) => String(effort)))} hours`,
};
