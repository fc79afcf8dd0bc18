import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import type { Database } from '../../server/messages/database.ts';
import { markSpam } from '../../server/messages/owner.ts';
import { openSqlite } from '../../server/messages/sqlite.ts';
import { createStore } from '../support/database/open-store.ts';
import { cookieFor, openDeskInCopy } from '../support/desk/open-desk-page.ts';
import { expectNoBarrier, expectToFit } from './barriers.ts';
import { PHONE } from './visitor.ts';

const LONG = 'Jean-Christophe Vandenbroucke-Desrosiers de la Montagne';
const MESSAGES = [
  { name: 'Dana Whitfield', message: 'We run out of the same three things.\n\nCan you look?' },
  { name: 'فاطمة الزهراء', message: 'مرحباً، لدينا متجر صغير.' },
  { name: LONG, message: 'Averylongwordwithoutanyspace'.repeat(200) },
  { name: '王小明', message: '订单处理非常混乱。' },
  { name: 'W'.repeat(200), message: 'One word for a name.' },
  { name: 'Cheap Rank', message: 'Page one!' },
];

// One desk for all tests, since its start takes longer than most of them.
test.describe.configure({ mode: 'default' });
let database: Database;
let desk: Awaited<ReturnType<typeof openDeskInCopy>>;
let messages: string;
let cookie: string;
test.beforeAll(async () => {
  desk = await openDeskInCopy('CONTACT_EMAIL=owner@example.com\nSMTP_URL=smtp://127.0.0.1:9\n');
  database = await openSqlite(join(desk.copy, 'contact.db'));
  messages = `${desk.address}/messages`;
  cookie = await cookieFor(desk.link);
});
test.afterAll(async () => {
  await database.close();
  await desk.close();
});

test.beforeEach(async ({ page, context }) => {
  await database.db.deleteFrom('contact_message').execute();
  const { add } = createStore(database);
  const now = Date.now();
  for (const [index, message] of MESSAGES.entries())
    await add({ ...message, email: `writer${index}@example.org` }, { now: now - index * 3_600_000 });
  // The site would go on trying to mail them.
  await database.db.updateTable('contact_message').set({ state: 'sent', sent_at: now }).execute();
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: desk.address }]);
  await page.goto(desk.address);
});

/** As on her phone: only the words page runs anything in the browser, so nothing may run here. */
test.use({ javaScriptEnabled: false, viewport: PHONE });

const rows = (page: Page) => page.locator('.messages li');

test('messages in every script are found, read on a phone, printed, exported', async ({ page }) => {
  await page.goto(messages);
  await page.getByRole('searchbox').fill('متجر');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('فاطمة');
  await page.getByRole('navigation', { name: 'Messages' }).getByRole('link', { name: 'Answered' }).click();
  await expect(page.getByText('No messages here.')).toBeVisible();

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export to a spreadsheet' }).click();
  expect((await download).suggestedFilename()).toMatch(/^messages-\d{4}-\d\d-\d\d\.csv$/);

  await test.step('what she does with it is in reach, however long the message is', async () => {
    await page.goto(messages);
    await page.getByRole('link', { name: LONG.slice(0, 12) }).click();
    for (const name of ['Answer', 'Mark as answered'])
      await expect(page.locator('.deeds').getByText(name, { exact: true })).toBeInViewport({ ratio: 1 });
  });

  await page.goto(`${messages}?text=Dana`);
  await page.getByRole('link', { name: 'Dana' }).click();
  await page.emulateMedia({ media: 'print' });
  for (const text of ['Can you look?', 'writer0@example.org'])
    await expect(page.locator('.words, dd').filter({ hasText: text })).toBeVisible();
  for (const role of ['button', 'textbox', 'navigation', 'link'] as const)
    await expect(page.getByRole(role)).toHaveCount(0);
});

test('a message is judged, answered by mail, and erased', async ({ page }) => {
  await page.goto(messages);
  const status = page.getByRole('status');
  await page.getByRole('link', { name: 'Cheap Rank' }).click();
  await page.getByRole('button', { name: 'Mark as spam' }).click();
  await expect(status).toHaveText('Marked as spam.');
  await expect(page, 'what screen readers begin with').toHaveTitle(/^Marked as spam\./);
  await page.getByRole('button', { name: 'Not spam' }).click();
  await expect(status).toHaveText('No longer marked as spam.');

  await page.goto(messages);
  await page.getByRole('link', { name: 'Dana' }).click();
  await expect(page.getByRole('link', { name: 'Answer', exact: true })).toHaveAttribute(
    'href',
    /^mailto:writer0@example\.org\?subject=.+&body=Hi%20Dana%20Whitfield.+We%20run%20out/,
  );
  await page.getByRole('button', { name: 'Mark as answered' }).click();
  await page.getByRole('link', { name: '← Messages' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    `${MESSAGES.length - 1} messages are waiting for your answer.`,
  );

  await page.getByRole('link', { name: '王小明' }).click();
  await page.getByRole('link', { name: 'Erase this person' }).click();
  await expect(rows(page)).toContainText('订单');
  await page.getByRole('button', { name: 'Erase for good' }).click();
  await expect(status).toHaveText('Erased 1 message.');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('is stored');
  await page.goto(messages);
  await expect(rows(page)).toHaveCount(MESSAGES.length - 2);
});

test('the list says who, what, when, and the time left; orange needs her', async ({ page }) => {
  const { db } = database;
  const change = (name: string, columns: object) =>
    db.updateTable('contact_message').set(columns).where('name', '=', name).execute();
  await change('Cheap Rank', { received_at: Date.now() - 27 * 3_600_000 });
  await change('王小明', { state: 'set_aside', last_error: 'refused smtp-550', opened_at: 1 });
  await page.goto(messages);
  const row = (name: string) => rows(page).filter({ hasText: name });
  await expect(row('Dana')).toContainText('We run out of the same three things. Can you look?');
  await expect(row('Dana')).toContainText(/(23|24) h left/);
  await expect(row('Dana')).toContainText(/writer0@example\.org (today|yesterday), \d\d:\d\d/);
  await expect(row('Cheap Rank')).toContainText('3 h over');
  await expect(row('王小明')).toContainText('Not mailed to you');
  // Forced colours draw each border, even a transparent one.
  for (const link of await page.locator('nav a:not([aria-current])').all())
    await expect(link).toHaveCSS('border-width', '0px');
  await expect(page.locator('.messages .hot')).toHaveCount(2);
  await db.updateTable('contact_message').set({ state: 'sent', received_at: Date.now() }).execute();
  await page.goto(messages);
  await expect(page.locator('main .hot')).toHaveCount(0);
});

test('what’s needed or found leads to where to fix it; a test goes all the way', async ({ page }) => {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Getting ready');
  await page.getByRole('link', { name: 'An address with https' }).click();
  await expect(page.getByLabel('Web address')).toBeInViewport();
  await page.goto(`${desk.address}/check`);
  const finding = (what: string) => page.locator('.finding', { has: page.getByText(what, { exact: true }) });
  await expect(finding('Mail server').getByRole('link')).toHaveAttribute('href', '/desk/settings#SMTP_URL');
  await page.getByRole('button', { name: 'Send a test message' }).click();
  await expect(finding('Test email')).toContainText('It was stored, but not mailed');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.goBack();
  await expect(finding('Test email'), 'on the way back').toContainText('It was stored, but not mailed');
});

test.describe('as a browser with scripts shows it', () => {
  test.use({ javaScriptEnabled: true });

  test('every page fits phone and desktop, without accessibility findings', async ({ page }) => {
    await page.goto(messages);
    const pathOf = async (name: string) =>
      (await page.getByRole('link', { name }).getAttribute('href')) ?? '';
    const long = await pathOf(LONG.slice(0, 12));
    const word = await pathOf('WWW');
    const spam = await pathOf('Cheap Rank');
    await markSpam(database, spam.split('/').at(-1) ?? '', Date.now());
    const list = ['', '?text=nowhere', '?view=spam', '/erase?email=writer2@example.org'];
    const others = ['', '/check/findings', '/keep', '/keep/restore', '/devices', '/nowhere'];
    const paths = [...list.map((one) => `/messages${one}`), ...others].map((one) => `/desk${one}`);
    const settings = '/desk/settings';
    for (const path of [...paths, long, `${long}/answered`, word, spam, settings]) {
      await page.goto(desk.origin + path);
      if (path === settings) {
        await page.getByLabel('Your email address').fill('nobody');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing is saved yet.');
        await expect(page.getByLabel('Server', { exact: true })).toBeVisible();
      }
      await expectToFit(page, [1280, 390, 320]);
      // Its colours don't depend on the width.
      await expectNoBarrier(page);
    }
  });
});
