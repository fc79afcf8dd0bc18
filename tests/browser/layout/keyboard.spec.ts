import { expect, type Page } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { test } from '../../support/site/browser-site.ts';
import { DESKTOP, openPage, PHONE } from '../visitor.ts';

type Stop = { name: string; indicator: boolean; inSight: boolean };

/** Where the focus is: its name, whether it's visible, and whether something covers it. */
function focusedStop(page: Page): Promise<Stop | null> {
  return page.evaluate(() => {
    const node = document.activeElement;
    if (!node || node === document.body) return null;
    // A field's indicator may be drawn around the field and its label together.
    const rings = [node, node.parentElement ?? node].map((ringed) => getComputedStyle(ringed));
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
      indicator: rings.some(
        ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
      ),
      inSight: hits.some((hit) => hit !== null && (node.contains(hit) || hit.contains(node))),
    };
  });
}

/** In document order, which is reading order. */
function focusable(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('a[href], button, input, textarea, summary')]
      .filter((node) => node.tabIndex >= 0 && node.checkVisibility({ visibilityProperty: true }))
      .map(
        (node) =>
          `${node.tagName} ${node.getAttribute('aria-label') ?? node.getAttribute('name') ?? node.textContent?.trim()}`,
      ),
  );
}

for (const [name, viewport, colorScheme] of [
  ['a desktop', DESKTOP, 'light'],
  ['a phone', PHONE, 'dark'],
] as const) {
  test.describe(`on ${name}`, () => {
    // Each step of a smooth scroll would be another place to check the focus.
    test.use({ viewport, colorScheme, reducedMotion: 'reduce' });

    test('the Tab key reaches everything in reading order, visibly', async ({ page }) => {
      await openPage(page);
      const expected = await focusable(page);
      expect(expected.length).toBeGreaterThan(20);
      const stops: Stop[] = [];
      for (;;) {
        await page.keyboard.press('Tab');
        const stop = await focusedStop(page);
        if (!stop || stops.length > 2 * expected.length) break;
        stops.push(stop);
      }
      const reached = stops.map((stop) => stop.name);
      // Others come and go with the scroll position, such as the back-to-top button.
      expect(reached.filter((entry) => expected.includes(entry))).toEqual(expected);
      expect(stops.filter(({ indicator }) => !indicator)).toEqual([]);
      expect(stops.filter(({ inSight }) => !inSight)).toEqual([]);
    });
  });
}

test('the first stop skips the header', async ({ page }) => {
  await openPage(page);
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: navigation.skipLink });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.locator('#hero-banner').getByRole('link').first()).toBeFocused();
});

test('after following a link, Tab continues from the section it leads to', async ({ page }) => {
  await openPage(page);
  await page.getByRole('banner').getByRole('link', { name: 'Packages' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/#blueprint-journey');
  // The address changes a frame before the page goes there.
  await expect(page.locator('#blueprint-journey h2')).toBeInViewport();
  await page.keyboard.press('Tab');
  await expect(page.locator('#blueprint-journey').getByRole('link').first()).toBeFocused();
});

test('a message can be written and sent with the keyboard alone', async ({ page }) => {
  await page.route('**/functions/v1/send-contact-email', (route) =>
    route.fulfill({ json: { ok: true, id: 'an-id' } }),
  );
  await openPage(page, '/#lets-map-your-blueprint');
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  for (let stop = 0; stop < 3; stop += 1) {
    await page.keyboard.press('Tab');
    if (await name.evaluate((node) => node === document.activeElement)) break;
  }
  await page.keyboard.type('Ada');
  await page.keyboard.press('Tab');
  await page.keyboard.type('ada@example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Typed line by line.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(page.getByRole('listitem').filter({ hasText: 'Success!' })).toBeVisible();
});
