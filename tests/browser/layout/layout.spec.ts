import { expect } from '@playwright/test';
import { FIELD_NAMES } from '../../../contract/contact-message.ts';
import { packages } from '../../../site/content/packages.ts';
import { test } from '../../support/site/browser-site.ts';
import {
  eachSize,
  expectTypeface,
  holdBack,
  MOVING,
  openPage,
  openStyledPage,
  watchShifts,
} from '../visitor.ts';

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

test('on a phone the packages and the form come early, and the page ends soon after', async ({ page }) => {
  const size = { width: 390, height: 844 };
  await page.setViewportSize(size);
  await openStyledPage(page);
  const screensTo = async (part: string) =>
    ((await page.locator(part).boundingBox())?.y ?? Infinity) / size.height;
  expect(await screensTo('#blueprint-journey')).toBeLessThanOrEqual(4.5);
  expect(await screensTo('form')).toBeLessThanOrEqual(9.5);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const more = 0.7 * Math.max(0, packages.items.length - 3) + 0.15 * (FIELD_NAMES.length - 3);
  expect(height / size.height).toBeLessThanOrEqual(10.5 + more);
});

test('at each width, text has four sizes and headings two', async ({ page }) => {
  await openStyledPage(page);
  await eachSize(
    page,
    [390, 768, 1024, 1440, 1920].map((width) => ({ width, height: 900 })),
    async () => {
      const sizes = await page.evaluate(() => {
        const found: Record<string, string> = {};
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
          const parent = text.parentElement;
          const words = text.textContent?.trim();
          if (!words || !parent?.checkVisibility() || parent.closest('.visually-hidden, noscript')) continue;
          found[getComputedStyle(parent).fontSize] ??= words.slice(0, 30);
        }
        return found;
      });
      expect(Object.keys(sizes).length, JSON.stringify(sizes)).toBeLessThanOrEqual(6);
      const [headline, heading] = await page
        .locator('h1, #problems-heading')
        .evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)));
      expect((headline ?? 0) / (heading ?? 1)).toBeGreaterThan(1.25);
    },
  );
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
        // One line, and across, its number above it in a circle
        expect(title.height).toBeLessThan(title.em * (down ? 2 : 5));
        if (!down) {
          // Centred below the belt's lowest point there, 161 units from the drawing's left edge.
          const below = title.left + title.width / 2 - drawing.left - (drawing.width * 161) / 1254;
          expect(Math.abs(below - i * pitch)).toBeLessThan(2);
          // Its number touches the belt's leg.
          expect(Math.abs(title.top - drawing.bottom)).toBeLessThan(2);
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

test.describe('with motion', () => {
  test.use(MOVING);

  test('a sheet that has yet to slide in lies over no words, and leaves no hole above itself', async ({
    page,
  }) => {
    await openPage(page);
    await eachSize(
      page,
      [320, 390, 768, 1024, 1440].map((width) => ({ width, height: 844 })),
      async () => {
        const sheets = page.locator('#blueprint-journey article');
        const lead = await page.locator('#blueprint-journey .lead').boundingBox();
        const [first, last] = [await sheets.first().boundingBox(), await sheets.last().boundingBox()];
        const next = await page.locator('#promises-heading').boundingBox();
        if (!lead || !first || !last || !next) throw new Error('the packages and what follows them');
        expect(next.y - last.y - last.height).toBeGreaterThan(12);
        expect(first.y - lead.y - lead.height).toBeLessThan(60);
      },
    );
  });
});

test('questions stand in two columns where there is room, and opening one moves those of its own alone', async ({
  page,
}) => {
  await openPage(page);
  const all = page.locator('[aria-labelledby="questions-heading"] details');
  const places = () =>
    all.evaluateAll((questions) =>
      questions.map((question) => {
        const { left, top } = question.getBoundingClientRect();
        return { left: Math.round(left), top: Math.round(top + scrollY) };
      }),
    );
  await eachSize(
    page,
    [390, 1024, 1440].map((width) => ({ width, height: 844 })),
    async ({ width }) => {
      await all.first().evaluate((question: HTMLDetailsElement) => {
        question.open = false;
      });
      const before = await places();
      expect(new Set(before.map(({ left }) => left)).size).toBe(width < 768 ? 1 : 2);
      await all.first().evaluate((question: HTMLDetailsElement) => {
        question.open = true;
      });
      const after = await places();
      for (const [i, { left, top }] of after.entries()) {
        const moved = i > 0 && left === before[0]?.left;
        if (moved) expect(top).toBeGreaterThan(before[i]?.top ?? 0);
        else expect(top).toBe(before[i]?.top);
      }
    },
  );
});

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
