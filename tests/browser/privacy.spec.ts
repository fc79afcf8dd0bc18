import { expect, type Page } from '@playwright/test';
import { test } from '../support/site/browser-site.ts';
import { EMPTY, expectForm, MESSAGE, messageField, openPage, send, toast } from './visitor.ts';

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
