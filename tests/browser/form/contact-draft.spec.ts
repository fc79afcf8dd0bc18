import { expect, type Page } from '@playwright/test';
import { CLIENT_INFO, readClientInfo } from '../../../contract/contact-message.ts';
import { packages } from '../../../site/content/packages.ts';
import { test } from '../../support/site/browser-site.ts';
import {
  answerCall,
  BODY,
  CALL,
  EMPTY,
  emailField,
  expectAlive,
  expectForm,
  fillForm,
  holdBack,
  MESSAGE,
  messageField,
  nameField,
  openPage,
  STORED,
  send,
  sendButton,
  toast,
} from '../visitor.ts';

/** The script that loads React; nothing is hydrated before it. */
const REACT = '**/assets/hydrate-*.js';

test('what was typed survives a failure and a reload, and is gone once it’s sent', async ({
  page,
  expectFault,
}) => {
  expectFault(/ERR_/);
  async function reload(): Promise<void> {
    await page.reload();
    await expectAlive(page);
  }
  await openPage(page);
  await fillForm(page);
  await reload();
  await expectForm(page, MESSAGE);

  await page.route(CALL, (route) => route.abort());
  await sendButton(page).click();
  await expect(toast(page)).toContainText('Submission Failed');
  await reload();
  await expectForm(page, MESSAGE);

  await answerCall(page, STORED);
  const call = page.waitForRequest(CALL);
  await sendButton(page).click();
  const openMs = readClientInfo((await call).headers()[CLIENT_INFO] ?? null)?.openMs;
  expect(openMs, 'a draft isn’t sent too fast for a person').toBeGreaterThan(60_000);
  await expect(toast(page)).toContainText('Success!');
  await reload();
  await expectForm(page, EMPTY);
});

test('before React arrives the browser stops an empty form, and what’s typed by then stays', async ({
  page,
}) => {
  const call = await holdBack(page, CALL);
  const react = await holdBack(page, REACT);
  await page.goto('/');
  await sendButton(page).click();
  await expect(nameField(page)).toBeFocused();
  await fillForm(page);
  await messageField(page).focus();
  await expect(page.locator('[data-hydrated]')).toHaveCount(0);
  react.release();
  await expectAlive(page);
  await expectForm(page, MESSAGE);
  await expect(messageField(page)).toBeFocused();
  await page.reload();
  await expectAlive(page);
  await expectForm(page, MESSAGE);
  expect(call.count()).toBe(0);
});

test('a form submitted before React arrives is sent once, when React does', async ({ page }) => {
  await answerCall(page, STORED);
  const call = await holdBack(page, CALL);
  const react = await holdBack(page, REACT);
  await page.goto('/');
  await fillForm(page);
  await sendButton(page).click();
  await sendButton(page).click();
  await expect(page.locator('[data-island="contact-form"]')).toHaveAttribute('data-waiting');
  expect(call.count()).toBe(0);
  react.release();
  await expectAlive(page);
  call.release();
  await expect(toast(page)).toContainText('Success!');
  expect(call.count()).toBe(1);
  await expectForm(page, EMPTY);
  await expect(page).toHaveURL('/');
});

test('drafts of two tabs do not mix', async ({ page, context }) => {
  await openPage(page);
  await fillForm(page);
  const other = await context.newPage();
  await openPage(other);
  await expectForm(other, EMPTY);
});

test('a visitor who blocks storage can still write and send', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'sessionStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
  await openPage(page);
  await answerCall(page, STORED);
  await send(page);
  await expect(toast(page)).toContainText('Success!');
  await expect(emailField(page)).toHaveValue('');
});

const [first, second] = packages.items.map(({ title }) => `${title}:\n`);
const ask = (page: Page, at: number) => page.getByRole('link', { name: packages.ask }).nth(at).click();

test('asking about a package writes its name above the message, which keeps what was typed', async ({
  page,
}) => {
  await openPage(page);
  await ask(page, 0);
  await expect(page).toHaveURL('/#lets-map-your-blueprint');
  await expect(messageField(page)).toHaveValue(`${first}`);
  await ask(page, 1);
  await expect(messageField(page)).toHaveValue(`${second}`);
  await page.goBack();
  await expect(messageField(page)).toHaveValue(`${second}`);

  await messageField(page).press('ControlOrMeta+End');
  await messageField(page).pressSequentially('Two vans.');
  await expect(messageField(page)).toHaveValue(`${second}Two vans.`);
  await ask(page, 0);
  await expect(messageField(page)).toHaveValue(`${first}Two vans.`);
  await messageField(page).fill('Three vans.');
  await ask(page, 1);
  await expect(messageField(page)).toHaveValue(`${second}Three vans.`);
  await page.reload();
  await expectAlive(page);
  await expectForm(page, { ...EMPTY, message: `${second}Three vans.` });
});

test('a link that opens elsewhere writes nothing here, and the name of the package is sent above the message', async ({
  page,
}) => {
  await openPage(page);
  // The tab it would open is the browser's affair.
  await page.evaluate(() => addEventListener('click', (event) => event.preventDefault(), { once: true }));
  await page
    .getByRole('link', { name: packages.ask })
    .first()
    .click({ modifiers: ['ControlOrMeta'] });
  await expectForm(page, EMPTY);
  await ask(page, 0);
  await expect(messageField(page)).toHaveValue(`${first}`);

  await answerCall(page, STORED);
  await fillForm(page);
  await ask(page, 1);
  const call = page.waitForRequest(CALL);
  await sendButton(page).click();
  expect((await call).postDataJSON()).toEqual({ ...BODY, message: `${second}${MESSAGE.message}` });
  await expect(toast(page)).toContainText('Success!');
  await expectForm(page, EMPTY);
});

test('a package asked about before React arrives is named above the draft once it does', async ({ page }) => {
  await openPage(page);
  await fillForm(page);
  const react = await holdBack(page, REACT);
  await page.reload();
  // Browsers restore fields themselves, some later than others.
  await messageField(page).fill('');
  await ask(page, 0);
  await expect(messageField(page)).toHaveValue('');
  react.release();
  await expectAlive(page);
  await expectForm(page, { ...MESSAGE, message: `${first}${MESSAGE.message}` });
});

test('the package is named even if React never arrives', async ({ page, expectFault }) => {
  expectFault(/ERR_FAILED/);
  await page.route(REACT, (route) => route.abort());
  // The script that hears the click is the one that asks for React.
  const heard = page.waitForRequest(REACT);
  await page.goto('/');
  await heard;
  await ask(page, 2);
  await expect(messageField(page)).toHaveValue(`${packages.items[2]?.title}:\n`);
});
