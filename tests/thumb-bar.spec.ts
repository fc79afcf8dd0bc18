import { expect } from '@playwright/test';
import { test } from './site.ts';
import { openPage } from './visitor.ts';

for (const [width, height] of [
  [320, 568],
  [390, 664],
  [844, 390],
  [768, 1024],
] as const) {
  test(`at ${width}×${height} one call to action is in the window wherever the form is not`, async ({
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

/** Runs in the page: scrolls until the form takes over, and looks at what's in the window. */
async function faultsOfReach(): Promise<string[]> {
  const [header, hero, bar, contact] = [
    'header',
    '#hero-banner .button-signal',
    'main > p > a',
    '#lets-map-your-blueprint',
  ].map((selector) => {
    const found = document.querySelector(selector);
    if (!found) throw new Error(`nothing is ${selector}`);
    return () => found.getBoundingClientRect();
  }) as [() => DOMRect, () => DOMRect, () => DOMRect, () => DOMRect];
  const faults: string[] = [];
  for (let y = 0; contact().top > innerHeight / 2; y += y < 2 * innerHeight ? 16 : 96) {
    scrollTo({ top: y, behavior: 'instant' });
    await new Promise(requestAnimationFrame);
    const top = Math.max(0, header().bottom);
    /** As part of what a thumb needs */
    const shown = (box: DOMRect) =>
      Math.min(Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, top)), 44) / 44;
    const both = shown(hero()) + shown(bar());
    // While one leaves, the other comes.
    if (both < 0.7) faults.push(`at ${y} there is none`);
    if (both > 1.3) faults.push(`at ${y} there are two`);
    if (bar().bottom > contact().top + 1) faults.push(`at ${y} the bar covers the form`);
  }
  return faults;
}
