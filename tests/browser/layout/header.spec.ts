import { expect, type Page } from '@playwright/test';
import { test } from '../../support/site/browser-site.ts';
import { DESKTOP, MOVING, openPage, openStyledPage, scrollPage } from '../visitor.ts';

test.use(MOVING);

const LINKS = [
  ['Home', '#hero-banner'],
  ['How It Works', '#process-overview'],
  ['Services', '#service-pillars'],
  ['Packages', '#blueprint-journey'],
  ['About', '#about-founder'],
  ['Contact', '#lets-map-your-blueprint'],
] as const;

const linksIn = (page: Page) => page.getByRole('banner').getByRole('navigation').getByRole('link');

async function expectPlain(page: Page): Promise<void> {
  const header = page.getByRole('banner');
  // Where only styles decide, the animation starts with a filter that does nothing.
  await expect(header).toHaveCSS('backdrop-filter', /^(none|blur\(0px\) saturate\(1\))$/);
  await expect(header).toHaveCSS('background-color', /^rgb\(/);
  await expect(header).toHaveCSS('border-bottom-color', 'rgba(0, 0, 0, 0)');
}

async function expectTranslucent(page: Page): Promise<void> {
  const header = page.getByRole('banner');
  await expect(header).toHaveCSS('backdrop-filter', /blur\([1-9]\d*px\)/);
  await expect(header).toHaveCSS('background-color', /(\/|rgba\(.*,) 0\.\d+\)$/);
  await expect(header).not.toHaveCSS('border-bottom-color', /, 0\)$/);
  await expect(header).toHaveCSS('border-bottom-style', 'solid');
}

test('on a desktop six links and the call to action stay at the top of the window, without a menu button, and the section being read is marked', async ({
  page,
}) => {
  await page.setViewportSize(DESKTOP);
  await openPage(page, '/#service-pillars');
  await expectTranslucent(page);
  await expect(linksIn(page).and(page.locator('[aria-current]'))).toHaveText('Services');
  await expect(linksIn(page)).toHaveText(LINKS.map(([label]) => label));
  const targets = await linksIn(page).evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(targets).toEqual(LINKS.map(([, target]) => target));
  const header = page.getByRole('banner');
  await expect(header.getByRole('link', { name: 'Let’s Find & Fix My Bottlenecks' })).toHaveAttribute(
    'href',
    '#lets-map-your-blueprint',
  );
  await expect(header.getByRole('button')).toHaveCount(0);
  for (const y of [0, 1500]) {
    await scrollPage(page, y);
    expect((await header.boundingBox())?.y).toBe(0);
  }
});

for (const script of ['with', 'before'] as const) {
  test(`the header is plain at 20 px and translucent at 21 px, ${script} the page’s script`, async ({
    page,
    expectFault,
  }) => {
    expectFault(/ERR_FAILED/);
    if (script === 'before') await page.route('**/assets/islands-*.js', (route) => route.abort());
    await (script === 'before' ? openStyledPage : openPage)(page);
    await expectPlain(page);
    await scrollPage(page, 20);
    await expectPlain(page);
    await scrollPage(page, 21);
    await expectTranslucent(page);
    await scrollPage(page, 20);
    await expectPlain(page);
  });
}
