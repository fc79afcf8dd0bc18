import { expect } from '@playwright/test';
import { packages } from '../site/content/packages.ts';
import { test } from './site.ts';

const TABLE = [
  {
    stage: 1,
    title: 'The Foundation Blueprint',
    price: '$1,499 CAD',
    timeline: '4 weeks',
    effort: 'about 8 hours',
    features: ['Workflow mapping', 'Inventory tracking', 'Reorder and KPI dashboards', '1:1 coaching'],
    popular: false,
  },
  {
    stage: 2,
    title: 'The Optimization Blueprint',
    price: '$2,499 CAD',
    timeline: '8 weeks',
    effort: 'about 16 hours',
    features: ['Workflow redesign', 'Visual dashboards', 'Supplier and order logs', 'Weekly reviews'],
    popular: true,
  },
  {
    stage: 3,
    title: 'The Automation Blueprint',
    price: '$4,999 CAD',
    timeline: '16 weeks',
    effort: 'about 24 hours',
    features: [
      'Advanced re-engineering',
      'Automations',
      'Real-time leadership dashboards',
      'Priority support',
    ],
    popular: false,
  },
];

test.beforeEach(({ page }) => page.goto('/'));

test('three packages stand in the order of their stages', async ({ page }) => {
  const section = page.locator('#blueprint-journey');
  await expect(section.getByRole('heading', { level: 3 })).toHaveText(TABLE.map(({ title }) => title));
});

for (const { stage, title, price, timeline, effort, features, popular } of TABLE) {
  test(`stage ${stage} is ${title} at ${price}`, async ({ page }) => {
    const card = page.locator('#blueprint-journey').getByRole('article', { name: title });
    await expect(card).toContainText(`${stage} of 3`);
    await expect(card).toContainText(price);
    await expect(card.getByText(timeline, { exact: true })).toBeVisible();
    await expect(card.getByText(effort, { exact: true })).toBeVisible();
    await expect(card.getByRole('listitem')).toHaveText(features);
    await expect(card.getByText('Most popular')).toHaveCount(popular ? 1 : 0);
  });

  test(`stage ${stage} says what its price covers, what it is for and what comes out of it`, async ({
    page,
  }) => {
    const item = packages.items.find((entry) => entry.stage === stage);
    const card = page.getByRole('article', { name: title });
    await expect(card).toContainText(item?.priceCaption ?? 'missing');
    await expect(card).toContainText(item?.purpose ?? 'missing');
    await expect(card).toContainText(item?.outcome ?? 'missing');
    await expect(card).toHaveAttribute('data-delay', String(item?.delay));
  });
}

test('the popular package looks different from the others', async ({ page }) => {
  const backgrounds = await page
    .locator('#blueprint-journey')
    .getByRole('article')
    .evaluateAll((cards) => cards.map((card) => getComputedStyle(card).backgroundColor));
  expect(backgrounds[1]).not.toBe(backgrounds[0]);
  expect(backgrounds[2]).toBe(backgrounds[0]);
});

test('the packages are a one-time setup with no hidden fees', async ({ page }) => {
  await expect(page.locator('#blueprint-journey > header')).toContainText('one-time setup');
  await expect(page.locator('#blueprint-journey > header')).toContainText('no hidden fees');
});
