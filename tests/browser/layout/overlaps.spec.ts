import { expect } from '@playwright/test';
import { scrollToTop } from '../../../site/content/scroll-to-top.ts';
import { test } from '../../support/site/browser-site.ts';
import { faultsOfPressing, WINDOWS } from '../pressing.ts';
import { eachSize, openPage, type Size } from '../visitor.ts';

/** What a screenshot would show: boxes that leave the page, are cut off, or overlap. */
const SIZES: Size[] = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1024, height: 768 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  // A phone in landscape, and a desktop window zoomed to 400%
  { width: 844, height: 390 },
  { width: 360, height: 225 },
];

test('at no size does a text or control leave the page, get cut off or overlap another, nor does the way back to the top', async ({
  page,
}) => {
  await openPage(page, '/#service-pillars');
  await eachSize(page, SIZES, async ({ width, height }) => {
    expect(await page.evaluate(faultsOfLayout)).toEqual([]);
    if (height < 600) return;
    const link = page.getByRole('link', { name: scrollToTop.label });
    await expect(link).toBeVisible();
    const edge = (await link.boundingBox())?.x ?? width;
    // Less than the space after a letter.
    expect(await page.evaluate(rightmostWord)).toBeLessThan(edge + 1.5);
  });

  await test.step("nor with the text spacing of a visitor's own (WCAG 1.4.12)", async () => {
    await page.evaluate(() => {
      // Not in its own element, which the page's policy refuses.
      const [sheet] = document.styleSheets;
      sheet?.insertRule(`* {
        line-height: 1.5 !important;
        letter-spacing: 0.12em !important;
        word-spacing: 0.16em !important;
      }`);
      sheet?.insertRule('p { margin-bottom: 2em !important }');
    });
    await eachSize(
      page,
      [320, 390, 1024].map((width) => ({ width, height: 800 })),
      async () => {
        expect(await page.evaluate(faultsOfLayout)).toEqual([]);
        const outside = await page.locator('header :is(a, button):visible').evaluateAll((all) =>
          all
            .filter((element) => {
              const { left, right } = element.getBoundingClientRect();
              return left < 0 || right > innerWidth;
            })
            .map((element) => element.textContent),
        );
        expect(outside).toEqual([]);
      },
    );
  });
});

test('in any window, every link, button and field answers a click on all of it', async ({ page }) => {
  test.slow();
  await openPage(page);
  await eachSize(page, WINDOWS, async () => {
    expect(await page.evaluate(faultsOfPressing)).toEqual([]);
  });
});

/** Runs in the page: how far right words and questions' signs reach. */
function rightmostWord(): number {
  const found = document.evaluate(
    '//main/section//text()[normalize-space()] | //footer//text() | //summary',
    document,
    null,
    XPathResult.ORDERED_NODE_SNAPSHOT_TYPE,
  );
  const range = document.createRange();
  const rights = Array.from({ length: found.snapshotLength }, (_, at) => {
    range.selectNodeContents(found.snapshotItem(at) as Node);
    return [...range.getClientRects()].map(({ right }) => right);
  });
  return Math.max(...rights.flat());
}

/** Runs in the page. */
function faultsOfLayout(): string[] {
  const faults: string[] = [];
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()} “${element.textContent?.trim().slice(0, 40)}”`;

  const shown = [...document.body.querySelectorAll('*')].filter((element) => {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    // Screen-reader-only text is one pixel wide; what keeps to the window overlaps the page on purpose.
    return (
      box.width > 1 &&
      box.height > 1 &&
      style.visibility === 'visible' &&
      element.checkVisibility({ opacityProperty: true }) &&
      !element.closest('header, [aria-hidden="true"], noscript') &&
      !keepsToWindow(element)
    );
  });
  function keepsToWindow(element: Element): boolean {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { position, bottom } = getComputedStyle(at);
      if (position === 'fixed' || (position === 'sticky' && bottom === '0px')) return true;
    }
    return false;
  }

  // A problem's checkbox is all of the problem.
  const controls = 'a, button, input:not([type=checkbox]), textarea, summary';
  const texts = shown.filter(
    (element) =>
      element.matches(controls) ||
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()),
  );
  for (const element of texts) {
    const { left, right } = element.getBoundingClientRect();
    if (left < -0.5 || right > innerWidth + 0.5) faults.push(`${name(element)} leaves the page`);
    const style = getComputedStyle(element);
    const clips = style.overflowX !== 'visible' || style.overflowY !== 'visible';
    if (
      clips &&
      !element.matches('textarea, input') &&
      (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1)
    ) {
      faults.push(`${name(element)} is cut off`);
    }
  }

  /** A text's lines as tight boxes; for a control, its whole area. */
  const boxes = texts.map((element) => {
    if (element.matches(controls)) return [element.getBoundingClientRect()];
    const range = document.createRange();
    range.selectNodeContents(element);
    const box = element.querySelector(':scope > [type=checkbox]');
    if (box) range.setStartAfter(box);
    return [...range.getClientRects()];
  });
  for (const [i, one] of texts.entries()) {
    for (const [k, other] of texts.entries()) {
      if (k <= i || one.contains(other) || other.contains(one)) continue;
      const overlap = boxes[i]?.some((a) =>
        boxes[k]?.some(
          (b) =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
            // Tightly set lines overlap a little in height without touching.
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6,
        ),
      );
      if (overlap) faults.push(`${name(one)} overlaps ${name(other)}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  return faults;
}
