import { expect, test, vi } from 'vitest';

/** Price, weeks and hours of each package. */
const PACKAGES = [
  [1499, 4, 8],
  [2499, 8, 16],
  [4999, 16, 24],
] as const;

/** The figures of these packages in sentences, on a page in this language and currency. */
async function figuresIn(language: string, currency: string, change?: () => Promise<unknown>) {
  vi.resetModules();
  const [{ site }, { business }, { packages }] = await Promise.all([
    import('../content/site.ts'),
    import('../content/business.ts'),
    import('../content/packages.ts'),
  ]);
  site.language = language;
  business.currency = currency;
  const [item] = packages.items;
  if (item)
    packages.items = PACKAGES.map(([price, timeline, effort]) => ({ ...item, price, timeline, effort }));
  await change?.();
  const { filled } = await import('./words.ts');
  // Where a line mustn't break, Intl has spaces of its own.
  return filled(['{from}', '{prices}', '{currencyName}', '{weeks}', '{hours}']).map((text) =>
    text.replace(/\s/gu, ' '),
  );
}

test('prices and lists are in the page’s language and currency', async () => {
  expect(await figuresIn('en-CA', 'CAD')).toEqual([
    '$1,499 CAD',
    '$1,499, $2,499 or $4,999 CAD',
    'Canadian dollars',
    '4, 8 or 16 weeks',
    'about 8, 16 or 24 hours',
  ]);
  expect(await figuresIn('en-US', 'USD')).toEqual([
    '$1,499 USD',
    '$1,499, $2,499, or $4,999 USD',
    'US dollars',
    '4, 8, or 16 weeks',
    'about 8, 16, or 24 hours',
  ]);
  expect((await figuresIn('fr-CA', 'CAD')).slice(0, 3)).toEqual([
    '1 499 $ CAD',
    '1 499 $, 2 499 $ ou 4 999 $ CAD',
    'dollars canadiens',
  ]);
});

test('figures stand once each, the least first, however the packages are ordered', async () => {
  const figures = await figuresIn('en-CA', 'CAD', async () => {
    const { packages } = await import('../content/packages.ts');
    packages.items = packages.items
      .map((item) => ({ ...item, timeline: item.timeline === 4 ? 16 : 8 }))
      .reverse();
  });
  expect([figures[1], figures[3]]).toEqual(['$1,499, $2,499 or $4,999 CAD', '8 or 16 weeks']);
});

test('the currency’s code follows only a sign that others have too', async () => {
  expect((await figuresIn('de-DE', 'EUR'))[0]).toBe('1.499 €');
  expect((await figuresIn('de-CH', 'CHF'))[0]).toMatch(/^CHF 1.499$/);
  expect((await figuresIn('en-GB', 'GBP'))[0]).toBe('£1,499 GBP');
});

test('no number contains a space that the page’s typeface lacks', async () => {
  const figures = await figuresIn('fr-FR', 'EUR', async () => {
    const { packages } = await import('../content/packages.ts');
    for (const item of packages.items) item.effort = 1200;
  });
  expect(figures).toContain('1 499 €, 2 499 € ou 4 999 €');
  const { fill, price } = await import('./words.ts');
  expect([price(1499), fill('{n}', { n: 1200 })]).toEqual(['1\u00a0499\u00a0€', '1\u00a0200']);
});

test('a language that Node does not know gets the rules of English', async () => {
  expect((await figuresIn('tlh', 'CAD'))[0]).toBe('$1,499 CAD');
});

test('a number takes the plural form of its language', async () => {
  const figures = await figuresIn('pl', 'PLN', async () => {
    const { packages } = await import('../content/packages.ts');
    packages.items = packages.items.slice(0, 2).map((item, at) => ({ ...item, timeline: at + 1 }));
    packages.timeline = { one: '{weeks} tydzień', few: '{weeks} tygodnie', other: '{weeks} tygodni' };
  });
  expect(figures[3]).toBe('1 lub 2 tygodnie');
});
