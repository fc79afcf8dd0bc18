import { expect, type Page } from '@playwright/test';
import { test } from '../support/site/browser-site.ts';
import { EMPTY, eachSize, expectForm, MESSAGE, messageField, openPage, send, toast } from './visitor.ts';

/** Everything a browser remembers about a site. */
const remembered = async (page: Page) => ({
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
  await openPage(page);
  const notice = page.getByText('I keep your name, e-mail address and message to answer you');
  const address = notice.getByRole('link', { name: 'Write to me' });
  await expect(address).toHaveAttribute('href', 'mailto:hello@example.com');
  await eachSize(
    page,
    [320, 1440].map((width) => ({ width, height: 900 })),
    async () => {
      await notice.scrollIntoViewIfNeeded();
      await expect(notice).toBeInViewport({ ratio: 1 });
      const [form, box] = [await page.locator('#contact-form').boundingBox(), await notice.boundingBox()];
      expect(box?.y).toBeCloseTo((form?.y ?? 0) + (form?.height ?? 0), 0);
    },
  );
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
  await expect(toast(page)).toContainText('Success!');
  await expectForm(page, EMPTY);
  expect(await remembered(page)).toEqual(NOTHING);
});
