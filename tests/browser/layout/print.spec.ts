import { expect } from '@playwright/test';
import { brand } from '../../../site/content/business.ts';
import { packages } from '../../../site/content/packages.ts';
import { questions } from '../../../site/content/questions.ts';
import { currencyCode, price } from '../../../site/ui/words.ts';
import { test } from '../../support/site/browser-site.ts';
import { openPage } from '../visitor.ts';

test('the page prints as a proposal of three or four sheets, with one more for each package past three', async ({
  page,
}) => {
  await openPage(page);
  for (const format of ['Letter', 'A4'] as const) {
    const pdf = await page.pdf({ format });
    const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    expect(sheets, format).toBeGreaterThanOrEqual(3);
    expect(sheets, format).toBeLessThanOrEqual(4 + Math.max(0, packages.items.length - 3));
  }
});

test('on paper, prices, answers and the address are there, and nothing that needs a click', async ({
  page,
}) => {
  await openPage(page);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const item of packages.items) {
    await expect(page.getByRole('heading', { name: item.title })).toBeVisible();
    const cost = `${price(item.price)} ${currencyCode}`.trim();
    await expect(page.getByText(cost, { exact: true }).first()).toBeVisible();
  }
  for (const answer of await page.locator('details > p').all()) await expect(answer).toBeVisible();
  expect(await page.locator('details').count()).toBe(questions.items.length);
  await expect(page.locator('#lets-map-your-blueprint').getByText('hello@example.com')).toBeVisible();
  for (const hidden of ['[data-island] nav', 'form', '#hero-banner .button', '[data-island] button']) {
    await expect(page.locator(hidden).first(), hidden).toBeHidden();
  }
});

test('paper is white, whatever the theme of the screen', async ({ page }) => {
  await openPage(page);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const background = (selector: string) =>
    page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(await background('html')).toBe('rgb(255, 255, 255)');
  expect(await background('#blueprint-journey article:has(strong)')).toBe('rgb(255, 255, 255)');
  // Dark ink, too: each sheet's title on it
  const ink = await page.locator('h1').evaluate((element) => getComputedStyle(element).color);
  expect(ink).toBe('rgb(10, 26, 58)');
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

  test('all section headings have one size, and no box is split', async ({ page }) => {
    // As wide as a sheet of Letter between its margins
    await page.setViewportSize({ width: 703, height: 935 });
    await page.goto('/');
    await page.emulateMedia({ media: 'print' });
    const sizes = await page
      .locator('h2')
      .evaluateAll((headings) => headings.map((heading) => getComputedStyle(heading).fontSize));
    expect(new Set(sizes).size).toBe(1);
    const boxes = await page
      .locator('main > section :is(li, article)')
      .evaluateAll((all) =>
        all
          .map((box) => getComputedStyle(box))
          .map((style) =>
            ['top', 'right', 'bottom', 'left'].map((side) => style.getPropertyValue(`border-${side}-width`)),
          ),
      );
    expect(boxes.filter((sides) => new Set(sides).size > 1)).toEqual([]);
    expect(boxes.filter(([side]) => side !== '0px').length).toBeGreaterThan(10);
  });
});
