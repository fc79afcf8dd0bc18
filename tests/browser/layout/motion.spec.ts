import { expect, type Locator, type Page } from '@playwright/test';
import { hero } from '../../../site/content/hero.ts';
import { navigation } from '../../../site/content/navigation.ts';
import { WINDOWS } from '../page-faults.ts';
import { animations, expectUncovered, followLink, MOVING, test } from '../visitor.ts';

test.use(MOVING);

const state = (page: Page, name: string) => page.getByRole('radio', { name });
const { before, after } = hero.states;

const running = async (page: Page) =>
  (await page.evaluate(animations)).flatMap(({ isRunning, end }) => (isRunning ? end : []));

async function expectShown(page: Page, kind: string, opacity: 0 | 1): Promise<void> {
  await expect(page.locator(kind)).not.toHaveCount(0);
  for (const part of await page.locator(kind).all()) await expect(part).toHaveCSS('opacity', `${opacity}`);
}

async function expectSolved(page: Page): Promise<void> {
  await expectShown(page, '.hp-old, .hp-ring, .hp-flow.hp-t0', 0);
  await expectShown(page, '.hp-new:has(> .d-hot), .hp-way, .hp-line', 1);
  for (const piece of await page.locator('.hp-line').all())
    await expect(piece, 'each piece of the line is where it was drawn').toHaveCSS('transform', 'none');
  await expect(state(page, after)).toBeChecked();
}

async function expectAsItWas(page: Page): Promise<void> {
  await expectShown(page, '.hp-old', 1);
  await expectShown(page, '.hp-new, .hp-line, .hp-flow', 0);
}

test('the story runs smoothly, once, for 5 s; then either state is chosen', async ({ page, visitor }) => {
  await visitor.open();
  const story = await page.evaluate(animations);
  expect(story.length).toBeGreaterThan(20);
  expect(Math.max(...story.map(({ end }) => end))).toBeLessThanOrEqual(5_000);
  expect(new Set(story.flatMap(({ changes }) => changes))).toEqual(new Set(['g opacity', 'g transform']));
  await expect.poll(() => running(page)).toEqual([]);
  await expectSolved(page);

  await state(page, after).focus();
  for (const [key, check] of [
    ['ArrowLeft', expectAsItWas],
    ['ArrowRight', expectSolved],
  ] as const) {
    await page.keyboard.press(key);
    for (const end of await running(page)) expect(end).toBeLessThanOrEqual(400);
    await check(page);
  }
  await state(page, before).locator('..').click();
  await expectAsItWas(page);
  const box = await state(page, before).boundingBox();
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
});

test('every parcel starts where the belt begins', async ({ page, visitor }) => {
  await visitor.open();
  const starts = await page.locator('.hp-flow').evaluateAll((parcels) =>
    parcels.map((parcel) => {
      for (const animation of parcel.getAnimations()) {
        animation.pause();
        animation.currentTime = animation.effect?.getTiming().delay ?? null;
      }
      return getComputedStyle(parcel).transform;
    }),
  );
  expect(new Set(starts)).toEqual(new Set(['matrix(1, 0, 0, 1, 0, 0)']));
});

test('a press on either state ends the story', async ({ page, visitor }) => {
  for (const name of [after, before]) {
    await visitor.open();
    await state(page, name).locator('..').click();
    for (const end of await running(page)) expect(end).toBeLessThanOrEqual(400);
    const ofMark = (legend: Element) => getComputedStyle(legend, '::before').animationName;
    expect(await page.getByRole('radiogroup').evaluate(ofMark), 'the mark on the other').toBe('none');
  }
});

test('with reduced motion, the plan is solved, and links jump', async ({ page, visitor }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await visitor.open();
  expect(await running(page)).toEqual([]);
  await expectSolved(page);
  await state(page, before).check();
  expect(await running(page)).toEqual([]);
  await expectAsItWas(page);
  await expectDelivered(page);

  expect(await followLink(visitor.header.getByRole('link', { name: 'Packages' }))).toHaveLength(1);
  await expectUncovered(page.locator('#blueprint-journey').locator('h2'));
  expect(await followLink(visitor.toTop)).toEqual([0]);
});

const route = (page: Page) => page.locator('main > p:has(> i)');
const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN;

async function expectDelivered(page: Page): Promise<void> {
  const [parcel, form] = [await topOf(route(page).locator('i')), await topOf(page.locator('form'))];
  expect(Math.abs(parcel - form)).toBeLessThan(64);
}

test('one parcel keeps pace with the reader to the form, beside all words', async ({ page, visitor }) => {
  await visitor.open();
  await visitor.eachSize(['390×844', '1024×768', '1440×900'], async (width, height) => {
    await visitor.scrollTo(0);
    const form = Math.round(await topOf(page.locator('form')));
    const tops: number[] = [];
    for (const y of [height, Math.round(form / 2)]) {
      await visitor.scrollTo(y);
      tops.push(await topOf(route(page).locator('i')));
    }
    expect(tops[0]).toBeLessThan(height);
    expect(tops[0]).toBeCloseTo(tops[1] ?? Infinity, 0);
    await visitor.scrollTo(form);
    await expectDelivered(page);
    const { x = 0, width: across = 0 } = (await route(page).boundingBox()) ?? {};
    const crossed = await page.locator('main > section ~ section :is(h2, h3, p, li, summary)').evaluateAll(
      (all, strip) =>
        all.flatMap((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          const isCrossed = [...range.getClientRects()].some(
            ({ left, right }) => right > strip.left && left < strip.right,
          );
          return isCrossed && one.checkVisibility() ? one.textContent || [] : [];
        }),
      // Including its marks
      width < 1024 ? { left: x, right: x + 8 } : { left: x + across - 8, right: x + across },
    );
    expect(crossed).toEqual([]);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const drawn = await route(page).evaluate((one) => {
      const { backgroundImage, borderBottomColor, borderBottomWidth, color } = getComputedStyle(one);
      return [backgroundImage.startsWith('linear-gradient'), borderBottomColor !== color, borderBottomWidth];
    });
    expect(drawn, colorScheme).toEqual([true, true, '2px']);
  }

  // As an owner may have it
  await page.locator('[aria-labelledby="questions-heading"]').evaluate((part) => part.remove());
  await visitor.eachSize(['1440×900', '390×844'], async () => {
    await page.locator('form').evaluate((form) => form.scrollIntoView({ behavior: 'instant' }));
    await expectDelivered(page);
  });
  await expect(page.locator('main > p > a'), 'nothing lies across the page').toHaveCSS('opacity', '0');
});

test('headline, call to action and bottleneck are in the first view', async ({ page, visitor }) => {
  await visitor.open();
  const first = page.locator('#hero-banner');
  await visitor.eachSize([...WINDOWS, '320×568', '1279×800'], async () => {
    for (const part of [
      first.getByRole('heading', { level: 1 }),
      first.getByRole('link', { name: navigation.callToAction.label }),
      first.locator('g.d-hot.hp-hot'),
    ])
      await expect(part).toBeInViewport({ ratio: 1 });
  });
});
