import { expect } from '@playwright/test';
import { navigation } from '../../../site/content/navigation.ts';
import { expectUncovered, PHONE, test } from '../visitor.ts';

// That the focus is visible at 3:1 is checked in accessibility.spec.ts.
test('Tab leads past the header, or to everything in order, uncovered', async ({ page, visitor }) => {
  await page.setViewportSize(PHONE);
  await visitor.open();
  const order = await page
    .locator('a[href], button, input:not([type=radio]:not(:checked)), textarea, summary')
    .filter({ visible: true })
    .evaluateAll((all: HTMLElement[]) =>
      all
        .filter(({ tabIndex }) => tabIndex >= 0)
        .map((one, at) => {
          one.dataset.stop = String(at);
          return one.dataset.stop;
        }),
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
