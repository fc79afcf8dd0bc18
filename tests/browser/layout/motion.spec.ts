import { expect, type Page } from '@playwright/test';
import { hero } from '../../../site/content/hero.ts';
import { navigation } from '../../../site/content/navigation.ts';
import { test } from '../../support/site/browser-site.ts';
import { MOVING, openPage } from '../visitor.ts';

test.use(MOVING);

/** Chromium's bit for an animation that changes nothing on the screen just then, so it isn't run anywhere. */
const NOTHING_TO_SHOW = 1 << 17;

type TraceEvent = {
  name: string;
  id2?: { local?: string };
  args?: { data?: { nodeName?: string; compositeFailed?: number } };
};

const again = (page: Page) => page.getByRole('button', { name: hero.again });

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
  expect(await shown(page, '.hp-old, .hp-ring')).toBe(0);
  expect(await shown(page, '.hp-new > .d-hot')).toBe(1);
  expect(await shown(page, '.hp-way')).toBe(1);
  expect(await shown(page, '.hp-line')).toBe(1);
}

test('the drawing runs on the compositor alone', async ({ page, browser }) => {
  await browser.startTracing(page, { categories: ['blink.animations', 'devtools.timeline'] });
  await openPage(page);
  await expect(again(page)).toBeVisible();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const animations = traceEvents.filter(({ name }) => name === 'Animation');
  const isOurs = ({ args }: TraceEvent) => args?.data?.nodeName?.includes("class='hp-");
  expect(animations.filter(isOurs).length).toBeGreaterThan(20);
  // Why an animation isn't composited. The event doesn't repeat which one it is, and the id of one that ended is given again.
  const reasons = animations.flatMap(({ id2, args }, at) => {
    const reason = (args?.data?.compositeFailed ?? 0) & ~NOTHING_TO_SHOW;
    const of = animations
      .slice(0, at)
      .findLast((other) => other.id2?.local === id2?.local && other.args?.data?.nodeName);
    return reason && of && isOurs(of) ? [`${of.args?.data?.nodeName}: ${reason}`] : [];
  });
  expect(reasons).toEqual([]);
});

test('the story takes at most 5 s, is over by itself and stays solved, and a button of 44 px plays it again', async ({
  page,
}) => {
  await openPage(page);
  await expect.poll(() => running(page)).toBe(0);
  await expectSolved(page);
  const box = await again(page).boundingBox();
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  await again(page).press('Enter');
  expect(await running(page)).toBeGreaterThan(20);
  expect(await shown(page, '.hp-old')).toBe(1);
  const ends = await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect }) => effect instanceof KeyframeEffect && effect.target?.closest('.hp'))
      .map(({ effect }) => Number(effect?.getComputedTiming().endTime)),
  );
  expect(Math.max(...ends)).toBeLessThanOrEqual(5_000);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the story plays, and there is no button that could do nothing', async ({ page }) => {
    await page.goto('/');
    await expect(page.locator('.hp-old')).toHaveCSS('opacity', '0');
    await expect(page.locator('.hp-again')).toBeHidden();
  });
});

test.describe('for a visitor who wants less motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('the plan is solved from the start, and there is nothing to play', async ({ page }) => {
    await openPage(page);
    await expect(again(page)).toBeHidden();
    expect(await running(page)).toBe(0);
    await expectSolved(page);
  });
});

test('headline, call to action and bottleneck are in the first view at every size', async ({ page }) => {
  await openPage(page);
  const first = page.locator('#hero-banner');
  for (const [width, height] of [
    [320, 568],
    [390, 664],
    [844, 390],
    [1080, 540],
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
