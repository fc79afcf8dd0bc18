import { expect } from '@playwright/test';
import { test } from './site.ts';
import {
  answerCall,
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
} from './visitor.ts';

/** The script that loads React; nothing is hydrated before it. */
const REACT = '**/assets/hydrate-*.js';

test('what was typed survives a reload', async ({ page }) => {
  await openPage(page);
  await fillForm(page);
  await page.reload();
  await expectAlive(page);
  await expectForm(page, MESSAGE);
});

test('what was typed survives a failure and a reload', async ({ page, expectFault }) => {
  expectFault(/ERR_/);
  await openPage(page);
  await page.route(CALL, (route) => route.abort());
  await send(page);
  await expect(toast(page)).toContainText('Submission Failed');
  await page.reload();
  await expectAlive(page);
  await expectForm(page, MESSAGE);
});

test('what was sent does not come back after a reload', async ({ page }) => {
  await openPage(page);
  await answerCall(page, STORED);
  await send(page);
  await expect(toast(page)).toContainText('Success!');
  await page.reload();
  await expectAlive(page);
  await expectForm(page, EMPTY);
});

test('what was typed before React arrived stays when it comes', async ({ page }) => {
  const react = await holdBack(page, REACT);
  await page.goto('/');
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
});

test('a form that is sent before React arrived is sent once, when it comes', async ({ page }) => {
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

test('an empty form that is sent before React arrived is stopped by the browser', async ({ page }) => {
  const call = await holdBack(page, CALL);
  const react = await holdBack(page, REACT);
  await page.goto('/');
  await sendButton(page).click();
  await expect(nameField(page)).toBeFocused();
  react.release();
  await expectAlive(page);
  expect(call.count()).toBe(0);
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
