import { expect, type Page } from '@playwright/test';
import { hero } from '../../../site/content/hero.ts';
import { navigation } from '../../../site/content/navigation.ts';
import { test } from '../../support/site/browser-site.ts';
import { WINDOWS } from '../pressing.ts';
import { DESKTOP, eachSize, MOVING, openPage, PHONE } from '../visitor.ts';

test.use(MOVING);

/** Chromium's bit for an animation that changes nothing on the screen just then, so it isn't run anywhere. */
const NOTHING_TO_SHOW = 1 << 17;

type TraceEvent = {
  name: string;
  id2?: { local?: string };
  args?: { data?: { nodeName?: string; compositeFailed?: number } };
};

const state = (page: Page, name: string) => page.getByRole('radio', { name });
const { before, after } = hero.states;

/** When the drawing's animations end, in ms from their start. */
const ends = (page: Page) =>
  page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect }) => effect instanceof KeyframeEffect && effect.target?.closest('.hp'))
      .map(({ effect, playState }) => ({
        isRunning: playState === 'running',
        end: Number(effect?.getComputedTiming().endTime),
      })),
  );

/** When the bench begins to make way, and when the switch's mark begins to go from Before to After. */
const turns = (page: Page) =>
  page.evaluate(() =>
    ['.hp-old', '[value="after"]'].map(
      (selector) => document.querySelector(selector)?.getAnimations()[0]?.effect?.getTiming().delay,
    ),
  );

/** How many of them are running. */
const running = async (page: Page) => (await ends(page)).filter(({ isRunning }) => isRunning).length;

/** The highest opacity among these elements, their ancestors included. */
const shown = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((elements) =>
    Math.max(
      ...elements.map((element) => {
        let opacity = 1;
        for (let at: Element | null = element; at; at = at.parentElement) {
          opacity *= Number(getComputedStyle(at).opacity);
        }
        return opacity;
      }),
    ),
  );

async function expectSolved(page: Page): Promise<void> {
  await expect.poll(() => shown(page, '.hp-old, .hp-ring, .hp-t0')).toBe(0);
  await expect.poll(() => shown(page, '.hp-new > .d-hot')).toBe(1);
  expect(await shown(page, '.hp-way')).toBe(1);
  expect(await shown(page, '.hp-line')).toBe(1);
  await expect(state(page, after)).toBeChecked();
}

async function expectAsItWas(page: Page): Promise<void> {
  await expect.poll(() => shown(page, '.hp-old')).toBe(1);
  await expect.poll(() => shown(page, '.hp-new, .hp-line, .hp-flow')).toBe(0);
}

/** Where each thing of the drawing is, in px. */
const places = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((all) =>
    all.map((one) => {
      const { left, top } = one.getBoundingClientRect();
      return [left, top] as const;
    }),
  );

/** Of the drawing's animations, those that run anywhere but on the compositor, and why. */
function notComposited(trace: Buffer): string[] {
  const { traceEvents } = JSON.parse(String(trace)) as { traceEvents: TraceEvent[] };
  const animations = traceEvents.filter(({ name }) => name === 'Animation');
  const isOurs = ({ args }: TraceEvent) => args?.data?.nodeName?.includes("class='hp-");
  expect(animations.filter(isOurs).length).toBeGreaterThan(20);
  // The event doesn't repeat which one it is, and the id of one that ended is given again.
  return animations.flatMap(({ id2, args }, at) => {
    const reason = (args?.data?.compositeFailed ?? 0) & ~NOTHING_TO_SHOW;
    const of = animations
      .slice(0, at)
      .findLast((other) => other.id2?.local === id2?.local && other.args?.data?.nodeName);
    return reason && of && isOurs(of) ? [`${of.args?.data?.nodeName}: ${reason}`] : [];
  });
}

test('the story runs on the compositor alone, takes at most 5 s and ends on After by itself; then either is chosen within 400 ms, by keys too, and nothing is replayed', async ({
  page,
  browser,
}) => {
  await browser.startTracing(page, { categories: ['blink.animations', 'devtools.timeline'] });
  await openPage(page);
  const [drawing, mark] = await turns(page);
  expect(drawing).toBeGreaterThan(0);
  expect(mark).toBe(drawing);
  expect(Math.max(...(await ends(page)).map(({ end }) => end))).toBeLessThanOrEqual(5_000);
  await expect.poll(() => running(page)).toBe(0);
  expect(notComposited(await browser.stopTracing())).toEqual([]);
  await expectSolved(page);
  const parcels = await places(page, '.hp-flow:not(.hp-t0)');
  const distances = parcels.slice(1).map(([x, y], at) => {
    const [ax = 0, ay = 0] = parcels[at] ?? [];
    return Math.hypot(x - ax, y - ay);
  });
  // Corners are cut, at most to where both legs are as long.
  expect(Math.min(...distances)).toBeGreaterThan(Math.max(...distances) * 0.6);

  await state(page, after).focus();
  for (const [key, check] of [
    ['ArrowLeft', expectAsItWas],
    ['ArrowRight', expectSolved],
  ] as const) {
    await page.keyboard.press(key);
    for (const { isRunning, end } of await ends(page)) if (isRunning) expect(end).toBeLessThanOrEqual(400);
    await check(page);
  }
  await state(page, before).locator('..').click();
  await expectAsItWas(page);
  const box = await state(page, before).boundingBox();
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
});

test.describe('for a visitor who wants less motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('the plan is solved from the start, and the switch changes it at once', async ({ page }) => {
    await openPage(page);
    expect(await running(page)).toBe(0);
    await expectSolved(page);
    await state(page, before).check();
    expect(await running(page)).toBe(0);
    await expectAsItWas(page);
    // The one parcel has arrived.
    const [parcel, form] = await Promise.all([
      route(page).locator('i').boundingBox(),
      page.locator('form').boundingBox(),
    ]);
    expect(Math.abs((parcel?.y ?? 0) - (form?.y ?? 0))).toBeLessThan(64);
  });
});

const route = (page: Page) => page.locator('main > p:has(> i)');

test('one parcel keeps pace with the reader down to the form, beside all words', async ({ page }) => {
  await openPage(page);
  await eachSize(page, [PHONE, { width: 1024, height: 768 }, DESKTOP], async ({ width, height }) => {
    const parcel = route(page).locator('i');
    const form = await page.locator('form').evaluate((one) => one.getBoundingClientRect().top + scrollY);
    const at = (top: number) =>
      parcel.evaluate((one, y) => {
        scrollTo({ top: y, behavior: 'instant' });
        const { top, bottom } = one.getBoundingClientRect();
        return { top, bottom: bottom + scrollY };
      }, top);
    const [early, later, last] = [await at(height), await at(form / 2), await at(form + height)];
    expect(early.top).toBeCloseTo(later.top, 0);
    expect(early.top).toBeLessThan(height);
    expect(Math.abs(last.bottom - form)).toBeLessThan(64);
    const line = await route(page).boundingBox();
    const { x = 0, width: across = 0 } = line ?? {};
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
      // With its marks
      width < 1024 ? { left: x, right: x + 8 } : { left: x + across - 8, right: x + across },
    );
    expect(crossed).toEqual([]);
    expect(
      await parcel.evaluate((one) => [...one.getAnimations(), ...(one.parentElement?.getAnimations() ?? [])]),
    ).toEqual([]);
  });
});

test('headline, call to action, bottleneck, and Before beside After are in the first view at every size', async ({
  page,
}) => {
  await openPage(page);
  const first = page.locator('#hero-banner');
  const sizes = [...WINDOWS, { width: 320, height: 568 }, { width: 1279, height: 800 }];
  await eachSize(page, sizes, async () => {
    for (const part of [
      first.getByRole('heading', { level: 1 }),
      first.getByRole('link', { name: navigation.callToAction.label }),
      first.locator('g.d-hot.hp-hot'),
    ])
      await expect(part).toBeInViewport({ ratio: 1 });
    const [left, right] = await Promise.all(
      [before, after].map((name) => state(page, name).locator('..').boundingBox()),
    );
    expect(right?.y).toBe(left?.y);
    expect(right?.x).toBeGreaterThanOrEqual((left?.x ?? 0) + (left?.width ?? 0));
  });
});
