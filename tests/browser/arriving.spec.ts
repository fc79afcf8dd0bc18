import { expect, type Page } from '@playwright/test';
import { navigation } from '../../site/content/navigation.ts';
import { DESKTOP, MOVING, PHONE, test, type Visitor } from './visitor.ts';

test.use(MOVING);

/** What a visitor sees while the later styles load, or if they never do. */

const STYLES = '**/later-*.css';
const CONTACT = navigation.callToAction.id;

const hero = (page: Page) => page.locator('#hero-banner');
/** All ten sections after the hero, and the footer. */
const expectBelow = (page: Page, is: { visible: boolean }) =>
  expect(page.locator('main > section:not(#hero-banner), body > footer').filter(is)).toHaveCount(11);

async function arrive({ page, holdBack }: Visitor, path: string) {
  const styles = await holdBack(STYLES);
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
      .map(({ name, startTime: asked, responseEnd: there }) => ({ name, asked, there })),
  }));

const isStyled = (page: Page) =>
  page.locator('body > footer').evaluate((footer) => getComputedStyle(footer).borderTopWidth !== '0px');

for (const [place, hash, heading] of [
  ['section', CONTACT, "Let's Map Your Blueprint"],
  ['text', ':~:text=Stabilize', 'Stabilize'],
] as const)
  test(`a link to a ${place} on a slow line shows it styled, at once`, async ({ page, visitor }) => {
    await page.setViewportSize(PHONE);
    const styles = await arrive(visitor, `/#${hash}`);
    // By then, Chromium no longer looks for a text.
    await expect.poll(() => page.evaluate(() => performance.now())).toBeGreaterThan(1500);
    expect((await moments(page)).painted).toBe(0);
    styles.release();
    await visitor.expectAlive();
    await visitor.expectTypeface();
    await expect(page.getByRole('heading', { name: heading })).toBeInViewport();
    const { painted, files } = await moments(page);
    const later = files.find(({ name }) => name.includes('/later-'));
    expect(painted).toBeGreaterThanOrEqual(later?.there ?? Infinity);
    expect(await visitor.shifts()).toBeLessThan(0.01);
    expect(styles.count()).toBe(1);
  });

test('the first view is painted before anything else is asked for', async ({ page, visitor }) => {
  // A window this tall would show some of the sections.
  await page.setViewportSize({ ...DESKTOP, height: 2000 });
  const styles = await arrive(visitor, '/');
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
  await visitor.expectAlive();
  await visitor.expectTypeface();
  expect(await visitor.shifts()).toBeLessThan(0.01);
  const { painted, files } = await moments(page);
  const names = files.map(({ name }) => name.replace(/.*\/([a-z-]+)-[\w-]{8}\.\w+$/, '$1'));
  expect(names.sort()).toEqual(['archivo', 'archivo-wide', 'islands', 'later']);
  for (const { name, asked } of files) expect(asked, name).toBeGreaterThan(painted);
});

test('a link clicked before its section is there leads to it once it is', async ({ page, visitor }) => {
  const styles = await arrive(visitor, '/');
  await hero(page).getByRole('link', { name: navigation.callToAction.label }).click();
  await expect(page).toHaveURL(`/#${CONTACT}`);
  styles.release();
  await expect(page.locator(`#${CONTACT} h2`)).toBeInViewport();
  await expect(page.locator(`#${CONTACT}`)).toBeFocused();
});

test('a reloaded page stays where it was', async ({ page, visitor }) => {
  await visitor.open();
  const heading = page.locator('#about-founder h2');
  // What's above may still change its height, and then the page moves along with what's in view.
  await heading.evaluate((one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }));
  await expect(heading).toBeInViewport();
  await visitor.reload();
  await expect(heading).toBeInViewport();
});

test('styles that fail are asked for again, and the words are there meanwhile', async ({ page, visitor }) => {
  visitor.expectFault(/later-|Failed to load resource/);
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

  test('nothing is painted without its styles, unless they fail', async ({ page, visitor }) => {
    visitor.expectFault(/later-|Failed to load resource/);
    const styles = await arrive(visitor, `/#${CONTACT}`);
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
