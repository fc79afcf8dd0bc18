import { expect } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { problems } from '../../../site/content/problems.ts';
import { DESKTOP, expectUncovered, followLink, MOVING, PHONE, test } from '../visitor.ts';

test('a link scrolls smoothly until its heading is in full view', async ({ page, visitor }) => {
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia(MOVING);
  await visitor.open();
  for (const [label, id, from] of [
    // The farthest first, before the page on the way there has ever been seen.
    ['Contact', 'lets-map-your-blueprint', 0],
    ['Home', 'hero-banner', 6000],
    ['Services', 'service-pillars', 0],
  ] as const) {
    await test.step(label, async () => {
      // A jump has one position. A busy machine shows few in between, or sometimes none.
      await expect(async () => {
        await visitor.scrollTo(from);
        const link = visitor.header.getByRole('link', { name: label, exact: true });
        const positions = await followLink(link);
        expect(positions.length, 'it passes the places in between').toBeGreaterThan(1);
      }).toPass();
      await expect(page).toHaveURL(`/#${id}`);
      await expectUncovered(page.locator(`#${id}`).locator('h1, h2'));
    });
  }
});

test('past half a window, the button to the top shows, and scrolls smoothly', async ({ page, visitor }) => {
  await page.emulateMedia(MOVING);
  await page.addInitScript(() => {
    const states: (string | null)[] = [];
    Object.assign(window, { states });
    new MutationObserver((changes) => {
      for (const { target } of changes) states.push((target as Element).getAttribute('data-shown'));
    }).observe(document, { subtree: true, attributeFilter: ['data-shown'] });
  });
  await visitor.open();
  const states = () => page.evaluate('[...new Set(states)]');
  await expect.poll(states, 'it never shows while the page comes').toEqual(['false']);
  // Half of an odd height isn't a whole pixel.
  for (const height of [PHONE.height, 701]) {
    await page.setViewportSize({ ...PHONE, height });
    await visitor.scrollTo(Math.floor(height / 2));
    await expect(visitor.toTop).toHaveCount(0);
    await visitor.scrollTo(Math.floor(height / 2) + 1);
    await expect(visitor.toTop).toBeVisible();
    await visitor.scrollTo(0);
    await expect(visitor.toTop).toHaveCount(0);
  }
  const link = page.locator('[data-island="scroll-to-top"] a');
  await link.evaluate((node: HTMLElement) => node.focus());
  await expect(link).not.toBeFocused();

  await page.setViewportSize(DESKTOP);
  await visitor.scrollTo(3000);
  await expect(visitor.toTop).toHaveCSS('position', 'fixed');
  const box = await visitor.toTop.boundingBox();
  expect(box?.x).toBeGreaterThan(DESKTOP.width * 0.9);
  expect(box?.y).toBeGreaterThan(DESKTOP.height * 0.85);
  await expectUncovered(visitor.toTop);
  const positions = await followLink(visitor.toTop);
  expect(positions.length).toBeGreaterThan(1);
  expect(positions.at(-1)).toBe(0);
  await expect(visitor.toTop).toHaveCount(0);
});

test('the header stays in every window but a magnified one', async ({ page, visitor }) => {
  await visitor.open();
  for (const [width, height, position] of [
    [844, 390, 'sticky'],
    [320, 256, 'static'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(visitor.header).toHaveCSS('position', position);
  }
});

test('before the form, one call to action is always in the window', async ({ page, visitor }) => {
  await visitor.open();
  await visitor.eachSize(['768×1024', '320×568'], async () =>
    expect(await page.evaluate(faultsOfReach)).toEqual([]),
  );
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
  await boxes.nth(1).uncheck();
  await says(problems.next);
  await page.setViewportSize(PHONE);
  const heights = [visitor.header, bar].map(async (part) => (await part.boundingBox())?.height);
  const [header = Infinity, below = Infinity] = await Promise.all(heights);
  expect(header + below, 'on a phone').toBeLessThanOrEqual(0.15 * 664);
  await boxes.nth(4).uncheck();
  await says(navigation.callToAction.label);
});

/** Runs in the page: scrolls until the form's section takes over, and looks at what's in the window. */
async function faultsOfReach(): Promise<string[]> {
  const box = (selector: string) => {
    const found = document.querySelector(selector);
    if (!found) throw new Error(`nothing is ${selector}`);
    return found.getBoundingClientRect();
  };
  const faults: string[] = [];
  for (let y = 0; ; y += y < innerHeight ? 16 : 200) {
    scrollTo({ top: y, behavior: 'instant' });
    await new Promise(requestAnimationFrame);
    const [bar, contact] = [box('main > p > a'), box('#lets-map-your-blueprint')];
    if (contact.top <= innerHeight / 2) break;
    const top = Math.max(0, box('header').bottom);
    /** As part of what a thumb needs */
    const shown = (one: DOMRect) =>
      Math.min(Math.max(0, Math.min(one.bottom, innerHeight) - Math.max(one.top, top)), 44) / 44;
    const both = shown(box('#hero-banner .button-signal')) + shown(bar);
    // While one leaves, the other comes.
    if (both < 0.7) faults.push(`at ${y} there is none`);
    if (both > 1.3) faults.push(`at ${y} there are two`);
    if (bar.bottom > contact.top + 1) faults.push(`at ${y} the bar covers the form's section`);
    const isSeen = document.querySelector('main > p > a')?.checkVisibility({ opacityProperty: true });
    if (isSeen && bar.bottom < innerHeight - 70) faults.push(`at ${y} the bar lies across the page`);
  }
  return faults;
}
