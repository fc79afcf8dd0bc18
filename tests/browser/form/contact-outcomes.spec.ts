import { expect, type Page } from '@playwright/test';
import { contactForm, outcomes, notifications as words } from '../../../site/content/contact-form.ts';
import { filled } from '../../../site/ui/words.ts';
import { test } from '../../support/site/browser-site.ts';
import {
  answerCall,
  CALL,
  closeToast,
  EMPTY,
  emailField,
  expectForm,
  fillForm,
  holdBack,
  IN_FORM,
  MESSAGE,
  messageField,
  nameField,
  note,
  openPage,
  STORED,
  send,
  sendButton,
  sendWell,
  toast,
} from '../visitor.ts';

async function expectFailure(page: Page, title: string, description: string | RegExp): Promise<void> {
  await expect(toast(page)).toHaveCount(1);
  await expect(toast(page)).toHaveAttribute('data-variant', 'destructive');
  await expect(toast(page).getByText(title, { exact: true })).toBeVisible();
  await expect(toast(page).getByText(description, { exact: true })).toBeVisible();
  await expectForm(page, MESSAGE);
}

test('an error is shown in its own words, as text and never as markup, and stays beside the button, with a way out by mail; a lost connection is a failed submission, and one click sends the same message again', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of 503|ERR_/);
  const { promise, status, instead } = filled(contactForm);
  await openPage(page);
  // Some hosts rewrite the page's own links.
  await page.evaluate(() => {
    for (const link of document.querySelectorAll('a[href^=mailto]'))
      link.setAttribute('href', '/cdn-cgi/protection');
  });
  await expect(note(page)).toHaveText(promise);
  await fillForm(page);
  const error = 'The mailbox is <img src=x onerror="console.error(1)"> & on holiday until the 20th.';
  await answerCall(page, { status: 503, json: { error } });
  await sendButton(page).click();
  await expectFailure(page, 'Error', error);
  await closeToast(page);
  await expect(note(page)).toHaveText(`${status.failed} ${error} ${instead} hello@example.com`);
  const mail = new URL((await note(page).getByRole('link').getAttribute('href')) ?? '');
  expect([mail.protocol, mail.pathname]).toEqual(['mailto:', 'hello@example.com']);
  expect(mail.searchParams.get('body')).toBe(MESSAGE.message);
  await page.route(CALL, (route) => route.abort('connectionreset'));
  await sendButton(page).click();
  await expectFailure(page, 'Submission Failed', /^Error: (?!.*Edge Function).*[^.]\. Please try again\.$/);
  await expect(note(page), 'it may have been stored').toContainText(status.unsure);

  await answerCall(page, STORED);
  const call = await holdBack(page, CALL);
  await sendButton(page).click();
  await expect(toast(page), 'what is no longer so').toHaveCount(0);
  call.release();
  await expect(toast(page)).toContainText('Success!');
  await expectForm(page, EMPTY);
  await closeToast(page);
  await expect(note(page)).toHaveText(promise);
});

test('a visitor without a connection reads that they’re offline, also if the code that sends never came, and sends at the next try', async ({
  page,
  expectFault,
}) => {
  expectFault(/ERR_/);
  await page.route(IN_FORM, (route) => route.abort());
  await openPage(page);
  await page.evaluate(() => Object.defineProperty(navigator, 'onLine', { value: false }));
  await send(page);
  const plain = page.getByRole('alert');
  await expect(plain).toContainText(outcomes.failed.offline);
  await expectForm(page, MESSAGE);
  await plain.getByRole('button', { name: words.close }).click();
  await expect(plain).toHaveCount(0);

  await page.unroute(IN_FORM);
  await page.route(CALL, (route) => route.abort('internetdisconnected'));
  await sendButton(page).click();
  await expectFailure(page, 'Submission Failed', `Error: ${outcomes.failed.offline}. Please try again.`);

  await sendWell(page);
});

const NO_ADDRESS = 'Please enter an e-mail address like name@example.com.';
const REFUSED = { status: 422, json: { code: 'INVALID_FIELD', error: NO_ADDRESS, field: 'email' } };

test('a field’s error is shown beside it, marked, described and focused, until that field is edited or the message sent', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of (422|503)/);
  await openPage(page);
  await answerCall(page, REFUSED);
  await send(page);
  await expectFailure(page, 'Error', NO_ADDRESS);
  await expect(emailField(page)).toBeFocused();
  await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(emailField(page)).toHaveAccessibleDescription(NO_ADDRESS);
  await expect(page.locator('#contact-form').getByText(NO_ADDRESS)).toBeVisible();
  for (const other of [nameField(page), messageField(page)]) {
    await expect(other).not.toHaveAttribute('aria-invalid');
  }

  await nameField(page).fill('Ada Lovelace');
  await answerCall(page, { status: 503, json: { error: 'Not saved.' } });
  await sendButton(page).click();
  await expect(toast(page)).toContainText('Not saved.');
  await expect(emailField(page), 'neither was about it').toHaveAttribute('aria-invalid', 'true');

  await emailField(page).fill('ada@example.org');
  await expect(emailField(page)).not.toHaveAttribute('aria-invalid');
  await expect(page.locator('#contact-form').getByText(NO_ADDRESS)).toHaveCount(0);

  await answerCall(page, REFUSED);
  await send(page);
  await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true');
  await answerCall(page, STORED);
  await sendButton(page).click();
  await expect(toast(page)).toContainText('Success!');
  await expect(emailField(page)).not.toHaveAttribute('aria-invalid');
});
