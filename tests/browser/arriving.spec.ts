import { expect, type Page } from '@playwright/test';
import { navigation } from '../../site/content/navigation.ts';
import { test } from '../support/site/browser-site.ts';
import {
  DESKTOP,
  expectAlive,
  expectTypeface,
  holdBack,
  MOVING,
  openPage,
  PHONE,
  watchShifts,
} from './visitor.ts';

test.use(MOVING);

/** What a visitor sees while the later styles load, or if they never do. */

const STYLES = '**/later-*.css';
const CONTACT = navigation.callToAction.id;

const hero = (page: Page) => page.locator('#hero-banner');
/** All ten sections after the hero, and the footer. */
const expectBelow = (page: Page, is: { visible: boolean }) =>
  expect(page.locator('main > section:not(#hero-banner), body > footer').filter(is)).toHaveCount(11);

/** Opens the page and holds its later styles back. */
async function arrive(page: Page, path: string) {
  const styles = await holdBack(page, STYLES);
  await page.goto(path, { waitUntil: 'commit' });
  await expect.poll(styles.count).toBe(1);
  return styles;
}

/** When the page was first painted, and when it asked for and had each of its files, in ms. */
const moments = (page: Page) =>
  page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    files: (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => /\.(js|css|woff2)$/.test(name))
      .map(({ name, startTime, responseEnd }) => ({
        name: name.replace(/.*\/([a-z-]+)-[\w-]{8}\.\w+$/, '$1'),
        asked: startTime,
        there: responseEnd,
      })),
  }));

const isStyled = (page: Page) =>
  page.locator('body > footer').evaluate((footer) => getComputedStyle(footer).borderTopWidth !== '0px');

for (const [place, hash, heading] of [
  ['section', CONTACT, "Let's Map Your Blueprint"],
  ['text', ':~:text=Stabilize', 'Stabilize'],
] as const)
  test(`on a phone, whoever follows a link to a ${place} over a slow line sees it, nothing unstyled and nothing that moves`, async ({
    page,
  }) => {
    await page.setViewportSize(PHONE);
    const shifts = await watchShifts(page);
    const styles = await arrive(page, `/#${hash}`);
    // By then, Chromium looks for a text no longer.
    await expect.poll(() => page.evaluate(() => performance.now())).toBeGreaterThan(1500);
    expect((await moments(page)).painted).toBe(0);
    styles.release();
    await expectAlive(page);
    await expect(page.getByRole('heading', { name: heading })).toBeInViewport();
    const { painted, files } = await moments(page);
    const later = files.find(({ name }) => name === 'later');
    expect(painted).toBeGreaterThanOrEqual(later?.there ?? Infinity);
    expect(await shifts()).toBeLessThan(0.01);
    expect(styles.count()).toBe(1);
  });

test('on a desktop, the page asks for no font, style or script before the first view is painted, ends below that until the rest has its styles, and nothing moves', async ({
  page,
}) => {
  // A window this tall would show some of the sections.
  await page.setViewportSize({ ...DESKTOP, height: 2000 });
  const shifts = await watchShifts(page);
  const styles = await arrive(page, '/');
  await expect(hero(page)).toBeVisible();
  await expectBelow(page, { visible: false });
  expect((await moments(page)).painted).toBeGreaterThan(0);
  const block = hero(page).locator('dl');
  const box = await block.boundingBox();
  await expect(block.getByRole('radio'), 'the switch has no styles yet').toHaveCount(0);
  styles.release();
  await expectBelow(page, { visible: true });
  await expect(block.getByRole('radio')).toHaveCount(2);
  expect(await block.boundingBox()).toEqual(box);
  await expect.poll(() => isStyled(page)).toBe(true);
  await expectAlive(page);
  await expectTypeface(page);
  expect(await shifts()).toBeLessThan(0.01);
  const { painted, files } = await moments(page);
  expect(files.map(({ name }) => name).sort()).toEqual(['archivo', 'archivo-wide', 'islands', 'later']);
  for (const { name, asked } of files) expect(asked, name).toBeGreaterThan(painted);
});

test('a link clicked before its section is there scrolls to it as soon as it is', async ({ page }) => {
  const styles = await arrive(page, '/');
  await hero(page).getByRole('link', { name: navigation.callToAction.label }).click();
  await expect(page).toHaveURL(`/#${CONTACT}`);
  styles.release();
  await expect(page.locator(`#${CONTACT} h2`)).toBeInViewport();
  await expect(page.locator(`#${CONTACT}`)).toBeFocused();
});

test('a reloaded page stays where it was', async ({ page }) => {
  await openPage(page);
  const heading = page.locator('#about-founder h2');
  // What's above may still take another height, and then the page moves with what's read.
  await heading.evaluate((one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }));
  await expect(heading).toBeInViewport();
  await page.reload();
  await expectAlive(page);
  await expect(heading).toBeInViewport();
});

test('styles that fail are asked for again, and the words are there meanwhile', async ({
  page,
  expectFault,
}) => {
  expectFault(/later-|Failed to load resource/);
  let isBroken = true;
  await page.route(STYLES, (route) => (isBroken ? route.abort() : route.fallback()));
  await page.goto(`/#${CONTACT}`);
  await expectBelow(page, { visible: true });
  expect(await isStyled(page)).toBe(false);
  isBroken = false;
  await expect.poll(() => isStyled(page)).toBe(true);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('nothing is painted before all styles have loaded, and the words are there even if they fail', async ({
    page,
    expectFault,
  }) => {
    expectFault(/later-|Failed to load resource/);
    const styles = await arrive(page, `/#${CONTACT}`);
    expect((await moments(page)).painted).toBe(0);
    styles.release();
    await expectBelow(page, { visible: true });
    await expect.poll(() => isStyled(page)).toBe(true);
    await expect.poll(async () => (await moments(page)).painted).toBeGreaterThan(0);

    await page.route(STYLES, (route) => route.abort());
    await page.goto('/');
    await expectBelow(page, { visible: true });
    expect(await isStyled(page)).toBe(false);
  });
});
