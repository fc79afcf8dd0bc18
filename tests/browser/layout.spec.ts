import { expect, type Page } from '@playwright/test';
import { FIELD_NAMES } from '../../contract/contact-message.ts';
import { scrollToTop } from '../../site/content/scroll-to-top.ts';
import { test } from '../support/site.ts';
import { expectTypeface, holdBack, MOVING, openPage, watchShifts } from './visitor.ts';

type Size = { width: number; height: number };

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

/** Checks one page at each size, since opening it takes far longer than the check. */
async function eachSize(page: Page, sizes: Size[], check: (size: Size) => Promise<void>): Promise<void> {
  for (const size of sizes) {
    await test.step(`at ${size.width} by ${size.height} px`, async () => {
      await page.setViewportSize(size);
      await check(size);
    });
  }
}

test('at no size does a text or control leave the page, get cut off or overlap another', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openPage(page);
  await eachSize(page, SIZES, async () => {
    expect(await page.evaluate(faultsOfLayout)).toEqual([]);
  });
});

test("none does with the text spacing of a visitor's own (WCAG 1.4.12) either", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openPage(page);
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

test("the way back to the top covers no words and no question's sign", async ({ page }) => {
  await openPage(page, '/#service-pillars');
  const link = page.getByRole('link', { name: scrollToTop.label });
  await eachSize(
    page,
    [320, 390, 768, 1024, 1440, 1920].map((width) => ({ width, height: 800 })),
    async () => {
      await expect(link).toBeVisible();
      const edge = (await link.boundingBox())?.x;
      const rightmost = await page.evaluate(() => {
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
      });
      // Less than the space after a letter.
      expect(rightmost).toBeLessThan((edge ?? 0) + 1.5);
    },
  );
});

test('on a phone each section and each package has a screen at most, the rest two, and the brand stands on one line', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 664 });
  await openPage(page);
  await expectTypeface(page);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const parts = await page.locator('main > section, #blueprint-journey article').count();
  const furtherFields = FIELD_NAMES.length - 3;
  expect(height).toBeLessThanOrEqual((parts + 2) * 664 + furtherFields * 120);
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 664 });
    const lines = await page
      .locator('header a[href="#hero-banner"]')
      .first()
      .evaluate((brand) => {
        const range = document.createRange();
        range.selectNodeContents(brand.lastChild as Text);
        return range.getClientRects().length;
      });
    expect(lines).toBe(1);
  }
});

test("the five bubbles are alike, and the plan's leader lines end at their middles", async ({ page }) => {
  await openPage(page);
  await eachSize(
    page,
    [1024, 1440].map((width) => ({ width, height: 900 })),
    async () => {
      const pictures = page.locator('[aria-labelledby="problems-heading"] img');
      const [plan, ...bubbles] = await pictures.evaluateAll((all) =>
        all.map((picture) => {
          const { left, top, width, height } = picture.getBoundingClientRect();
          return { left, top, width, height };
        }),
      );
      if (!plan) throw new Error('there is no plan');
      expect(bubbles).toHaveLength(5);
      for (const [i, bubble] of bubbles.entries()) {
        expect(bubble.top).toBeCloseTo(bubbles[0]?.top ?? 0, 0);
        expect(bubble.width).toBeCloseTo(bubble.height, 0);
        // The lines are drawn to the plan's lower edge, in 1200 units across.
        const end = plan.left + ((110 + 245 * i) / 1200) * plan.width;
        expect(Math.abs(end - bubble.left - bubble.width / 2)).toBeLessThan(2);
        expect(Math.abs(plan.top + plan.height - bubble.top)).toBeLessThan(2);
      }
      // Each line's way across: five lines, of which the last may share another's height.
      const source = await pictures.first().evaluate(async (one: HTMLImageElement) => {
        const file = await fetch(one.src);
        return file.text();
      });
      const across = [...new Set([...source.matchAll(/V(\d+)H/g)].map(([, height]) => Number(height)))];
      across.sort((one, other) => one - other);
      expect(across.length).toBeGreaterThanOrEqual(4);
      for (const [i, height] of across.slice(1).entries()) {
        expect(((height - (across[i] ?? 0)) * plan.width) / 1200).toBeGreaterThanOrEqual(16);
      }
    },
  );
});

test('each step of working together is beside its station', async ({ page }) => {
  await openPage(page);
  await eachSize(
    page,
    [320, 390, 768, 896, 1024, 1440, 1920].map((width) => ({ width, height: 900 })),
    async ({ width }) => {
      const section = page.locator('#work-together');
      const boxes = (selector: string) =>
        section.locator(selector).evaluateAll((all) =>
          all
            .filter((element) => element.checkVisibility())
            .map((element) => {
              const { left, top, bottom, width, height } = element.getBoundingClientRect();
              const em = Number.parseFloat(getComputedStyle(element).fontSize);
              return { left, top, bottom, width, height, em };
            }),
        );
      const [drawing] = await boxes('img');
      const [heading] = await boxes('h2');
      const titles = await boxes('h3');
      const texts = await boxes('li p');
      if (!drawing || !heading) throw new Error('there is no drawing');
      expect(Math.abs(drawing.left - heading.left)).toBeLessThan(1);
      const down = drawing.height > drawing.width;
      expect(down).toBe(width < 768);
      const widths = texts.map((text) => Math.round(text.width));
      expect(new Set(widths).size, 'no step is set wider than another').toBe(1);
      // As they're drawn: 242 units across and 288 from one station to the next, or 1254 and 252.
      const pitch = drawing.width * (down ? 288 / 242 : 252 / 1254);
      for (const [i, title] of titles.entries()) {
        // One line, and across, its number above it, which is one and a half times as large
        expect(title.height).toBeLessThan(title.em * (down ? 2 : 3.5));
        if (!down) {
          // Where a station is narrow for words, they're set wider, but still begin below its first half.
          const beside = title.left - drawing.left - i * pitch;
          expect(beside).toBeGreaterThan(-1);
          expect(beside).toBeLessThan(width < 1280 ? pitch / 2 : 1);
          expect(title.top - drawing.bottom).toBeGreaterThan(8);
          continue;
        }
        expect(Math.abs(title.top - drawing.top - i * pitch)).toBeLessThan(1);
        expect((texts[i]?.bottom ?? 0) + 20).toBeLessThan(drawing.top + (i + 1) * pitch);
        // The belt's right end is 192 units from the drawing's left edge.
        expect(title.left - drawing.left - (drawing.width * 192) / 242).toBeGreaterThan(12);
      }
    },
  );
});

test('the check sees what leaves the page, is cut off and overlaps', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openPage(page);
  await page.evaluate(() => {
    // Through the style object, which the page's policy allows scripts to use.
    const [one, other, third] = document.querySelectorAll('h3');
    if (!one || !other || !third) throw new Error('three headings to spoil');
    one.style.translate = '300px';
    other.style.marginBottom = '-30px';
    Object.assign(third.style, { overflow: 'hidden', height: '9px' });
  });
  const faults = (await page.evaluate(faultsOfLayout)).join('\n');
  expect(faults).toMatch(/leaves the page/);
  expect(faults).toMatch(/overlaps/);
  expect(faults).toMatch(/is cut off/);
});

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

  const controls = 'a, button, input, textarea, summary';
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

test('the parts of the system are stacked, each with its words beside it', async ({ page }) => {
  await openPage(page);
  await eachSize(
    page,
    [320, 390, 768, 1024, 1440].map((width) => ({ width, height: 800 })),
    async () => {
      const parts = await page.locator('[aria-labelledby="solution-heading"] li').evaluateAll((all) =>
        all.map((part) => {
          const [plate, title] = ['img', 'h3'].map((name) =>
            part.querySelector(name)?.getBoundingClientRect(),
          );
          if (!plate || !title) throw new Error('a plate and a title');
          return {
            left: plate.left,
            top: plate.top,
            beside: title.left >= plate.right || title.right <= plate.left,
            level: title.top < plate.bottom && title.bottom > plate.top,
          };
        }),
      );
      expect(parts.map(({ beside, level }) => beside && level)).toEqual([true, true, true, true, true]);
      expect(new Set(parts.map(({ left }) => Math.round(left))).size).toBe(1);
      const tops = parts.map(({ top }) => top);
      expect(tops).toEqual([...tops].sort((a, b) => a - b));
    },
  );
});

test("the hero's words do not run over its drawing", async ({ page }) => {
  await openPage(page);
  await eachSize(
    page,
    [1024, 1280, 1366, 1440, 1920].map((width) => ({ width, height: 800 })),
    async () => {
      const lead = await page.locator('#hero-banner p.lead').boundingBox();
      // The floor reaches furthest left of everything drawn.
      const floor = await page.locator('#hero-banner svg.hp').evaluate((drawing) => {
        const shapes = [...drawing.querySelectorAll(':scope > *')].map((shape) =>
          shape.getBoundingClientRect(),
        );
        const visible = shapes.filter((box) => box.width > 0);
        return {
          left: Math.min(...visible.map((box) => box.left)),
          top: Math.min(...visible.map((box) => box.top)),
        };
      });
      if (!lead) throw new Error('the hero has no lead');
      const beside = lead.x + lead.width <= floor.left;
      const above = lead.y + lead.height <= floor.top;
      expect(beside || above, JSON.stringify({ lead, floor })).toBe(true);
    },
  );
});

for (const width of [320, 360, 390, 412, 768, 1024, 1440, 1920]) {
  test(`nothing moves when the typeface replaces the system's, ${width} px wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia(MOVING);
    const shifts = await watchShifts(page);
    const fonts = await holdBack(page, '**/*.woff2');
    await openPage(page);
    // Things may still move on a slow machine before the page is complete.
    const before = await shifts();
    fonts.release();
    await expectTypeface(page);
    const loaded = await page.evaluate(async () => {
      // A shift is reported after the frame that shows it.
      for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
      return [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family);
    });
    const moved = (await shifts()) - before;
    expect(loaded).toEqual(expect.arrayContaining(['Archivo', 'Archivo Fallback', 'Archivo Wide']));
    // A tenth of what counts as good; the header's links move sideways by less than 4 px.
    expect(moved).toBeLessThan(width < 600 ? 1e-9 : 0.01);
  });
}
