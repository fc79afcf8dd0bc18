import { expect } from '@playwright/test';
import { brand } from '../../../site/content/business.ts';
import { packages } from '../../../site/content/packages.ts';
import { currencyCode, price } from '../../../site/ui/words.ts';
import { test } from '../../support/site/browser-site.ts';
import { openPage, openStyledPage, showPackages } from '../visitor.ts';

test('the page prints on three or four sheets, with five packages too', async ({ page }) => {
  await openStyledPage(page);
  for (const [count, format] of [
    [packages.items.length, 'Letter'],
    [5, 'A4'],
  ] as const) {
    await showPackages(page, count);
    const sheets = (await page.pdf({ format })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length;
    expect(sheets, `${count} on ${format}`).toBeGreaterThanOrEqual(3);
    expect(sheets, `${count} on ${format}`).toBeLessThanOrEqual(4);
  }
});

test('paper is white, whatever the theme, and has the page’s address, prices and answers, and nothing that needs a click', async ({
  page,
}) => {
  await openPage(page);
  await page.evaluate(() => {
    const link = document.createElement('link');
    Object.assign(link, { rel: 'canonical', href: 'https://www.rivera-ops.ca/' });
    document.head.append(link);
  });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const address = page.locator('[rel="canonical"]');
  await expect(address).toBeVisible();
  expect(await address.evaluate((link) => getComputedStyle(link, '::before').content)).toContain(
    'rivera-ops.ca',
  );
  for (const item of packages.items) {
    await expect(page.getByRole('heading', { name: item.title })).toBeVisible();
    const cost = `${price(item.price)} ${currencyCode}`.trim();
    await expect(page.getByText(cost, { exact: true }).first()).toBeVisible();
  }
  for (const answer of await page.locator('details > p').all()) await expect(answer).toBeVisible();
  await expect(page.locator('#lets-map-your-blueprint').getByText('hello@example.com')).toBeVisible();
  for (const hidden of ['[data-island] nav', 'form', '#hero-banner .button', '[data-island] button'])
    await expect(page.locator(hidden).first(), hidden).toBeHidden();
  for (const sheet of ['html', '#blueprint-journey article:has(strong)'])
    await expect(page.locator(sheet)).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(page.locator('h1')).toHaveCSS('color', 'rgb(10, 26, 58)');
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the first sheet has a letterhead: the name, how to write and where', async ({ page }) => {
    await page.goto('/');
    await page.emulateMedia({ media: 'print' });
    const headline = await page.locator('h1').boundingBox();
    const parts = [
      page.locator('header').getByText(brand.name),
      page.locator('footer').getByText('hello@example.com'),
      page.locator('footer').getByText('Based in Canada'),
    ];
    for (const part of parts) {
      await expect(part).toBeVisible();
      const box = await part.boundingBox();
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(headline?.y ?? 0);
    }
    await expect(page.getByRole('banner').getByText('Menu')).toBeHidden();
  });
});
