import { expect, type Page } from '@playwright/test';
import { scrollToTop } from '../../../site/content/scroll-to-top.ts';
import { test } from '../../support/site/browser-site.ts';
import { DESKTOP, expectUncovered, followLink, MOVING, openPage, scrollPage } from '../visitor.ts';

test.use(MOVING);

const backToTop = (page: Page) => page.getByRole('link', { name: scrollToTop.label });

test('a link scrolls smoothly until its heading is in full view', async ({ page }) => {
  await page.setViewportSize(DESKTOP);
  await openPage(page);
  for (const [label, id, from] of [
    // The farthest first, while the page on the way there has never been seen.
    ['Contact', 'lets-map-your-blueprint', 0],
    ['Home', 'hero-banner', 6000],
    ['Services', 'service-pillars', 0],
  ] as const) {
    await test.step(label, async () => {
      // A jump has one place. A busy machine shows few between, or none once in a while.
      await expect(async () => {
        await scrollPage(page, from);
        const link = page.getByRole('banner').getByRole('link', { name: label, exact: true });
        const positions = await followLink(link);
        expect(positions.length, 'it passes the places in between').toBeGreaterThan(1);
      }).toPass();
      await expect(page).toHaveURL(`/#${id}`);
      await expectUncovered(page.locator(`#${id}`).locator('h1, h2'));
    });
  }
});

test.describe('for a visitor who wants less motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('a link jumps to its section, and so does the scroll-to-top button', async ({ page }) => {
    await openPage(page);
    const link = page.getByRole('banner').getByRole('link', { name: 'Packages' });
    expect(await followLink(link)).toHaveLength(1);
    await expectUncovered(page.locator('#blueprint-journey').locator('h2'));
    expect(await followLink(backToTop(page))).toEqual([0]);
  });
});

test('the scroll-to-top button appears at the bottom right past half of the window, scrolls up smoothly, and can’t be focused while hidden', async ({
  page,
}) => {
  await openPage(page);
  // An odd height too: half of it isn't a whole pixel.
  for (const height of [844, 701]) {
    await test.step(`in a window of ${height} px`, async () => {
      const half = Math.floor(height / 2);
      await page.setViewportSize({ width: 390, height });
      await expect(backToTop(page)).toHaveCount(0);
      await scrollPage(page, half);
      await expect(backToTop(page)).toHaveCount(0);
      await scrollPage(page, half + 1);
      await expect(backToTop(page)).toBeVisible();
      await scrollPage(page, 0);
      await expect(backToTop(page)).toHaveCount(0);
    });
  }
  const link = page.locator('[data-island="scroll-to-top"] a');
  await link.evaluate((node: HTMLElement) => node.focus());
  await expect(link).not.toBeFocused();

  await page.setViewportSize(DESKTOP);
  await scrollPage(page, 3000);
  await expect(backToTop(page)).toHaveCSS('position', 'fixed');
  const box = await backToTop(page).boundingBox();
  expect(box?.x).toBeGreaterThan(DESKTOP.width * 0.9);
  expect(box?.y).toBeGreaterThan(DESKTOP.height * 0.85);
  await expectUncovered(backToTop(page));
  const positions = await followLink(backToTop(page));
  expect(positions.length).toBeGreaterThan(1);
  expect(positions.at(-1)).toBe(0);
  await expect(backToTop(page)).toHaveCount(0);
});
