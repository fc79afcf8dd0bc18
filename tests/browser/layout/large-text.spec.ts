import { chromium, expect } from '@playwright/test';
import { test } from '../../support/site/browser-site.ts';
import { findBrowser } from '../../support/site/find-browser.ts';
import { eachSize, openPage, scrollPage } from '../visitor.ts';

test("with text at 200 % in the browser's settings, no word breaks, nothing scrolls sideways, links lead to headings in full view, and the way to the top appears after half a window", async ({
  site,
}) => {
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: ['--no-sandbox', '--blink-settings=defaultFontSize=32'],
  });
  const page = await browser.newPage({ baseURL: site.url, reducedMotion: 'reduce' });
  await openPage(page);
  const toTop = page.locator('[data-island="scroll-to-top"] a');
  await eachSize(
    page,
    [390, 1440].map((width) => ({ width, height: 800 })),
    async ({ width }) => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await page.evaluate(brokenWords)).toEqual([]);
      await expect.poll(() => page.evaluate(headingsBehindHeader)).toEqual([]);
      await scrollPage(page, 400);
      await expect(toTop).toBeHidden();
      await scrollPage(page, 401);
      await expect(toTop).toBeVisible();
    },
  );
  await browser.close();
});

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

/** Runs in the page: which sections, once a link has led to them, have their heading behind the header. */
async function headingsBehindHeader(): Promise<string[]> {
  const faults: string[] = [];
  const header = document.querySelector('header');
  const ids = [...document.querySelectorAll('header nav a')].map((link) => link.getAttribute('href') ?? '');
  for (const id of ids) {
    document.querySelector(id)?.scrollIntoView({ behavior: 'instant' });
    await new Promise(requestAnimationFrame);
    const top = document.querySelector(`${id} :is(h1, h2)`)?.getBoundingClientRect().top ?? Number.NaN;
    const bottom = Math.max(0, header?.getBoundingClientRect().bottom ?? Number.NaN);
    // Its border may touch the heading's line.
    if (!(top > bottom - 2)) faults.push(`${id} is ${bottom - top} px behind the header`);
  }
  return faults;
}
