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
const longest = Math.max(...packages.items.map(({ timeline }) => timeline));
const most = Math.max(...packages.items.map(({ effort }) => effort));

test.beforeEach(({ page }) => openStyledPage(page));

test('each package shows its words and figures', async ({ page }) => {
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
    });

    await test.step(`stage ${stage} says what its price covers, what it is for and what comes out of it`, async () => {
      const item = packages.items[stage - 1];
      const card = page.getByRole('article', { name: title });
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
    const of = (popular: boolean) =>
      new Set(backgrounds.filter((_, at) => packages.items[at]?.popular === popular));
    expect(of(true).size + of(false).size).toBe(new Set(backgrounds).size);
    expect(of(false).size).toBe(1);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    await test.step(`in ${colorScheme} colours the weeks and hours that a package doesn't take show at 3:1`, async () => {
      await page.emulateMedia({ colorScheme });
      const outlines = page.locator('#blueprint-journey article svg path:first-child');
      await expect(outlines).toHaveCount(2 * TABLE.length);
      const ratios = await outlines.evaluateAll((all) => {
        const luminance = (color: string) => {
          const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((value) => {
            const part = Number(value) / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        return all.map((outline) => {
          const { stroke } = getComputedStyle(outline);
          const { backgroundColor } = getComputedStyle(outline.closest('article') as Element);
          const [light = 0, dark = 0] = [stroke, backgroundColor].map(luminance).sort((a, b) => b - a);
          return (light + 0.05) / (dark + 0.05);
        });
      });
      expect(Math.min(...ratios)).toBeGreaterThanOrEqual(3);
    });
  }

  await test.step('weeks and hours are each drawn to the scale of the package that takes most', async () => {
    const drawn = page.locator('#blueprint-journey article svg');
    await expect(drawn).toHaveCount(2 * TABLE.length);
    const shares = await drawn.evaluateAll((all) =>
      all.map((scale) => {
        const [outline, spent] = [...scale.querySelectorAll('path')].map((path) => path.getBBox().width);
        return ((spent ?? 0) / (outline ?? 1)).toFixed(1);
      }),
    );
    const share = (part: number, of: number) => (part / of).toFixed(1);
    expect(shares).toEqual(
      packages.items.flatMap(({ timeline, effort }) => [share(timeline, longest), share(effort, most)]),
    );
  });
});

test('any number of packages fills the width of a phone', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const count of [3, 4, 5, 2]) {
    await showPackages(page, count);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  }
});
