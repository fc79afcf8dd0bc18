import { expect, type Page } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { test } from '../../support/site/browser-site.ts';
import { DESKTOP, MOVING, openPage, openStyledPage, scrollPage } from '../visitor.ts';

test.use(MOVING);

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
  const links = await linksIn(page).evaluateAll((all) =>
    all.map((link) => [link.textContent, link.getAttribute('href')]),
  );
  expect(links).toEqual(navigation.links.map(({ label, id }) => [label, `#${id}`]));
  const header = page.getByRole('banner');
  const { label, id } = navigation.callToAction;
  await expect(header.getByRole('link', { name: label })).toHaveAttribute('href', `#${id}`);
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
