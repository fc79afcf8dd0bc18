import { chromium, expect } from '@playwright/test';
import { test } from '../../support/site/browser-site.ts';
import { findBrowser } from '../../support/site/find-browser.ts';
import { eachSize, openStyledPage } from '../visitor.ts';

for (const percent of [150, 200]) {
  test(`with text at ${percent} % in the browser's settings, no word breaks and nothing scrolls sideways`, async ({
    baseURL,
  }) => {
    const browser = await chromium.launch({
      executablePath: findBrowser(),
      args: ['--no-sandbox', `--blink-settings=defaultFontSize=${(16 * percent) / 100}`],
    });
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
