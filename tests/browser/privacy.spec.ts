import { expect, type Page } from '@playwright/test';
import { EMPTY, MESSAGE, test } from './visitor.ts';

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

test('nothing stays in the browser but a draft while it’s being written', async ({ page, visitor }) => {
  await visitor.open();
  await page.waitForLoadState('networkidle');
  expect(await remembered(page)).toEqual(NOTHING);
  await visitor.messageField.fill(MESSAGE.message);
  expect(await remembered(page)).toEqual({ ...NOTHING, session: ['contact-draft'] });
  await visitor.send();
  await expect(visitor.toast).toContainText('Success!');
  await visitor.expectForm(EMPTY);
  expect(await remembered(page)).toEqual(NOTHING);
});
