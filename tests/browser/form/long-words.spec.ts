import { expect, type Page } from '@playwright/test';
import { notifications as words } from '../../../site/content/contact-form.ts';
import { mails } from '../../mail-shots.ts';
import { test } from '../../support/site/browser-site.ts';
import {
  answerCall,
  eachSize,
  fillForm,
  messageField,
  openPage,
  type Size,
  send,
  sendButton,
  toast,
} from '../visitor.ts';
import { stickingOut } from '../widths.ts';

/** What people paste, and what a server may say: long, and without a place to break. */
const WORD = `https://example.sharepoint.com/${'a1b2c3d4'.repeat(30)}`;
const TEXT = `${WORD} ${'and so on '.repeat(400)}`;
const LONG = {
  name: WORD.slice(0, 200),
  email: `${'a'.repeat(60)}@${'b'.repeat(60)}.example.com`,
  message: WORD,
};

const SIZES: Size[] = [
  { width: 320, height: 568 },
  { width: 390, height: 664 },
  { width: 1280, height: 800 },
];

const expectNothingOut = async (page: Page) => expect(await page.evaluate(stickingOut)).toEqual([]);

test('a field is no wider than its cell, whatever is pasted into it', async ({ page }) => {
  await openPage(page);
  await fillForm(page, LONG);
  await eachSize(page, SIZES, () => expectNothingOut(page));
});

test('what the server says of it stays within the form and the toast, however long', async ({ page }) => {
  await openPage(page);
  await page.getByRole('checkbox').first().check();
  await page.locator('#contact-form li').evaluate((topic) => topic.prepend('W'.repeat(80)));
  for (const field of [undefined, 'email']) {
    await answerCall(page, { status: 200, json: { error: TEXT, field } });
    await send(page);
    await expect(toast(page)).toContainText(WORD);
    await eachSize(page, SIZES, () => expectNothingOut(page));
  }
});

test('a toast is no taller than the window: its text scrolls, with the keyboard too, and its title and button stay', async ({
  page,
}) => {
  await openPage(page);
  await answerCall(page, { status: 200, json: { error: TEXT } });
  await send(page);
  const title = toast(page).getByText('Error', { exact: true });
  const close = toast(page).getByRole('button', { name: words.close });
  const text = toast(page).getByText(WORD);
  await messageField(page).focus();
  await page.keyboard.press('F8');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(text).toBeFocused();
  const short = [
    { width: 844, height: 390 },
    { width: 360, height: 225 },
  ];
  await eachSize(page, [...SIZES, ...short], async () => {
    const at = await page.evaluate(() => scrollY);
    await page.keyboard.press('End');
    await expect
      .poll(() => text.evaluate((node) => node.scrollHeight - node.clientHeight - node.scrollTop))
      .toBeLessThan(2);
    for (const part of [toast(page), title, close]) await expect(part).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => scrollY)).toBe(at);
    await page.keyboard.press('Home');
    await expect.poll(() => text.evaluate((node) => node.scrollTop)).toBe(0);
  });
  await page.keyboard.press('Tab');
  await expect(close).toBeFocused();
});

test('a toast of the usual length has no stop for the keyboard in its text', async ({ page }) => {
  await openPage(page);
  await answerCall(page, { status: 200, json: { error: 'Not today.' } });
  await send(page);
  await expect(toast(page)).toContainText('Not today.');
  await page.keyboard.press('F8');
  await page.keyboard.press('Tab');
  await expect(toast(page)).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(toast(page).getByRole('button')).toBeFocused();
});

test('no mail is wider than its window', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 568 });
  for (const [name, { html }] of Object.entries(mails())) {
    await page.setContent(html);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(320);
  }
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the page that gives the text back is no wider than the window', async ({ page, expectFault }) => {
    expectFault(/status of 422/);
    await page.goto('/');
    await fillForm(page, { ...LONG, name: '  ' });
    await sendButton(page).click();
    await expect(messageField(page)).toHaveAttribute('aria-invalid', 'false');
    await expect(messageField(page)).toHaveValue(WORD);
    await eachSize(page, SIZES, () => expectNothingOut(page));
  });
});
