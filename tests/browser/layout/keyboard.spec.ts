import { expect, type Page } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { test } from '../../support/site/browser-site.ts';
import { answerCall, MESSAGE, nameField, openPage, PHONE, STORED, toast } from '../visitor.ts';

/** Where the focus is, and whether it can be seen. That it's visible at 3:1 is checked in accessibility.spec.ts. */
function focusedStop(page: Page): Promise<{ name: string; inSight: boolean } | null> {
  return page.evaluate(() => {
    const node = document.activeElement;
    if (!node || node === document.body) return null;
    const { left, top, width, height } = node.getBoundingClientRect();
    const hits = [
      [left + 2, top + 2],
      [left + width - 2, top + 2],
      [left + width / 2, top + height / 2],
      [left + 2, top + height - 2],
      [left + width - 2, top + height - 2],
    ].map(([x = 0, y = 0]) => document.elementFromPoint(x, y));
    return {
      name: `${node.tagName} ${node.getAttribute('aria-label') ?? node.getAttribute('name') ?? node.textContent?.trim()}`,
      inSight: hits.some((hit) => hit !== null && (node.contains(hit) || hit.contains(node))),
    };
  });
}

/** In document order, which is reading order. */
function focusable(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'a[href], button, input:not([type=radio]:not(:checked)), textarea, summary',
      ),
    ]
      .filter((node) => node.tabIndex >= 0 && node.checkVisibility({ visibilityProperty: true }))
      .map(
        (node) =>
          `${node.tagName} ${node.getAttribute('aria-label') ?? node.getAttribute('name') ?? node.textContent?.trim()}`,
      ),
  );
}

test.describe('on a phone', () => {
  // Each step of a smooth scroll would be another place to check the focus.
  test.use({ viewport: PHONE, reducedMotion: 'reduce' });

  test('the Tab key reaches everything in reading order, and nothing covers it', async ({ page }) => {
    await openPage(page);
    const expected = await focusable(page);
    expect(expected.length).toBeGreaterThan(20);
    const stops: { name: string; inSight: boolean }[] = [];
    for (;;) {
      await page.keyboard.press('Tab');
      const stop = await focusedStop(page);
      if (!stop || stops.length > 2 * expected.length) break;
      stops.push(stop);
    }
    const reached = stops.map((stop) => stop.name);
    // Others come and go with the scroll position, such as the back-to-top button.
    expect(reached.filter((entry) => expected.includes(entry))).toEqual(expected);
    expect(stops.filter(({ inSight }) => !inSight)).toEqual([]);
  });
});

test('with the keyboard alone, the header is skipped, a link is followed, and a message is written and sent', async ({
  page,
}) => {
  await answerCall(page, STORED);
  await openPage(page);
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: navigation.skipLink });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
  await page.keyboard.press('Tab');
  const callToAction = page.locator('#hero-banner').getByRole('link').first();
  await expect(callToAction).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/#${navigation.callToAction.id}`);
  // The address changes a frame before the page goes there.
  await expect(page.locator(`#${navigation.callToAction.id} h2`)).toBeInViewport();
  for (let stop = 0; stop < 3; stop += 1) {
    await page.keyboard.press('Tab');
    if (await nameField(page).evaluate((node) => node === document.activeElement)) break;
  }
  for (const text of Object.values(MESSAGE)) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Space');
  await expect(toast(page)).toContainText('Success!');
});
