import { expect } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { faultsOfPressing, WINDOWS } from '../page-faults.ts';
import { expectUncovered, test, visitorOf } from '../visitor.ts';

test('at no size does a text or control leave the page, break or overlap', async ({ page, visitor }) => {
  await visitor.open('/#service-pillars');
  // The last are a phone in landscape, and a desktop window zoomed to 400 %.
  const usual = ['320×640', '390×844', '768×1024', '1024×768', '1440×900', '1920×1080'] as const;
  await visitor.eachSize([...usual, '844×390', '360×225'], async (_width, height) => {
    await expect(visitor.toTop).toBeVisible();
    const edge = height < 600 ? Infinity : ((await visitor.toTop.boundingBox())?.x ?? 0);
    expect(await page.evaluate(faultsOfLayout, edge)).toEqual([]);
  });

  await test.step("nor with the text spacing of a visitor's own (WCAG 1.4.12)", async () => {
    await page.evaluate(() => {
      // Not in a style element of its own, which the page's policy refuses.
      const [sheet] = document.styleSheets;
      sheet?.insertRule(`* {
        line-height: 1.5 !important;
        letter-spacing: 0.12em !important;
        word-spacing: 0.16em !important;
      }`);
      sheet?.insertRule('p { margin-bottom: 2em !important }');
    });
    await visitor.eachSize(['320×800', '390×800', '1024×800'], async () => {
      const faults = await page.evaluate(faultsOfLayout, Infinity);
      // A long word then doesn't fit on a phone.
      expect(faults.filter((fault) => !fault.endsWith('is broken'))).toEqual([]);
    });
  });
});

test('nor with text at 200 %, where links still lead to their headings', async ({ context }) => {
  const page = await context.newPage();
  const browser = await context.newCDPSession(page);
  await browser.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  const visitor = visitorOf(page);
  await visitor.open();
  await expect(page.locator('html')).toHaveCSS('font-size', /^3\d/);
  await visitor.eachSize(['320×800', '390×800', '1440×800'], async (width) => {
    const faults = await page.evaluate(faultsOfLayout, Infinity);
    // Ten letters then don't fit on the narrowest phone.
    expect(faults.filter((fault) => width > 320 || !fault.endsWith('is broken'))).toEqual([]);
    for (const { id } of navigation.links) {
      await page.locator(`#${id}`).evaluate((section) => section.scrollIntoView({ behavior: 'instant' }));
      await expectUncovered(page.locator(`#${id} :is(h1, h2)`));
    }
  });
});

test('in any window, whatever can be pressed answers a click on all of it', async ({ page, visitor }) => {
  test.slow();
  await visitor.open();
  await visitor.eachSize(WINDOWS, async () => {
    expect(await page.evaluate(faultsOfPressing)).toEqual([]);
  });
});

/** Runs in the page: what a screenshot would show. Words and questions’ marks may reach as far right as `edge`. */
function faultsOfLayout(edge: number): string[] {
  const faults: string[] = [];
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()} “${element.textContent?.trim().slice(0, 40)}”`;

  // What's fixed to the window overlaps the page on purpose.
  const others =
    '.visually-hidden, [aria-hidden="true"], [href="#main"], main > p, [data-island="scroll-to-top"]';
  // A problem's checkbox is the whole problem.
  const controls = 'a, button, input:not([type=checkbox]), textarea, summary';
  const texts = [...document.body.querySelectorAll('*')].filter(
    (element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      !element.closest(others) &&
      (element.matches(controls) ||
        [...element.childNodes].some((node) => node instanceof Text && node.data.trim())),
  );
  /** A text's lines as tight boxes; for a control, its whole area. */
  const boxes = texts.flatMap((element) => {
    const area = element.getBoundingClientRect();
    if (area.left < -0.5 || area.right > innerWidth + 0.5) faults.push(`${name(element)} leaves the page`);
    const style = getComputedStyle(element);
    const clips = style.overflowX !== 'visible' || style.overflowY !== 'visible';
    if (
      clips &&
      !element.matches('textarea, input') &&
      (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1)
    ) {
      faults.push(`${name(element)} is cut off`);
    }
    const range = document.createRange();
    for (const text of element.childNodes) {
      if (!(text instanceof Text)) continue;
      for (const { 0: word, index } of text.data.matchAll(/\p{L}+/gu)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const parts = [...range.getClientRects()];
        if (new Set(parts.map(({ top }) => Math.round(top))).size > 1) faults.push(`${word} is broken`);
        if (parts.some(({ right }) => right > edge + 1.5)) faults.push(`${word} reaches too far`);
      }
    }
    range.selectNodeContents(element);
    const box = element.querySelector(':scope > [type=checkbox]');
    if (box) range.setStartAfter(box);
    const lines = [...range.getClientRects()];
    if (element.matches('summary') && lines.some(({ right }) => right > edge))
      faults.push('a sign does, too');
    return (element.matches(controls) ? [area] : lines).map((box) => ({ element, box }));
  });
  for (const [at, { element: one, box: a }] of boxes.entries()) {
    for (const { element: other, box: b } of boxes.slice(at + 1)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // Tightly set lines overlap a little in height without touching.
      if (across <= 2 || down <= 6 || one.contains(other) || other.contains(one)) continue;
      if (one.closest('header') === other.closest('header'))
        faults.push(`${name(one)} overlaps ${name(other)}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  return faults;
}
