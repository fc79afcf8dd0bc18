import { expect, test, vi } from 'vitest';

type Packages = typeof import('../content/packages.ts').packages;

/** The figures of packages in sentences, on a page in this language and currency. */
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
    { price: 1499, timeline: 4, effort: 8 },
    { price: 2499, timeline: 8, effort: 16 },
    { price: 4999, timeline: 16, effort: 24 },
  ];
  packages.items = packages.items.map((item, at) => ({ ...item, ...figures[at] }));
  change?.(packages);
  const { filled } = await import('./words.ts');
  // Where a line mustn't break, Intl has spaces of its own.
  return filled('{from} | {prices} | {currencyName} | {weeks} | {hours}').replace(/\s/gu, ' ');
}

test.each([
  ['en-CA', 'CAD', '$1,499 CAD | $1,499, $2,499 or $4,999 CAD | Canadian dollars | 4, 8 or 16 weeks |'],
  ['en-US', 'USD', '$1,499 USD | $1,499, $2,499, or $4,999 USD | US dollars | 4, 8, or 16 weeks |'],
  ['fr-CA', 'CAD', '1 499 $ CAD | 1 499 $, 2 499 $ ou 4 999 $ CAD | dollars canadiens |'],
  // Its code only follows a sign that other currencies have too.
  ['en-GB', 'GBP', '£1,499 GBP |'],
  ['de-DE', 'EUR', '1.499 € |'],
  // Node doesn't know it.
  ['tlh', 'CAD', '$1,499 CAD |'],
])('a page in %s has prices in %s and lists in its language: %s', async (language, currency, start) => {
  expect((await figuresIn(language, currency)).slice(0, start.length)).toBe(start);
});

test('figures stand once each, the least first, however the packages are ordered', async () => {
  const figures = await figuresIn('en-CA', 'CAD', (packages) => {
    const items = packages.items.map((item) => ({ ...item, timeline: item.timeline === 4 ? 16 : 8 }));
    packages.items = items.reverse();
  });
  for (const each of ['$1,499, $2,499 or $4,999 CAD', '8 or 16 weeks', 'about 8, 16 or 24 hours'])
    expect(figures.split(' | ')).toContain(each);
});

test('no number contains a space that the page’s typeface lacks', async () => {
  const figures = await figuresIn('fr-FR', 'EUR', ({ items }) => {
    for (const item of items) item.effort = 1200;
  });
  expect(figures).toContain('1 499 €, 2 499 € ou 4 999 €');
  const { fill, price } = await import('./words.ts');
  expect([price(1499), fill('{n}', { n: 1200 })]).toEqual(['1\u00a0499\u00a0€', '1\u00a0200']);
});

test('a number takes the plural form of its language', async () => {
  const figures = await figuresIn('pl', 'PLN', (packages) => {
    packages.items = packages.items.slice(0, 2).map((item, at) => ({ ...item, timeline: at + 1 }));
    packages.timeline = { one: '{weeks} tydzień', few: '{weeks} tygodnie', other: '{weeks} tygodni' };
  });
  expect(figures).toContain('| 1 lub 2 tygodnie |');
});
