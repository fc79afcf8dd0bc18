import { expect } from '@playwright/test';
import { test } from '../support/site/browser-site.ts';
import { expectForm, MESSAGE, messageField, notifications, openPage, PHONE, send } from './visitor.ts';

/** Everything a browser remembers about a site. */
const remembered = async (page: import('@playwright/test').Page) => ({
  cookies: await page.context().cookies(),
  ...(await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    databases: (await indexedDB.databases()).length,
    caches: (await caches.keys()).length,
  }))),
});
const NOTHING = { cookies: [], local: [], session: [], databases: 0, caches: 0 };

test('beside the form is what’s kept, why, and how to have it erased', async ({ page }) => {
  for (const width of [320, PHONE.width, 1440]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await openPage(page);
      const notice = page.getByText('I keep your name, e-mail address and message to answer you');
      await notice.scrollIntoViewIfNeeded();
      await expect(notice).toBeInViewport({ ratio: 1 });
      await expect(notice.getByRole('link', { name: 'Write to me' })).toHaveAttribute(
        'href',
        'mailto:hello@example.com',
      );
      const [form, box] = [await page.locator('#contact-form').boundingBox(), await notice.boundingBox()];
      expect(box?.y).toBeCloseTo((form?.y ?? 0) + (form?.height ?? 0), 0);
      expect(box?.x).toBeGreaterThanOrEqual(form?.x ?? Number.NaN);
    }
  }
});

test('a visit leaves nothing in the browser, and a message only its draft while it’s being written', async ({
  page,
}) => {
  await openPage(page);
  await page.waitForLoadState('networkidle');
  expect(await remembered(page)).toEqual(NOTHING);
  await messageField(page).fill(MESSAGE.message);
  expect(await remembered(page)).toEqual({ ...NOTHING, session: ['contact-draft'] });
  await send(page);
  await expect(notifications(page).getByText('Success!')).toBeVisible();
  await expectForm(page, { name: '', email: '', message: '' });
  expect(await remembered(page)).toEqual(NOTHING);
});
