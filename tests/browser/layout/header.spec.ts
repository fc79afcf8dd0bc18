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

test.describe('on a desktop', () => {
  test.use({ viewport: DESKTOP });

  test('six links and the call to action stay at the top of the window, without a menu button', async ({
    page,
  }) => {
    await openPage(page);
    await expect(linksIn(page)).toHaveText(LINKS.map(([label]) => label));
    const targets = await linksIn(page).evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(targets).toEqual(LINKS.map(([, target]) => target));

    const header = page.getByRole('banner');
    await expect(header.getByRole('link', { name: 'Let’s Find & Fix My Bottlenecks' })).toHaveAttribute(
      'href',
      '#lets-map-your-blueprint',
    );
    await expect(header.getByRole('button')).toHaveCount(0);

    expect((await header.boundingBox())?.y).toBe(0);
    await scrollPage(page, 1500);
    expect((await header.boundingBox())?.y).toBe(0);
  });

  test('the link to the section being read is marked', async ({ page }) => {
    await openPage(page, '/#service-pillars');
    await expect(linksIn(page).and(page.locator('[aria-current]'))).toHaveText('Services');
  });
});

test('the header is plain at 20 px and translucent at 21 px', async ({ page }) => {
  await openPage(page);
  await expectPlain(page);
  await scrollPage(page, 20);
  await expectPlain(page);
  await scrollPage(page, 21);
  await expectTranslucent(page);
  await scrollPage(page, 20);
  await expectPlain(page);
  await scrollPage(page, 400);
  await expectTranslucent(page);
  await scrollPage(page, 0);
  await expectPlain(page);
});

test('the header is translucent at once if the page opens further down', async ({ page }) => {
  await openPage(page, '/#blueprint-journey');
  await expectTranslucent(page);
  await page.reload();
  await expectTranslucent(page);
});

test('the header is right before the page’s script has arrived', async ({ page, expectFault }) => {
  expectFault(/ERR_FAILED/);
  await page.route('**/assets/islands-*.js', (route) => route.abort());
  await openStyledPage(page);
  await scrollPage(page, 20);
  await expectPlain(page);
  await scrollPage(page, 21);
  await expectTranslucent(page);
});
