import { expect, type Page } from '@playwright/test';
import { MOVING, test } from '../visitor.ts';

test('a phone’s page is short, and a desktop’s drawings stand by their words', async ({ page, visitor }) => {
  const size = { width: 390, height: 664 };
  await page.setViewportSize(size);
  await visitor.open();
  await visitor.expectTypeface();
  const screensTo = async (part: string) =>
    ((await page.locator(part).boundingBox())?.y ?? Infinity) / size.height;
  expect(await screensTo('#blueprint-journey')).toBeLessThanOrEqual(5.7);
  expect(await screensTo('form')).toBeLessThanOrEqual(12);
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  expect(whole / size.height).toBeLessThanOrEqual(13.4);
  for (const width of [1024, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await expectLinesToProblems(page);
    await expectHeroClear(page);
  }
});

const boxesOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .filter({ visible: true })
    .evaluateAll((all) => all.map((one): DOMRect => one.getBoundingClientRect().toJSON()));

/** The plan's leader lines end at the middles of the bubbles. */
async function expectLinesToProblems(page: Page): Promise<void> {
  const [plan, ...bubbles] = await boxesOf(
    page,
    '[aria-labelledby="problems-heading"] :is(img:has(+ div), li img)',
  );
  if (!plan) throw new Error('there is no plan');
  expect(bubbles).toHaveLength(5);
  for (const [i, bubble] of bubbles.entries()) {
    // The lines are drawn to the plan's lower edge, in 1200 units across.
    const end = plan.left + ((110 + 245 * i) / 1200) * plan.width;
    expect(Math.abs(end - bubble.left - bubble.width / 2)).toBeLessThan(2);
    expect(Math.abs(plan.bottom - bubble.top)).toBeLessThan(2);
  }
}

/** No part of the drawing is over the lead. */
async function expectHeroClear(page: Page): Promise<void> {
  const [lead] = await boxesOf(page, '#hero-banner p.lead');
  const drawn = await boxesOf(page, '#hero-banner svg.hp > *');
  const isBeside = lead && drawn.every(({ left }) => left >= lead.right);
  const isBelow = lead && drawn.every(({ top }) => top >= lead.bottom);
  expect(drawn.length > 0 && (isBeside || isBelow)).toBe(true);
}

test('a sheet that has yet to slide in lies over no words, and leaves no hole', async ({ page, visitor }) => {
  await page.emulateMedia(MOVING);
  await visitor.open();
  for (const width of [320, 768, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    const sheets = await boxesOf(page, '#blueprint-journey article');
    const [lead] = await boxesOf(page, '#blueprint-journey .lead');
    const [next] = await boxesOf(page, '#promises-heading');
    const below = (next?.top ?? 0) - (sheets.at(-1)?.bottom ?? Infinity);
    expect(below, `at ${width} px`).toBeGreaterThan(12);
    expect((sheets[0]?.top ?? Infinity) - (lead?.bottom ?? 0), `at ${width} px`).toBeLessThan(60);
  }
});
