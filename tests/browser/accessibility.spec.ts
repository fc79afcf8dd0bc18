import { expect } from '@playwright/test';
import { notSent } from '../../site/content/error-pages.ts';
import { navigation } from '../../site/content/navigation.ts';
import { inLongRun } from '../long.ts';
import { contrast } from '../support/site/contrast.ts';
import { expectNoBarrier, THEMES } from './barriers.ts';
import { DESKTOP, expectUncovered, MOVING, PHONE, STORED, test, type Visitor } from './visitor.ts';

// Colours hardly depend on the window, so each window has one theme; a long run has both.
const WINDOWS = [
  ['a phone', PHONE, 'light'],
  ['a desktop', DESKTOP, 'dark'],
] as const;

for (const [width, viewport, theme] of WINDOWS)
  test.describe(`on ${width}`, () => {
    test.use({ viewport, colorScheme: theme });
    const themes = inLongRun(THEMES, [theme]);
    const expectNoFindings = async (visitor: Visitor) => {
      // Otherwise a link passing under the header would count as too small to press.
      await visitor.scrollTo(0);
      await expectNoBarrier(visitor.page, themes);
    };

    // Each opens the page once for all of its states: opening it takes as long as checking it.
    test('the page has no accessibility findings', async ({ page, visitor }) => {
      await page.emulateMedia(MOVING);
      await visitor.open();
      await expectNoFindings(visitor);
      if (viewport === PHONE) {
        await test.step('the open menu has none either', async () => {
          await visitor.menuButton.click();
          await expect(visitor.menu).toBeVisible();
          await expectNoFindings(visitor);
          await visitor.menuButton.click();
          await expect(visitor.menu).toBeHidden();
        });
      }
      await test.step('with more contrast, its lines are stronger, and it has none either', async () => {
        const line = () => visitor.nameField.evaluate((node) => getComputedStyle(node).borderBottom);
        const usual = await line();
        await page.emulateMedia({ contrast: 'more' });
        const stronger = await line();
        expect(Number.parseFloat(stronger)).toBeGreaterThan(Number.parseFloat(usual));
        expect(stronger.split('solid')[1]).not.toBe(usual.split('solid')[1]);
        await expectNoFindings(visitor);
        await page.emulateMedia({ contrast: null });
      });
      await test.step('the focus is always visible at 3:1', async () => {
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await visitor.scrollTo(viewport.height);
        // From here on, focus counts as coming from the keyboard.
        await page.keyboard.press('Tab');
        for (const colorScheme of themes) {
          await page.emulateMedia({ colorScheme });
          const rings = await page.evaluate(ringsOfFocus);
          expect(rings.length).toBeGreaterThan(20);
          expect(rings.filter(({ colours }) => contrast(colours) < 3)).toEqual([]);
        }
      });
    });

    test('nor has the form in any state, nor open questions or other pages', async ({ page, visitor }) => {
      visitor.expectFault(/status of (404|422)/);
      await visitor.open();
      await test.step('a field that the browser rejects', async () => {
        await visitor.nameField.fill('Ada');
        await visitor.sendButton.click();
        await expect(page.locator('#contact-form :user-invalid')).not.toHaveCount(0);
        await expectNoFindings(visitor);
      });
      for (const [outcome, answer, variant] of [
        ['refused', { json: { error: 'Please enter your name.', field: 'name' } }, 'destructive'],
        ['stored', STORED, 'default'],
      ] as const)
        await test.step(`a message that the function has ${outcome}, with its toast`, async () => {
          await visitor.sendFor(answer);
          await expect(visitor.toast).toHaveAttribute('data-variant', variant);
          // So that it stays.
          await visitor.toast.hover();
          // Focus scrolls the page to its field, so jumping to the top has to come after it.
          if (outcome === 'refused') await expect(visitor.nameField).toBeFocused();
          await expectNoFindings(visitor);
          await expect(visitor.toast).toHaveAttribute('data-variant', variant);
        });

      await page.unrouteAll();
      await visitor.fill();
      // Bypasses the script, as a browser without scripts would.
      const post = () => page.locator('#contact-form').evaluate((form: HTMLFormElement) => form.submit());
      await post();
      await expect(page).toHaveURL('/#message-sent');
      await visitor.expectAlive();
      await expect(visitor.receipt).toBeVisible();
      await page.locator('details').evaluateAll((all: HTMLDetailsElement[]) => {
        for (const details of all) details.open = true;
        document.querySelector('#about-founder')?.scrollIntoView({ behavior: 'instant' });
      });
      await expectNoBarrier(page, themes);
      await post();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(notSent.heading);
      await expectNoFindings(visitor);
      await page.goto('/nowhere');
      await expectNoFindings(visitor);
    });
  });

// A zoomed desktop window is short and wide.
for (const { width, height } of [PHONE, { width: 1080, height: 540 }])
  test(`Tab skips the header, then reaches all, uncovered, at ${width} px`, async ({ page, visitor }) => {
    await page.setViewportSize({ width, height });
    await visitor.open();
    const order = await page
      .locator(
        ':is(a[href], button, input:not([type=radio]:not(:checked)), textarea, summary):not([tabindex="-1"])',
      )
      .filter({ visible: true })
      .evaluateAll((all: HTMLElement[]) =>
        all.map((one, at) => Object.assign(one.dataset, { stop: String(at) }).stop),
      );
    expect(order.length).toBeGreaterThan(20);
    const focused = page.locator(':focus');
    const reached: (string | null)[] = [];
    for (;;) {
      await page.keyboard.press('Tab');
      if ((await focused.count()) === 0 || reached.length > 2 * order.length) break;
      await expectUncovered(focused);
      reached.push(await focused.getAttribute('data-stop'));
    }
    // Others come and go with the scroll position, such as the back-to-top button.
    expect(reached.filter((stop) => stop !== null)).toEqual(order);

    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: navigation.skipLink });
    await expect(skip).toBeFocused();
    await expect(skip).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Enter');
    await expect(page.locator('main')).toBeFocused();
  });

/** Runs in the page. The colours of each control's outline and of its ground. */
function ringsOfFocus() {
  const up = (from: Element | null, wanted: (style: CSSStyleDeclaration) => boolean) => {
    let at = from;
    while (at && !wanted(getComputedStyle(at))) at = at.parentElement;
    return at ?? document.documentElement;
  };
  const controls = document.querySelectorAll<HTMLElement>(
    ':is(a[href], button, input, textarea, summary):not([tabindex="-1"])',
  );
  return [...controls].flatMap((control) => {
    control.focus({ preventScroll: true });
    if (document.activeElement !== control) return [];
    const ringed = up(control, ({ outlineStyle }) => outlineStyle !== 'none');
    const { outlineColor, outlineOffset } = getComputedStyle(ringed);
    const isOutside = Number.parseFloat(outlineOffset) >= 0;
    // The translucent header has the page's ground.
    const ground = up(isOutside ? ringed.parentElement : ringed, ({ backgroundColor }) =>
      backgroundColor.startsWith('rgb('),
    );
    const colours = [outlineColor, getComputedStyle(ground).backgroundColor];
    const rgb = (colour: string) => (colour.match(/\d+/g) ?? []).map(Number);
    return [{ control: control.textContent || control.id, colours: colours.map(rgb) }];
  });
}
