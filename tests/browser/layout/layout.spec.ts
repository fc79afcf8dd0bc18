import { expect, type Page } from '@playwright/test';
import { FIELD_NAMES } from '../../../contract/contact-message.ts';
import { test } from '../../support/site/browser-site.ts';
import { expectTypeface, holdBack, MOVING, openPage, watchShifts } from '../visitor.ts';

test('on a phone the packages and the form come early, no section or package has more than a screen, and the brand stands on one line; on a desktop what is drawn and what is said of it stand together', async ({
  page,
}) => {
  const size = { width: 390, height: 664 };
  await page.setViewportSize(size);
  await openPage(page);
  await expectTypeface(page);
  const screensTo = async (part: string) =>
    ((await page.locator(part).boundingBox())?.y ?? Infinity) / size.height;
  expect(await screensTo('#blueprint-journey')).toBeLessThanOrEqual(5.7);
  expect(await screensTo('form')).toBeLessThanOrEqual(12);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const parts = await page.locator('main > section, #blueprint-journey article').count();
  const furtherFields = FIELD_NAMES.length - 3;
  expect(height).toBeLessThanOrEqual((parts + 2) * size.height + furtherFields * 120);
  for (const width of [390, 320]) {
    await page.setViewportSize({ ...size, width });
    const brand = page.locator('header a[href="#hero-banner"]').first();
    const lines = await brand.evaluate(({ lastChild }) => {
      const range = document.createRange();
      range.selectNodeContents(lastChild as Text);
      return range.getClientRects().length;
    });
    expect(lines).toBe(1);
  }
  for (const width of [1024, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await expectLinesToProblems(page);
    await expectHeroClear(page);
  }
});

/** In the order of the source. */
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

test('a sheet that has yet to slide in lies over no words, and leaves no hole above itself', async ({
  page,
}) => {
  await page.emulateMedia(MOVING);
  await openPage(page);
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

test('nothing moves when the typeface replaces the system’s', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 800 });
  await page.emulateMedia(MOVING);
  const shifts = await watchShifts(page);
  const fonts = await holdBack(page, '**/*.woff2');
  await openPage(page);
  // Things may still move on a slow machine before the page is complete.
  const before = await shifts();
  fonts.release();
  await expectTypeface(page);
  const loaded = await page.evaluate(async () => {
    // A shift is reported after the frame that shows it.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    return [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family);
  });
  const moved = (await shifts()) - before;
  expect(loaded).toEqual(expect.arrayContaining(['Archivo', 'Archivo Fallback', 'Archivo Wide']));
  expect(moved).toBeLessThan(1e-9);
});
