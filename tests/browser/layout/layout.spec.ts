import { expect, type Page } from '@playwright/test';
import { MOVING, test } from '../visitor.ts';

const boxesOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .filter({ visible: true })
    .evaluateAll((all) => all.map((one): DOMRect => one.getBoundingClientRect().toJSON()));

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
  await visitor.eachSize(['1024×800', '1440×800'], async () => {
    const [plan, ...bubbles] = await boxesOf(
      page,
      '[aria-labelledby="problems-heading"] :is(img:has(+ div), li img)',
    );
    expect(bubbles).toHaveLength(5);
    for (const [i, { left, top, width: across }] of bubbles.entries()) {
      // The plan's leader lines are drawn to its lower edge, in 1200 units across, and end at the middles of the bubbles.
      const end = (plan?.left ?? 0) + ((110 + 245 * i) / 1200) * (plan?.width ?? 0);
      expect(Math.abs(end - left - across / 2)).toBeLessThan(2);
      expect(Math.abs((plan?.bottom ?? 0) - top)).toBeLessThan(2);
    }
    const [lead] = await boxesOf(page, '#hero-banner p.lead');
    const drawn = await boxesOf(page, '#hero-banner svg.hp > *');
    const isBeside = lead && drawn.every(({ left }) => left >= lead.right);
    const isBelow = lead && drawn.every(({ top }) => top >= lead.bottom);
    expect(drawn.length > 0 && (isBeside || isBelow), 'no part of the drawing is over the lead').toBe(true);
  });
});

test('a sheet that has yet to slide in covers no words, and leaves no hole', async ({ page, visitor }) => {
  await page.emulateMedia(MOVING);
  await visitor.open();
  await visitor.eachSize(['320×844', '768×844', '1440×844'], async () => {
    const sheets = await boxesOf(page, '#blueprint-journey article');
    const [lead] = await boxesOf(page, '#blueprint-journey .lead');
    const [next] = await boxesOf(page, '#promises-heading');
    const below = (next?.top ?? 0) - (sheets.at(-1)?.bottom ?? Infinity);
    expect(below).toBeGreaterThan(12);
    expect((sheets[0]?.top ?? Infinity) - (lead?.bottom ?? 0)).toBeLessThan(60);
  });
});
