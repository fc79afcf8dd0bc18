import { expect } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { DESKTOP, followLink, linksIn, MOVING, PHONE, test, type Visitor } from '../visitor.ts';

test.use({ ...MOVING, viewport: PHONE });

async function expectPlain({ header }: Visitor): Promise<void> {
  await expect(header).toHaveCSS('backdrop-filter', 'none');
  await expect(header).toHaveCSS('background-color', /^rgb\(/);
  await expect(header).toHaveCSS('border-bottom-color', 'rgba(0, 0, 0, 0)');
}

async function expectTranslucent({ header }: Visitor): Promise<void> {
  await expect(header).toHaveCSS('backdrop-filter', /blur\([1-9]\d*px\)/);
  await expect(header).toHaveCSS('background-color', /(\/|rgba\(.*,) 0\.\d+\)$/);
  await expect(header).toHaveCSS('border-bottom', /solid rgb\(/);
}

test('all links stay at the top, plain at 20 px only, and say what’s read', async ({ page, visitor }) => {
  await page.setViewportSize(DESKTOP);
  await visitor.open('/#service-pillars');
  await expectTranslucent(visitor);
  const { header } = visitor;
  await expect(header.getByRole('link').and(page.locator('[aria-current]'))).toHaveText('Services');
  const { links, callToAction } = navigation;
  const [, ...leading] = await linksIn(header);
  expect(leading).toEqual([...links, callToAction].map(({ label, id }) => [label, `#${id}`]));
  await expect(visitor.menuButton).toHaveCount(0);
  for (const [y, expectLook] of [
    [20, expectPlain],
    [21, expectTranslucent],
    [20, expectPlain],
    [1500, expectTranslucent],
  ] as const) {
    await visitor.scrollTo(y);
    await expectLook(visitor);
    expect((await header.boundingBox())?.y).toBe(0);
  }
  // As page-darkening programs do.
  await page.evaluate(() => document.styleSheets[0]?.insertRule(':is(header, #x) { background: #123 }'));
  await expect(header).toHaveCSS('background-color', 'rgb(17, 34, 51)');
});

async function openMenu({ menu, menuButton }: Visitor): Promise<void> {
  await menuButton.click();
  await expect(menu).toBeVisible();
  await expect(menuButton).toHaveAttribute('aria-expanded', 'true');
}

async function expectClosed({ menu, menuButton }: Visitor): Promise<void> {
  await expect(menu).toBeHidden();
  await expect(menuButton).toHaveAttribute('aria-expanded', 'false');
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
    await expect(visitor.menuButton).toBeVisible();
    await expect(visitor.menuButton).toHaveAttribute('aria-controls', 'mobile-menu');
    await expect(visitor.header.getByRole('navigation')).toHaveCount(0);
    await expectClosed(visitor);

    const links = visitor.menu.getByRole('navigation').getByRole('link');
    for (const [how, close] of [
      ['the button', () => visitor.menuButton.click()],
      ['a tap outside', () => page.mouse.click(PHONE.width / 2, PHONE.height - 40)],
    ] as const)
      await test.step(`${how} closes it again, and presses nothing else`, async () => {
        await openMenu(visitor);
        await expect(links).toHaveText(navigation.links.map(({ label }) => label));
        await close();
        await expectClosed(visitor);
        await expect(page).toHaveURL('/');
      });

    await test.step('it works with the keyboard, and closes when the focus leaves it', async () => {
      await visitor.menuButton.focus();
      await page.keyboard.press('Enter');
      await expect(visitor.menu).toBeVisible();
      await page.keyboard.press('Tab');
      await expect(visitor.menu.getByRole('link', { name: 'Home' })).toBeFocused();
      for (let link = 0; link < 7; link += 1) await page.keyboard.press('Tab');
      await expectClosed(visitor);
      await expect(visitor.header.locator(':focus')).toHaveCount(0);
    });

    await test.step('Escape closes it and returns the focus to its button', async () => {
      await openMenu(visitor);
      await visitor.menu.getByRole('link', { name: 'Services' }).focus();
      await page.keyboard.press('Escape');
      await expectClosed(visitor);
      await expect(visitor.menuButton).toBeFocused();
    });

    await test.step('choosing a link closes it and goes there', async () => {
      await openMenu(visitor);
      await followLink(visitor.menu.getByRole('link', { name: 'Packages' }));
      await expectClosed(visitor);
      await expect(page).toHaveURL('/#blueprint-journey');
      await expect(page.locator('#blueprint-journey h2')).toBeInViewport();
    });

    await test.step('it closes when the window grows to desktop size', async () => {
      await openMenu(visitor);
      await page.setViewportSize(DESKTOP);
      await expect(visitor.menu).toBeHidden();
      await expect(visitor.menuButton).toHaveCount(0);
      await page.setViewportSize(PHONE);
      await expectClosed(visitor);
    });
  });

test('the menu opens before the script arrives, which then knows', async ({ page, visitor }) => {
  const script = await visitor.holdBack('**/assets/islands-*.js');
  await page.goto('/');
  await visitor.menuButton.click();
  await expect(visitor.menu).toBeVisible();
  script.release();
  await expect(visitor.menuButton).toHaveAttribute('aria-expanded', 'true');
  await visitor.menu.getByRole('link', { name: 'Packages' }).click();
  await expectClosed(visitor);
});
