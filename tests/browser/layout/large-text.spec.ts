import { chromium, expect, type Page } from '@playwright/test';
import { test } from '../../support/site/browser-site.ts';
import { findBrowser } from '../../support/site/find-browser.ts';
import { headingsBehindHeader } from '../headings.ts';
import { eachSize, openPage, openStyledPage, scrollPage } from '../visitor.ts';

/** The browser with other settings than usual. */
const launch = (settings: string) =>
  chromium.launch({
    executablePath: findBrowser(),
    args: ['--no-sandbox', `--blink-settings=${settings}`],
  });

for (const percent of [150, 200]) {
  test(`with text at ${percent} % in the browser's settings, no word breaks and nothing scrolls sideways`, async ({
    baseURL,
  }) => {
    const browser = await launch(`defaultFontSize=${(16 * percent) / 100}`);
    const page = await browser.newPage({ ...(baseURL ? { baseURL } : {}), reducedMotion: 'reduce' });
    await openStyledPage(page);
    await eachSize(
      page,
      [390, 1440].map((width) => ({ width, height: 900 })),
      async ({ width }) => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect(await page.evaluate(brokenWords)).toEqual([]);
      },
    );
    await browser.close();
  });
}

/** WCAG 1.4.12. Not in its own element, which the page's policy refuses. */
const spaceOut = (page: Page) =>
  page.evaluate(() =>
    document.styleSheets[0]?.insertRule(
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
    ),
  );

const WIDTHS = [390, 768, 1024, 1100, 1200, 1280];

const SETTINGS = [
  ['her own text spacing', 0, spaceOut],
  ['no text below 20 px', 20, async () => {}],
  ['no text below 24 px', 24, async () => {}],
] as const;

for (const [name, smallest, prepare] of SETTINGS) {
  test(`with ${name}, links lead to headings in full view, and the way to the top appears after half a window`, async ({
    baseURL,
  }) => {
    const browser = await launch(`minimumFontSize=${smallest}`);
    const page = await browser.newPage({ ...(baseURL ? { baseURL } : {}), reducedMotion: 'reduce' });
    await openPage(page);
    await prepare(page);
    const toTop = page.locator('[data-island="scroll-to-top"] a');
    await eachSize(
      page,
      WIDTHS.map((width) => ({ width, height: 800 })),
      async () => {
        await expect.poll(() => page.evaluate(headingsBehindHeader)).toEqual([]);
        await scrollPage(page, 400);
        await expect(toTop).toBeHidden();
        await scrollPage(page, 401);
        await expect(toTop).toBeVisible();
      },
    );
    await browser.close();
  });
}

for (const [name, smallest, prepare] of SETTINGS.slice(0, 2)) {
  test(`with ${name}, the header has one row before any script has run`, async ({ baseURL }) => {
    const browser = await launch(`minimumFontSize=${smallest}`);
    const page = await browser.newPage({ ...(baseURL ? { baseURL } : {}), javaScriptEnabled: false });
    await page.goto('/');
    await prepare(page);
    await eachSize(
      page,
      WIDTHS.map((width) => ({ width, height: 800 })),
      async () => {
        const bar = page.locator('header > div');
        const least = await bar.evaluate((node) => Number.parseFloat(getComputedStyle(node).minHeight));
        expect((await bar.boundingBox())?.height).toBeLessThan(least + 1);
      },
    );
    await browser.close();
  });
}

/** Runs in the page: words of headings and texts that stand on two lines. */
function brokenWords(): string[] {
  const broken: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!text.parentElement?.checkVisibility() || text.parentElement.closest('.visually-hidden')) continue;
    for (const { 0: word, index } of (text.textContent ?? '').matchAll(/\p{L}+/gu)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  }
  return broken;
}
