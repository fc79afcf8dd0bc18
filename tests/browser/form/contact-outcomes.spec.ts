import { expect, type Page } from '@playwright/test';
import { test } from '../../support/site/browser-site.ts';
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
} from '../visitor.ts';

const HTML = '<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>';

async function expectFailure(page: Page, title: string, description: string | RegExp): Promise<void> {
  await expect(toast(page)).toHaveCount(1);
  await expect(toast(page)).toHaveAttribute('data-variant', 'destructive');
  await expect(toast(page).getByText(title, { exact: true })).toBeVisible();
  await expect(toast(page).getByText(description, { exact: true })).toBeVisible();
  await expectForm(page, MESSAGE);
}

/** So that the next toast can't be taken for this one, which may have gone by itself. */
async function closeToast(page: Page): Promise<void> {
  await toast(page)
    .getByRole('button')
    .evaluateAll((all: HTMLButtonElement[]) => all[0]?.click());
  await expect(toast(page)).toHaveCount(0);
}

test('an error is shown under “Error” in its own words, whatever the status, as text and never as markup', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of (400|422|429|503)/);
  await openPage(page);
  await fillForm(page);
  for (const status of [200, 400, 422, 429, 503]) {
    await test.step(`${status}`, async () => {
      const error = `The mailbox is <img src=x onerror="console.error(1)"> & on holiday until the ${status}th.`;
      await answerCall(page, { status, json: { error } });
      await sendButton(page).click();
      await expectFailure(page, 'Error', error);
    });
  }
});

test('any other failure is a failed submission, and one click sends the same message again', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of 50|ERR_/);
  await openPage(page);
  await fillForm(page);
  async function expectFailedSubmission(): Promise<void> {
    await sendButton(page).click();
    await expectFailure(page, 'Submission Failed', /^Error: (?!.*Edge Function).*[^.]\. Please try again\.$/);
  }
  for (const [name, answer] of [
    ['a 500 without a body', { status: 500, body: '' }],
    ['a 500 whose body says nothing of an error', { status: 500, json: { ok: false } }],
    ['a 502 with the HTML of a proxy', { status: 502, contentType: 'text/html', body: HTML }],
  ] as const) {
    await test.step(name, async () => {
      await answerCall(page, { ...answer });
      await expectFailedSubmission();
    });
    await closeToast(page);
  }
  for (const reason of ['failed', 'internetdisconnected', 'connectionreset'] as const) {
    await test.step(`a call that ends with “${reason}”`, async () => {
      await page.route(CALL, (route) => route.abort(reason));
      await expectFailedSubmission();
    });
    await closeToast(page);
  }
  await answerCall(page, STORED);
  await sendButton(page).click();
  await expect(toast(page)).toContainText('Success!');
  await expectForm(page, EMPTY);
});

test('a visitor without a connection reads that they’re offline', async ({ page, expectFault }) => {
  expectFault(/ERR_/);
  await openPage(page);
  const notifications = page.waitForResponse('**/in-form-*.js');
  await fillForm(page);
  await (await notifications).finished();
  await page.evaluate(() => Object.defineProperty(navigator, 'onLine', { value: false }));
  await page.route('**', (route) => route.abort('internetdisconnected'));
  await sendButton(page).click();
  const words = 'You’re offline. Your message is still in the form.';
  await expectFailure(page, 'Submission Failed', `Error: ${words} Please try again.`);
});

const NO_ADDRESS = 'Please enter an e-mail address like name@example.com.';
const REFUSED = { status: 422, json: { code: 'INVALID_FIELD', error: NO_ADDRESS, field: 'email' } };

test('a field’s error is shown beside it, marked, described and focused, until the field is edited or the message sent', async ({
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

  await test.step('the same error again brings the focus back', async () => {
    await sendButton(page).click();
    await expect(emailField(page)).toBeFocused();
  });

  await test.step('a failure that isn’t about a field leaves the mark', async () => {
    await answerCall(page, { status: 503, json: { error: 'Not saved.' } });
    await sendButton(page).click();
    await expect(toast(page)).toContainText('Not saved.');
    await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true');
  });

  await test.step('success removes it', async () => {
    await answerCall(page, STORED);
    await sendButton(page).click();
    await expect(toast(page)).toContainText('Success!');
    await expect(emailField(page)).not.toHaveAttribute('aria-invalid');
  });

  await test.step('editing its field does too, and editing another doesn’t', async () => {
    await answerCall(page, REFUSED);
    await send(page);
    await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true');
    await nameField(page).fill('Ada Lovelace');
    await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true');
    await emailField(page).fill('ada@example.org');
    await expect(emailField(page)).not.toHaveAttribute('aria-invalid');
    await expect(page.locator('#contact-form').getByText(NO_ADDRESS)).toHaveCount(0);
  });
});
