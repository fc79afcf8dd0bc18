import { expect, test, vi } from 'vitest';

type Packages = typeof import('../content/packages.ts').packages;

/** The figures of packages that aren't in order, in sentences, and a number, on a page in this language and currency. */
async function figuresIn(language: string, currency: string, change?: (packages: Packages) => void) {
  vi.resetModules();
  const [{ site }, { business }, { packages }] = await Promise.all([
    import('../content/site.ts'),
    import('../content/business.ts'),
    import('../content/packages.ts'),
  ]);
  site.language = language;
  business.currency = currency;
  const figures = [
    { price: 4999, timeline: 16, effort: 1200 },
    { price: 1499, timeline: 8, effort: 8 },
    { price: 2499, timeline: 16, effort: 16 },
  ];
  packages.items = packages.items.map((item, at) => ({ ...item, ...figures[at] }));
  change?.(packages);
  const { fill, filled } = await import('./words.ts');
  const sentences = filled('{from} | {prices} | {currencyName} | {weeks} | {hours} | {number}');
  // Where a line mustn't break, Intl has spaces of its own. The page's typeface has this one.
  return fill(sentences, { number: 1200 }).replaceAll('\u00a0', ' ');
}

test.each([
  [
    'en-CA',
    'CAD',
    '$1,499 CAD | $1,499, $2,499 or $4,999 CAD | Canadian dollars | 8 or 16 weeks | about 8, 16 or 1,200 hours |',
  ],
  ['en-US', 'USD', '$1,499 USD | $1,499, $2,499, or $4,999 USD | US dollars | 8 or 16 weeks |'],
  ['fr-CA', 'CAD', '1 499 $ CAD | 1 499 $, 2 499 $ ou 4 999 $ CAD | dollars canadiens |'],
  [
    'fr-FR',
    'EUR',
    '1 499 € | 1 499 €, 2 499 € ou 4 999 € | euros | 8 ou 16 weeks | about 8, 16 ou 1 200 hours | 1 200',
  ],
  // Its code only follows a sign that other currencies have too.
  ['en-GB', 'GBP', '£1,499 GBP |'],
  ['de-DE', 'EUR', '1.499 € |'],
  // Node doesn't know it.
  ['tlh', 'CAD', '$1,499 CAD |'],
])(
  'a page in %s has prices in %s, and lists in its language, of each figure once, the least first: %s',
  async (language, currency, start) => {
    expect((await figuresIn(language, currency)).slice(0, start.length)).toBe(start);
  },
);

test('a number takes the plural form of its language', async () => {
  const figures = await figuresIn('pl', 'PLN', (packages) => {
    packages.items = packages.items.slice(0, 2).map((item, at) => ({ ...item, timeline: at + 1 }));
    packages.timeline = { one: '{weeks} tydzień', few: '{weeks} tygodnie', other: '{weeks} tygodni' };
  });
  expect(figures).toContain('| 1 lub 2 tygodnie |');
});
