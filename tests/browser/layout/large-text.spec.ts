import { chromium, expect, type Page } from '@playwright/test';
import { test } from '../../support/site/browser-site.ts';
import { findBrowser } from '../../support/site/find-browser.ts';
import { eachSize, openPage, openStyledPage, scrollPage } from '../visitor.ts';

/** The browser with other settings than usual. */
const launch = (settings: string) =>
  chromium.launch({
    executablePath: findBrowser(),
    args: ['--no-sandbox', `--blink-settings=${settings}`],
  });

test("with text at 200 % in the browser's settings, no word breaks and nothing scrolls sideways", async ({
  site,
}) => {
  const browser = await launch('defaultFontSize=32');
  const page = await browser.newPage({ baseURL: site.url, reducedMotion: 'reduce' });
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

/** WCAG 1.4.12. Not in its own element, which the page's policy refuses. */
const spaceOut = (page: Page) =>
  page.evaluate(() =>
    document.styleSheets[0]?.insertRule(
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
    ),
  );

const SIZES = [390, 1024, 1280].map((width) => ({ width, height: 800 }));

for (const [name, smallest, prepare] of [
  ['her own text spacing', 0, spaceOut],
  ['no text below 24 px', 24, async () => {}],
] as const) {
  test(`with ${name}, links lead to headings in full view, and the way to the top appears after half a window`, async ({
    site,
  }) => {
    const browser = await launch(`minimumFontSize=${smallest}`);
    const page = await browser.newPage({ baseURL: site.url, reducedMotion: 'reduce' });
    await openPage(page);
    await prepare(page);
    const toTop = page.locator('[data-island="scroll-to-top"] a');
    await eachSize(page, SIZES, async () => {
      await expect.poll(() => page.evaluate(headingsBehindHeader)).toEqual([]);
      await scrollPage(page, 400);
      await expect(toTop).toBeHidden();
      await scrollPage(page, 401);
      await expect(toTop).toBeVisible();
    });
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
