import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** No wider than any of these windows, and nothing to press in `main` or a menu is shorter than a finger needs. */
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

type Theme = 'light' | 'dark';
export const THEMES: readonly Theme[] = ['light', 'dark'];

/** WCAG 2.2's target size, which axe checks only on request. */
const RULES = { 'target-size': { enabled: true } };

/** Axe finds nothing, by any of its rules and in no part of the page, once all transitions are over. */
export async function expectNoBarrier(page: Page, themes = THEMES): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(async () => {
      const timings = document.getAnimations().filter(({ timeline }) => timeline instanceof DocumentTimeline);
      // A toast's time line runs for seconds, and isn't text.
      const short = timings.filter(({ effect }) => Number(effect?.getComputedTiming().endTime) < 2000);
      await Promise.allSettled(short.map(({ finished }) => finished));
    });
    // Otherwise axe loads itself into another page, for frames, which no page has.
    const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ rules: RULES });
    const { violations, passes } = await axe.analyze();
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => [page.url(), id, html, failureSummary]),
    );
    expect(found).toEqual([]);
    expect(passes.length, 'rules that found something to check').toBeGreaterThan(5);
  }
}
