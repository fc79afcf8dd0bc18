import { expect, type Page } from '@playwright/test';
import { test } from './site.ts';
import {
  answerCall,
  CALL,
  EMPTY,
  emailField,
  expectForm,
  fillForm,
  MESSAGE,
  messageField,
  nameField,
  openPage,
  STORED,
  send,
  sendButton,
  toast,
} from './visitor.ts';

const HTML = '<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>';

async function expectFailure(page: Page, title: string, description: string | RegExp): Promise<void> {
  await expect(toast(page)).toHaveCount(1);
  await expect(toast(page)).toHaveAttribute('data-variant', 'destructive');
  await expect(toast(page).getByText(title, { exact: true })).toBeVisible();
  await expect(toast(page).getByText(description, { exact: true })).toBeVisible();
  await expectForm(page, MESSAGE);
}

for (const status of [200, 400, 422, 429, 503]) {
  test(`an error that comes with ${status} is shown under “Error” in its own words`, async ({
    page,
    expectFault,
  }) => {
    if (status !== 200) expectFault(new RegExp(`status of ${status}`));
    await openPage(page);
    await answerCall(page, { status, json: { error: 'The mailbox is on holiday until Monday.' } });
    await send(page);
    await expectFailure(page, 'Error', 'The mailbox is on holiday until Monday.');
  });
}

test('words of the server are text, never markup', async ({ page }) => {
  await openPage(page);
  await answerCall(page, { status: 200, json: { error: '<img src=x onerror="console.error(1)"> & more' } });
  await send(page);
  await expectFailure(page, 'Error', '<img src=x onerror="console.error(1)"> & more');
});

for (const [name, answer] of [
  ['a 500 without a body', { status: 500, body: '' }],
  ['a 500 whose body says nothing of an error', { status: 500, json: { ok: false } }],
  ['a 502 with the HTML of a proxy', { status: 502, contentType: 'text/html', body: HTML }],
] as const) {
  test(`${name} is a failed submission`, async ({ page, expectFault }) => {
    expectFault(/status of 50/);
    await openPage(page);
    await answerCall(page, { ...answer });
    await send(page);
    await expectFailure(page, 'Submission Failed', /^Error: .*[^.]\. Please try again\.$/);
  });
}

for (const reason of ['failed', 'internetdisconnected', 'connectionreset'] as const) {
  test(`a call that ends with “${reason}” is a failed submission`, async ({ page, expectFault }) => {
    expectFault(/ERR_/);
    await openPage(page);
    await page.route(CALL, (route) => route.abort(reason));
    await send(page);
    await expectFailure(page, 'Submission Failed', /^Error: .*[^.]\. Please try again\.$/);
  });
}

test('a visitor without a connection reads that they are offline, and so beside the button', async ({
  page,
  expectFault,
}) => {
  expectFault(/ERR_/);
  await openPage(page);
  const notifications = page.waitForResponse('**/ToastView-*.js');
  await fillForm(page);
  await (await notifications).finished();
  await page.evaluate(() => Object.defineProperty(navigator, 'onLine', { value: false }));
  await page.route('**', (route) => route.abort('internetdisconnected'));
  await sendButton(page).click();
  const words = 'You’re offline. Your message is still in the form.';
  await expectFailure(page, 'Submission Failed', `Error: ${words} Please try again.`);
  await expect(page.locator('#contact-form')).toContainText(`Not sent. ${words}`);
});

for (const [name, answer] of [
  ['whose JSON is broken', { status: 200, contentType: 'application/json', body: '{"ok": tr' }],
  ['that says nothing', { status: 200, body: '' }],
  ['that is plain text', { status: 200, contentType: 'text/plain', body: 'ok' }],
  ['whose error is null', { status: 200, json: { error: null } }],
] as const) {
  test(`a 200 ${name} is a success`, async ({ page }) => {
    await openPage(page);
    await answerCall(page, { ...answer });
    await send(page);
    await expect(toast(page).getByText('Success!', { exact: true })).toBeVisible();
    await expectForm(page, EMPTY);
  });
}

test('after a failure the same message can be sent again with one click', async ({ page, expectFault }) => {
  expectFault(/ERR_/);
  await openPage(page);
  await page.route(CALL, (route) => route.abort(), { times: 1 });
  await send(page);
  await expectFailure(page, 'Submission Failed', /Please try again\.$/);
  await answerCall(page, STORED);
  await sendButton(page).click();
  await expect(toast(page)).toContainText('Success!');
  await expectForm(page, EMPTY);
});

test('a message that is too long for the server is refused in words, and kept', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of 422/);
  const message = 'x'.repeat(10_001);
  await openPage(page);
  await send(page, { ...MESSAGE, message });
  await expect(toast(page).getByText('Error', { exact: true })).toBeVisible();
  await expect(toast(page)).toContainText('10,000');
  await expect(messageField(page)).toBeFocused();
  await expect(messageField(page)).toHaveAccessibleDescription(/10,000/);
  await expectForm(page, { ...MESSAGE, message });
});

const NO_ADDRESS = 'Please enter an e-mail address like name@example.com.';
const REFUSED = { status: 422, json: { code: 'INVALID_FIELD', error: NO_ADDRESS, field: 'email' } };

test('an error of a field stands beside it, marked, described and in focus', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of 422/);
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
});

test('the mark goes when its field is edited, and not when another one is', async ({ page, expectFault }) => {
  expectFault(/status of 422/);
  await openPage(page);
  await answerCall(page, REFUSED);
  await send(page);
  await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true');
  await nameField(page).fill('Ada Lovelace');
  await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true');
  await emailField(page).fill('ada@example.org');
  await expect(emailField(page)).not.toHaveAttribute('aria-invalid');
  await expect(page.locator('#contact-form').getByText(NO_ADDRESS)).toHaveCount(0);
});

test('the mark outlives a failure that says nothing of a field, and goes with success', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of (422|503)/);
  await openPage(page);
  await page.route(CALL, (route) => route.fulfill(REFUSED), { times: 1 });
  await send(page);
  await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true');
  await page.route(CALL, (route) => route.fulfill({ status: 503, json: { error: 'Not saved.' } }), {
    times: 1,
  });
  await sendButton(page).click();
  await expect(toast(page)).toContainText('Not saved.');
  await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true');
  await answerCall(page, STORED);
  await sendButton(page).click();
  await expect(toast(page)).toContainText('Success!');
  await expect(emailField(page)).not.toHaveAttribute('aria-invalid');
});

test('the same fault twice brings the focus back to the field', async ({ page, expectFault }) => {
  expectFault(/status of 422/);
  await openPage(page);
  await answerCall(page, REFUSED);
  await send(page);
  await expect(emailField(page)).toBeFocused();
  await sendButton(page).click();
  await expect(emailField(page)).toBeFocused();
});
