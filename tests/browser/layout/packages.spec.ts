import { expect } from '@playwright/test';
import { packages } from '../../../site/content/packages.ts';
import { currencyCode, facts, fill, filled, price, wordsFor } from '../../../site/ui/words.ts';
import { test } from '../../support/site/browser-site.ts';
import { openStyledPage, showPackages } from '../visitor.ts';

const words = filled(packages, facts);
const TABLE = words.items.map(({ title, timeline, effort, features, popular, ...item }, at) => ({
  stage: at + 1,
  title,
  price: `${price(item.price)} ${currencyCode}`,
  timeline: fill(wordsFor(timeline, words.timeline), { weeks: timeline }),
  effort: fill(wordsFor(effort, words.effort), { hours: effort }),
  features,
  popular,
}));

test('each package shows its words and figures', async ({ page }) => {
  await openStyledPage(page);
  await test.step('the packages are in the order of their stages', async () => {
    const section = page.locator('#blueprint-journey');
    await expect(section.getByRole('heading', { level: 3 })).toHaveText(TABLE.map(({ title }) => title));
  });

  for (const { stage, title, price, timeline, effort, features, popular } of TABLE) {
    await test.step(`stage ${stage} is ${title} at ${price}`, async () => {
      const card = page.locator('#blueprint-journey').getByRole('article', { name: title });
      await expect(card).toContainText(`${stage} of ${TABLE.length}`);
      await expect(card).toContainText(price);
      await expect(card.getByText(timeline, { exact: true })).toBeVisible();
      await expect(card.getByText(effort, { exact: true })).toBeVisible();
      await expect(card.getByRole('listitem')).toHaveText(features);
      await expect(card.getByText(words.popularLabel)).toHaveCount(popular ? 1 : 0);
      const item = packages.items[stage - 1];
      await expect(card).toContainText(item?.priceCaption ?? 'missing');
      await expect(card).toContainText(item?.purpose ?? 'missing');
      await expect(card).toContainText(item?.outcome ?? 'missing');
      await expect(card).toHaveAttribute('data-delay', String((stage - 1) * 100));
    });
  }

  await test.step('the popular package looks different from the others', async () => {
    const cards = page.locator('#blueprint-journey').getByRole('article');
    const backgrounds = await cards.evaluateAll((all) =>
      all.map((card) => getComputedStyle(card).backgroundColor),
    );
    const [popular] = backgrounds.splice(
      packages.items.findIndex(({ popular }) => popular),
      1,
    );
    expect(new Set(backgrounds).size).toBe(1);
    expect(backgrounds).not.toContain(popular);
  });

  await test.step('any number of them fits a phone', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    for (const count of [5, 2]) {
      await showPackages(page, count);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    }
  });
});
