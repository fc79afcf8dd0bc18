import { expect, type Page } from '@playwright/test';
import { hero } from '../../../site/content/hero.ts';
import { navigation } from '../../../site/content/navigation.ts';
import { test } from '../../support/site/browser-site.ts';
import { MOVING, openPage } from '../visitor.ts';

test.use(MOVING);

type TraceEvent = {
  name: string;
  id2?: { local?: string };
  args?: { data?: { nodeName?: string; compositeFailed?: number } };
};

const pause = (page: Page) => page.getByRole('checkbox', { name: hero.pause });

/** How many of the drawing's animations are running. */
const running = (page: Page) =>
  page.evaluate(
    () =>
      document
        .getAnimations()
        .filter(
          ({ effect, playState }) =>
            playState === 'running' && effect instanceof KeyframeEffect && effect.target?.closest('.hp'),
        ).length,
  );

/** Moves the drawing to a point in its story, in milliseconds. */
const seek = (page: Page, ms: number) =>
  page.evaluate((time) => {
    for (const animation of document.getAnimations()) {
      if (!(animation.effect instanceof KeyframeEffect && animation.effect.target?.closest('.hp'))) continue;
      animation.pause();
      animation.currentTime = time;
    }
  }, ms);

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

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('a button of 44 px pauses the drawing and resumes it', async ({ page }) => {
    await page.goto('/');
    const box = await pause(page).boundingBox();
    expect(box?.width).toBeGreaterThanOrEqual(44);
    expect(box?.height).toBeGreaterThanOrEqual(44);
    const pile = page.locator('.hp-old');
    await expect(pile).toHaveCSS('animation-play-state', 'running');
    await pause(page).check();
    await expect(pile).toHaveCSS('animation-play-state', 'paused');
    await pause(page).uncheck();
    await expect(pile).toHaveCSS('animation-play-state', 'running');
  });
});

test('the drawing runs on the compositor alone', async ({ page, browser }) => {
  await browser.startTracing(page, { categories: ['blink.animations', 'devtools.timeline'] });
  await openPage(page);
  await expect.poll(() => running(page)).toBeGreaterThan(30);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const animations = traceEvents.filter(({ name }) => name === 'Animation');
  const started = animations.filter(({ args }) => args?.data?.nodeName?.includes("class='hp-"));
  expect(started.length).toBeGreaterThan(30);
  // Why an animation isn't composited; the event doesn't repeat which one it is.
  const reasons = animations.flatMap(({ id2, args }) => {
    const reason = args?.data?.compositeFailed;
    const of = started.find((other) => other.id2?.local === id2?.local);
    return reason && of ? [`${of.args?.data?.nodeName}: ${reason}`] : [];
  });
  expect(reasons).toEqual([]);
});

test('the drawing stops while it’s out of view, starts over when it’s back, and a key pauses it', async ({
  page,
}) => {
  await openPage(page);
  await expect.poll(() => running(page)).toBeGreaterThan(30);
  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }));
  await expect.poll(() => running(page)).toBe(0);
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await expect.poll(() => running(page)).toBeGreaterThan(30);
  await pause(page).focus();
  await page.keyboard.press('Space');
  expect(await running(page)).toBe(0);
});

test('the drawing begins with the pile, and the bench or its outline is always orange', async ({ page }) => {
  await openPage(page);
  await expect.poll(() => running(page)).toBeGreaterThan(30);
  await seek(page, 3_500);
  expect(await shown(page, '.hp-old > g')).toBe(1);
  expect(await shown(page, '.hp-line')).toBe(0);
  await seek(page, 7_500);
  expect(await shown(page, '.hp-line')).toBe(1);
  await seek(page, 11_000);
  expect(await shown(page, '.hp-old > g')).toBe(0);
  expect(await shown(page, '.hp-b')).toBe(1);
  for (let ms = 0; ms < 16_000; ms += 100) {
    await seek(page, ms);
    // The bench or its dashed outline; the circle around it doesn't count.
    expect(await shown(page, 'g.d-hot, .hp-new > .d-hot'), `${ms} ms`).toBeGreaterThan(0.4);
  }
});

test.describe('for a visitor who wants less motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('nothing moves, and there is nothing to pause', async ({ page }) => {
    await openPage(page);
    await expect(pause(page)).toBeHidden();
    expect(await running(page)).toBe(0);
  });
});

test('headline, call to action and bottleneck are in the first view at every size', async ({ page }) => {
  await openPage(page);
  const first = page.locator('#hero-banner');
  for (const [width, height] of [
    [320, 568],
    [360, 640],
    [390, 664],
    [844, 390],
    [1024, 768],
    [1180, 820],
    [1279, 800],
    [1440, 900],
  ] as const) {
    await test.step(`${width}×${height}`, async () => {
      await page.setViewportSize({ width, height });
      for (const part of [
        first.getByRole('heading', { level: 1 }),
        first.getByRole('link', { name: navigation.callToAction.label }),
        first.locator('g.d-hot'),
      ]) {
        await expect(part).toBeInViewport({ ratio: 1 });
      }
    });
  }
});
