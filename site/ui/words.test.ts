import { expect, test, vi } from 'vitest';

/** The figures of packages that aren't in order, in sentences, and a number, on a page in this language and currency. */
async function figuresIn(language: string, currency: string) {
  vi.resetModules();
  const [{ site }, { business }, { packages }] = await Promise.all([
    import('../content/site.ts'),
    import('../content/business.ts'),
    import('../content/packages.ts'),
  ]);
  site.language = language;
  business.currency = currency;
  const figures = [
    { price: 4999, timeline: 3, effort: 1200 },
    { price: 1499, timeline: 2, effort: 8 },
    { price: 2499, timeline: 3, effort: 16 },
  ];
  packages.items = packages.items.map((item, at) => ({ ...item, ...figures[at] }));
  packages.timeline.few = '{weeks} tygodnie';
  const { filled } = await import('./words.ts');
  const sentences = filled('{from} | {prices} | {currencyName} | {weeks} | {hours} | {number}');
  // Intl has its own spaces where a line mustn't break. The page's typeface has this one.
  return filled(sentences, { number: 1200 }).replaceAll('\u00a0', ' ');
}

test.each([
  ['en-CA', 'CAD', '$1,499 CAD | $1,499, $2,499 or $4,999 CAD | Canadian dollars | 2 or 3 weeks |'],
  ['en-US', 'USD', '$1,499 USD | $1,499, $2,499, or $4,999 USD | US dollars | 2 or 3 weeks |'],
  ['fr-CA', 'CAD', '1 499 $ CAD | 1 499 $, 2 499 $ ou 4 999 $ CAD | dollars canadiens |'],
  [
    'fr-FR',
    'EUR',
    '1 499 € | 1 499 €, 2 499 € ou 4 999 € | euros | 2 ou 3 weeks | about 8, 16 ou 1 200 hours | 1 200',
  ],
  // Its code only follows a sign that other currencies have too.
  ['en-GB', 'GBP', '£1,499 GBP |'],
  ['de-DE', 'EUR', '1.499 € |'],
  ['pl', 'PLN', '1499 zł | 1499 zł, 2499 zł lub 4999 zł | złotych polskich | 2 lub 3 tygodnie |'],
  // Node doesn't know it.
  ['tlh', 'CAD', '$1,499 CAD |'],
])('in %s with %s, prices, lists and plurals are that language’s: %s', async (language, currency, start) => {
  expect((await figuresIn(language, currency)).slice(0, start.length)).toBe(start);
});
