import { expect } from '@playwright/test';
import { packages } from '../site/content/packages.ts';
import { questions } from '../site/content/questions.ts';
import { test } from './site.ts';
import { openPage } from './visitor.ts';

test('the page prints as a proposal of three or four sheets', async ({ page }) => {
  await openPage(page);
  for (const format of ['Letter', 'A4'] as const) {
    const pdf = await page.pdf({ format });
    const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    expect(sheets, format).toBeGreaterThanOrEqual(3);
    expect(sheets, format).toBeLessThanOrEqual(4);
  }
});

test('on paper prices, answers and the address are there, and what needs a click is not', async ({
  page,
}) => {
  await openPage(page);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const { title } of packages.items) {
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
  }
  await expect(page.getByText('$2,499 CAD', { exact: true })).toBeVisible();
  for (const answer of await page.locator('details > p').all()) await expect(answer).toBeVisible();
  expect(await page.locator('details').count()).toBe(questions.items.length);
  await expect(page.locator('#lets-map-your-blueprint').getByText('hello@example.com')).toBeVisible();
  for (const hidden of ['header[data-scrolled]', 'form', '#hero-banner .button', '[data-island] button']) {
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
