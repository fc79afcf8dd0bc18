import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** No wider than any of these windows, and with nothing to press in `main` or a menu that's lower than a finger needs. */
export async function expectToFit(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBe(width);
    const low = await page
      .locator('main :is(button, select, input:not([type=hidden])), nav a, .button, .messages a, a.step')
      .evaluateAll((all) => all.filter((each) => each.getBoundingClientRect().height < 44).length);
    expect(low, `targets lower than 44 pixels on ${page.url()}`).toBe(0);
  }
}

/** Axe finds nothing in either theme. */
export async function expectNoBarrier(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => [page.url(), id, html]));
    expect(found).toEqual([]);
  }
}
