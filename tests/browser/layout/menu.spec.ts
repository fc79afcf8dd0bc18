import { expect, type Page } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { test } from '../../support/site/browser-site.ts';
import { DESKTOP, followLink, holdBack, MOVING, openPage, PHONE } from '../visitor.ts';

test.use(MOVING);

test.use({ viewport: PHONE });

const toggle = (page: Page) => page.getByRole('banner').getByRole('button');
const menu = (page: Page) => page.locator('#mobile-menu');

async function openMenu(page: Page): Promise<void> {
  await toggle(page).click();
  await expect(menu(page)).toBeVisible();
  await expect(toggle(page)).toHaveAttribute('aria-expanded', 'true');
}

async function expectClosed(page: Page): Promise<void> {
  await expect(menu(page)).toBeHidden();
  await expect(toggle(page)).toHaveAttribute('aria-expanded', 'false');
}

/** As in Chromium before 114, Firefox before 125 and Safari before 17. */
const withoutPopovers = (page: Page) =>
  page.addInitScript(() => {
    for (const name of ['popover', 'showPopover', 'hidePopover'])
      Reflect.deleteProperty(HTMLElement.prototype, name);
  });

for (const [what, prepare] of [
  ['', async () => {}],
  [', and in a browser without popovers, the page’s own', withoutPopovers],
] as const)
  test(`a phone shows a button in place of the links, which opens the menu${what}`, async ({ page }) => {
    await prepare(page);
    await openPage(page);
    await expect(toggle(page)).toBeVisible();
    await expect(toggle(page)).toHaveAttribute('aria-controls', 'mobile-menu');
    await expect(page.getByRole('banner').getByRole('navigation')).toHaveCount(0);
    await expectClosed(page);

    await openMenu(page);
    await expect(menu(page).getByRole('navigation').getByRole('link')).toHaveText(
      navigation.links.map(({ label }) => label),
    );

    await test.step('the button closes it again', async () => {
      await toggle(page).click();
      await expectClosed(page);
    });

    await test.step('a tap outside closes it and presses nothing else', async () => {
      await openMenu(page);
      await page.mouse.click(PHONE.width / 2, PHONE.height - 40);
      await expectClosed(page);
      await expect(page).toHaveURL('/');
    });

    await test.step('it works with the keyboard, and closes when the focus leaves it', async () => {
      await toggle(page).focus();
      await page.keyboard.press('Enter');
      await expect(menu(page)).toBeVisible();
      await page.keyboard.press('Tab');
      await expect(menu(page).getByRole('link', { name: 'Home' })).toBeFocused();
      for (let link = 0; link < 7; link += 1) await page.keyboard.press('Tab');
      await expectClosed(page);
      const inHeader = await page
        .getByRole('banner')
        .evaluate((node) => node.contains(document.activeElement));
      expect(inHeader).toBe(false);
    });

    await test.step('Escape closes it and returns the focus to its button', async () => {
      await openMenu(page);
      await menu(page).getByRole('link', { name: 'Services' }).focus();
      await page.keyboard.press('Escape');
      await expectClosed(page);
      await expect(toggle(page)).toBeFocused();
    });

    for (const [name, id] of [
      ['Packages', 'blueprint-journey'],
      ['Let’s Find & Fix My Bottlenecks', 'lets-map-your-blueprint'],
    ] as const) {
      await test.step(`choosing “${name}” closes it and goes there`, async () => {
        await openMenu(page);
        await followLink(menu(page).getByRole('link', { name }));
        await expectClosed(page);
        await expect(page).toHaveURL(`/#${id}`);
        await expect(page.locator(`#${id}`).getByRole('heading', { level: 2 })).toBeInViewport();
      });
    }

    await test.step('it closes when the window grows to desktop size', async () => {
      await openMenu(page);
      await page.setViewportSize(DESKTOP);
      await expect(menu(page)).toBeHidden();
      await expect(page.getByRole('banner').getByRole('button')).toHaveCount(0);
      await page.setViewportSize(PHONE);
      await expectClosed(page);
    });
  });

test('the menu opens before the page’s script arrives, which then knows that it’s open', async ({ page }) => {
  const script = await holdBack(page, '**/assets/islands-*.js');
  await page.goto('/');
  await toggle(page).click();
  await expect(menu(page)).toBeVisible();
  script.release();
  await expect(toggle(page)).toHaveAttribute('aria-expanded', 'true');
  await menu(page).getByRole('link', { name: 'Packages' }).click();
  await expectClosed(page);
});
