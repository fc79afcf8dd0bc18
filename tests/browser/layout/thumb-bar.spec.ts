import { expect } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { problems } from '../../../site/content/problems.ts';
import { test } from '../../support/site/browser-site.ts';
import { faultsOfReach } from '../reach.ts';
import { openPage } from '../visitor.ts';

for (const [width, height] of [
  [320, 568],
  [768, 1024],
] as const) {
  test(`at ${width}×${height} one call to action is in the window wherever the form, and the questions before it, are not`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height });
    await openPage(page);
    expect(await page.evaluate(faultsOfReach)).toEqual([]);
  });
}

test('header and bar together take at most 15 % of a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 664 });
  await openPage(page, '/#service-pillars');
  const header = await page.getByRole('banner').boundingBox();
  const bar = await page.locator('main > p > a').boundingBox();
  expect((header?.height ?? 664) + (bar?.height ?? 664)).toBeLessThanOrEqual(0.15 * 664);
});

test('it rests above the questions, and over none of them nor over the form', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openPage(page, '/#lets-map-your-blueprint');
  const bar = await page.locator('main > p > a').boundingBox();
  const questions = await page.locator('[aria-labelledby="questions-heading"]').boundingBox();
  expect((bar?.y ?? Infinity) + (bar?.height ?? 0)).toBeLessThanOrEqual((questions?.y ?? 0) + 1);
});

test('while problems are ticked, it offers to tell about them', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openPage(page);
  const bar = page.locator('main > p > a');
  const boxes = page.getByRole('checkbox');
  const says = async (label: string) => {
    await expect(bar).toHaveAccessibleName(label);
    await expect(bar).toHaveText(label, { useInnerText: true });
    await expect(bar).toHaveAttribute('href', `#${navigation.callToAction.id}`);
  };
  await says(navigation.callToAction.label);
  await boxes.nth(1).check();
  await boxes.nth(4).check();
  await says(problems.next);
  await boxes.nth(1).uncheck();
  await says(problems.next);
  await boxes.nth(4).uncheck();
  await says(navigation.callToAction.label);
});
