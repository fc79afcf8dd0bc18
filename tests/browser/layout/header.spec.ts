import { expect, type Page } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { DESKTOP, followLink, linksIn, MOVING, PHONE, test } from '../visitor.ts';

test.use({ ...MOVING, viewport: PHONE });

const banner = (page: Page) => page.getByRole('banner');
const toggle = (page: Page) => banner(page).getByRole('button');
const menu = (page: Page) => page.locator('#mobile-menu');

async function expectPlain(page: Page): Promise<void> {
  const header = banner(page);
  // Where only styles decide, the animation starts with a filter that does nothing.
  await expect(header).toHaveCSS('backdrop-filter', /^(none|blur\(0px\) saturate\(1\))$/);
  await expect(header).toHaveCSS('background-color', /^rgb\(/);
  await expect(header).toHaveCSS('border-bottom-color', 'rgba(0, 0, 0, 0)');
}

async function expectTranslucent(page: Page): Promise<void> {
  const header = banner(page);
  await expect(header).toHaveCSS('backdrop-filter', /blur\([1-9]\d*px\)/);
  await expect(header).toHaveCSS('background-color', /(\/|rgba\(.*,) 0\.\d+\)$/);
  await expect(header).not.toHaveCSS('border-bottom-color', /, 0\)$/);
  await expect(header).toHaveCSS('border-bottom-style', 'solid');
}

test('on a desktop all links stay at the top, and say which part is read', async ({ page, visitor }) => {
  await page.setViewportSize(DESKTOP);
  await visitor.open('/#service-pillars');
  await expectTranslucent(page);
  const header = banner(page);
  await expect(header.getByRole('link').and(page.locator('[aria-current]'))).toHaveText('Services');
  const { links, callToAction } = navigation;
  const [, ...leading] = await linksIn(header);
  expect(leading).toEqual([...links, callToAction].map(({ label, id }) => [label, `#${id}`]));
  await expect(toggle(page)).toHaveCount(0);
  for (const y of [0, 1500]) {
    await visitor.scrollTo(y);
    expect((await header.boundingBox())?.y).toBe(0);
  }
});

for (const script of ['with', 'before'] as const) {
  test(`the header is plain at 20 px, translucent at 21, ${script} the script`, async ({ page, visitor }) => {
    visitor.expectFault(/ERR_FAILED/);
    if (script === 'before') await page.route('**/assets/islands-*.js', (route) => route.abort());
    await (script === 'before' ? visitor.openStyled() : visitor.open());
    await expectPlain(page);
    await visitor.scrollTo(20);
    await expectPlain(page);
    await visitor.scrollTo(21);
    await expectTranslucent(page);
    await visitor.scrollTo(20);
    await expectPlain(page);
  });
}

async function openMenu(page: Page): Promise<void> {
  await toggle(page).click();
  await expect(menu(page)).toBeVisible();
  await expect(toggle(page)).toHaveAttribute('aria-expanded', 'true');
}

async function expectClosed(page: Page): Promise<void> {
  await expect(menu(page)).toBeHidden();
  await expect(toggle(page)).toHaveAttribute('aria-expanded', 'false');
}

for (const popovers of ['with', 'without'] as const)
  test(`in a browser ${popovers} popovers, a phone’s button opens the menu`, async ({ page, visitor }) => {
    // Chromium before 114, Firefox before 125 and Safari before 17
    if (popovers === 'without')
      await page.addInitScript(() => {
        for (const name of ['popover', 'showPopover', 'hidePopover'])
          Reflect.deleteProperty(HTMLElement.prototype, name);
      });
    await visitor.open();
    await expect(toggle(page)).toBeVisible();
    await expect(toggle(page)).toHaveAttribute('aria-controls', 'mobile-menu');
    await expect(banner(page).getByRole('navigation')).toHaveCount(0);
    await expectClosed(page);

    const links = menu(page).getByRole('navigation').getByRole('link');
    for (const [how, close] of [
      ['the button', () => toggle(page).click()],
      ['a tap outside', () => page.mouse.click(PHONE.width / 2, PHONE.height - 40)],
    ] as const)
      await test.step(`${how} closes it again, and presses nothing else`, async () => {
        await openMenu(page);
        await expect(links).toHaveText(navigation.links.map(({ label }) => label));
        await close();
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
      await expect(banner(page).locator(':focus')).toHaveCount(0);
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
      await expect(toggle(page)).toHaveCount(0);
      await page.setViewportSize(PHONE);
      await expectClosed(page);
    });
  });

test('the menu opens before the script arrives, which then knows', async ({ page, visitor }) => {
  const script = await visitor.holdBack('**/assets/islands-*.js');
  await page.goto('/');
  await toggle(page).click();
  await expect(menu(page)).toBeVisible();
  script.release();
  await expect(toggle(page)).toHaveAttribute('aria-expanded', 'true');
  await menu(page).getByRole('link', { name: 'Packages' }).click();
  await expectClosed(page);
});
