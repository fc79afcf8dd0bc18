import { expect, type Locator } from '@playwright/test';
import { DEFAULT_ANON_KEY, FIELD_NAMES } from '../../../contract/contact-message.ts';
import { contactForm, notifications, outcomes } from '../../../site/content/contact-form.ts';
import { problems } from '../../../site/content/problems.ts';
import { filled } from '../../../site/ui/words.ts';
import {
  CALL,
  EMPTY,
  expectUncovered,
  IN_FORM,
  MESSAGE,
  PHONE,
  STORED,
  test,
  type Visitor,
} from '../visitor.ts';

test('what’s missing or wrong isn’t sent, and is noted by each field', async ({ visitor }) => {
  const { status, marked } = contactForm;
  const call = await visitor.holdBack(CALL);
  await visitor.open();
  const fields = [visitor.nameField, visitor.emailField, visitor.messageField];
  await expect(visitor.messageField).toHaveAttribute('rows', '4');
  await visitor.emailField.fill('ada at example');
  await visitor.sendButton.click();
  for (const field of fields) {
    await expect(field).not.toHaveAttribute('maxlength');
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    const words = await field.evaluate((node: HTMLInputElement) => node.validationMessage);
    await expect(field).toHaveAccessibleDescription(new RegExp(`^${RegExp.escape(words)}`));
    await expect(visitor.form.getByText(words).first()).toBeVisible();
  }
  await expect(visitor.nameField).toBeFocused();
  await expect(visitor.note).toHaveText(`${status.incomplete} ${marked}`);
  await visitor.fill({ ...MESSAGE, message: '' });
  await expect(visitor.nameField).not.toHaveAttribute('aria-invalid');
  await expect(visitor.note).toHaveText(`${status.incomplete} ${marked}`);
  await visitor.sendButton.click();
  await expect(visitor.messageField).toBeFocused();
  await visitor.messageField.fill('Now.');
  await expect(visitor.note).toHaveText(filled(contactForm).promise);
  expect(call.count()).toBe(0);
  await expect(visitor.toast).toHaveCount(0);
});

test('one POST goes out, however often it’s asked for', async ({ baseURL, page, visitor }) => {
  const script = await visitor.holdBack(IN_FORM);
  await visitor.open();
  await visitor.answerCall(STORED);
  const call = page.waitForRequest(CALL);
  const clicked = await visitor.holdBack(CALL);
  await visitor.fill();
  await visitor.sendButton.dblclick();
  const { form } = visitor;
  await expect(form).toHaveAttribute('aria-busy', 'true');
  script.release();
  const made = await call;
  await expect(visitor.sendButton).toHaveText(contactForm.sending, { useInnerText: true });
  await expect(visitor.sendButton).toHaveAttribute('aria-disabled', 'true');
  await expect(visitor.sendButton).toBeFocused();
  await expect(form).toHaveAttribute('aria-busy', 'true');
  await expect(visitor.messageField).not.toBeEditable();
  // Forced: Playwright would wait for the button to stop being disabled.
  await visitor.sendButton.click({ force: true });
  await visitor.emailField.press('Enter');
  // As if somebody pressed it once more just as the form is emptied.
  await form.evaluate((one: HTMLFormElement) =>
    one.addEventListener('reset', () => setTimeout(() => one.requestSubmit())),
  );
  await page.getByRole('checkbox').first().check();
  clicked.release();

  await expect(visitor.toast.getByText('Success!', { exact: true })).toBeVisible();
  await expect(visitor.toast.getByText(filled(outcomes).sent.description, { exact: true })).toBeVisible();
  await visitor.expectForm(EMPTY);
  await expect(page.getByRole('checkbox').first(), 'ticked too late to be sent').toBeChecked();
  await page.getByRole('checkbox').first().uncheck();
  await expect(visitor.note, 'what’s empty now isn’t missing').toHaveText(filled(contactForm).promise);
  await expect(form.locator('[aria-invalid=true]')).toHaveCount(0);
  await expect(visitor.sendButton).toHaveText(contactForm.button, { useInnerText: true });
  await expect(visitor.sendButton).not.toHaveAttribute('aria-disabled');
  await expect(visitor.messageField).toBeEditable();
  expect(clicked.count()).toBe(1);
  expect([made.method(), made.url()]).toEqual(['POST', `${baseURL}/functions/v1/send-contact-email`]);
  expect(made.postDataJSON()).toEqual(MESSAGE);
  expect(await made.allHeaders()).toMatchObject({
    apikey: DEFAULT_ANON_KEY,
    'content-type': 'application/json',
  });
});

test('neither toast nor header covers the form or what it says', async ({ page, visitor }) => {
  visitor.expectFault(/status of (422|500)/);
  await visitor.open();
  const refusal = { error: 'Please enter your name.', field: 'name' };
  const message = { ...MESSAGE, message: 'One more line.\n'.repeat(12) };
  await visitor.eachSize(['320×568', '390×664', '844×390', '768×1024', '1440×900'], async () => {
    await visitor.sendFor({ status: 500, body: '' });
    await expect(visitor.toast).toContainText(filled(outcomes).failed.wordless);
    await expectUncovered(visitor.sendButton);
    const covered = await visitor.toast.evaluate((node) => {
      const over = node.getBoundingClientRect();
      // The link is the address that's offered beside the button then.
      const kept = '#contact-form :is(input, textarea, [type=submit], [type=submit] + small a)';
      return [...document.querySelectorAll(kept)]
        .filter((each) => {
          const { left, right, top, bottom } = each.getBoundingClientRect();
          return left < over.right && right > over.left && top < over.bottom && bottom > over.top;
        })
        .map(({ outerHTML }) => outerHTML);
    });
    expect(covered).toEqual([]);
    await visitor.closeToast();

    await visitor.sendFor({ status: 422, json: refusal }, message);
    await expect(visitor.toast).toContainText(refusal.error);
    await expectUncovered(visitor.nameField);
    await expectUncovered(page.locator('#contact-name-error'));
    await visitor.sendWell(message);
    await expectUncovered(visitor.receipt.getByText(/\d\d:\d\d/));
    await expectUncovered(visitor.toTop);
  });
});

test('screen readers hear that it’s being sent, and each outcome once', async ({ page, visitor }) => {
  visitor.expectFault(/status of 503/);
  await visitor.open();
  const heard = await page.evaluateHandle(() => {
    const heard: string[] = [];
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) {
        const near = target instanceof Element ? target : target.parentElement;
        const region = near?.closest('[aria-live]:not([aria-live=off]), [role=status], [role=alert]');
        // What's busy isn't announced.
        if (!region || region.closest('[aria-busy=true]')) continue;
        const words = [...addedNodes].map((node) => node.textContent ?? '').join(' ');
        if (words.trim()) heard.push(words.trim());
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
    return heard;
  });
  const expectHeard = (words: string) =>
    expect.poll(async () => (await heard.jsonValue()).join(' ')).toBe(words);
  const topics = problems.items[0]?.title ?? '';
  await visitor.problem(topics).focus();
  await page.waitForLoadState('networkidle');
  await page.keyboard.press('Space');
  const ticked = problems.share.lit.replace('{topics}', topics);
  await expectHeard(ticked);
  await visitor.sendFor(STORED);
  const { title, description } = filled(outcomes).sent;
  const success = `${ticked} ${contactForm.sending} ${notifications.label} ${title} ${description}`;
  await expectHeard(success);
  await visitor.sendFor({ status: 503, json: { error: 'Not saved.' } });
  await expectHeard(`${success} Sending… Notification Error Not saved.`);
  await visitor.closeToast();
  await expectHeard(`${success} Sending… Notification Error Not saved.`);
});

test('a copied address is cleaned, and one press corrects a slip in it', async ({ page, visitor }) => {
  const sent: unknown[] = [];
  await page.route(CALL, (route) => {
    sent.push(route.request().postDataJSON().email);
    return route.fulfill(STORED);
  });
  await visitor.open();
  const question = page.getByRole('button', {
    name: contactForm.didYouMean.replace('{domain}', 'gmail.com'),
  });
  const top = async (field: Locator) => (await field.boundingBox())?.y ?? 0;
  const below = page.locator(`#contact-${FIELD_NAMES[FIELD_NAMES.indexOf('email') + 1]}`);
  const distance = async () => (await top(below)) - (await top(visitor.emailField));
  const announced = page.locator('#contact-form + [aria-live=polite]');
  for (const press of [
    () => page.keyboard.press('Shift+Tab').then(() => page.keyboard.press('Enter')),
    () => page.setViewportSize(PHONE).then(() => question.click()),
  ]) {
    await visitor.emailField.fill('dana@gmial.con');
    await expect(question).toHaveCount(0);
    const before = await distance();
    await visitor.emailField.press('Tab');
    await expect(below).toBeFocused();
    await expect(announced).toHaveText((await question.textContent()) ?? '');
    expect((await question.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await distance(), 'nothing moves away from under a pointer').toBe(before);
    await press();
    await expect(visitor.emailField).toHaveValue('dana@gmail.com');
    await expect(visitor.emailField).toBeFocused();
    await expect(question).toHaveCount(0);
  }
  await visitor.fill({ ...MESSAGE, email: 'Jane Roe <jane@firm.ca>' });
  await expect(visitor.emailField).toHaveValue('jane@firm.ca');
  for (const copied of ['“jane@firm.ca”', 'jean@gmail']) {
    await visitor.fill({ ...MESSAGE, email: '' });
    await visitor.emailField.fill(copied);
    await visitor.emailField.press('Enter');
    await visitor.expectForm(EMPTY);
  }
  expect(sent).toEqual(['jane@firm.ca', 'jean@gmail']);
  await expect(question).toHaveCount(0);
});

async function expectFailure({ toast, expectForm }: Visitor, title: string, description: string | RegExp) {
  await expect(toast).toHaveCount(1);
  await expect(toast).toHaveAttribute('data-variant', 'destructive');
  for (const words of [title, description])
    await expect(toast.getByText(words, { exact: true })).toBeVisible();
  await expectForm(MESSAGE);
}

test('an error is shown as text, even by the button, with a way out', async ({ page, visitor }) => {
  visitor.expectFault(/status of 503|ERR_/);
  const { promise, status, instead } = filled(contactForm);
  await visitor.open();
  // Some hosts rewrite the page's own links.
  await page.evaluate(() => {
    for (const link of document.querySelectorAll('a[href^=mailto]'))
      link.setAttribute('href', '/cdn-cgi/protection');
  });
  await expect(visitor.note).toHaveText(promise);
  await visitor.fill();
  const error = 'The mailbox is <img src=x onerror="console.error(1)"> & on holiday until the 20th.';
  await visitor.answerCall({ status: 503, json: { error } });
  await visitor.sendButton.click();
  await expectFailure(visitor, 'Error', error);
  await visitor.closeToast();
  await expect(visitor.note).toHaveText(`${status.unsure} ${error} ${instead} hello@example.com`);
  const mail = new URL((await visitor.note.getByRole('link').getAttribute('href')) ?? '');
  expect([mail.protocol, mail.pathname]).toEqual(['mailto:', 'hello@example.com']);
  expect(mail.searchParams.get('body')).toBe(MESSAGE.message);
  await page.route(CALL, (route) => route.abort('connectionreset'));
  await visitor.sendButton.click();
  await expectFailure(
    visitor,
    'Submission Failed',
    /^Error: (?!.*Edge Function).*[^.]\. Please try again\.$/,
  );
  await expect(visitor.note, 'it may have been stored').toContainText(status.unsure);
  await visitor.answerCall({ status: 503, json: { code: 'NOT_STORED', error: 'Not saved.' } });
  await visitor.sendButton.click();
  await expect(visitor.toast).toContainText('Not saved.');
  await expect(visitor.note, 'no later answer takes that back').toContainText(status.unsure);

  await visitor.answerCall(STORED);
  const call = await visitor.holdBack(CALL);
  await visitor.sendButton.click();
  await expect(visitor.toast, 'what is no longer so').toHaveCount(0);
  call.release();
  await visitor.expectForm(EMPTY);
  await expect(visitor.note).toHaveText(promise);
});

test('an offline visitor reads so, even without the code that sends', async ({ page, visitor }) => {
  visitor.expectFault(/ERR_/);
  await page.route(IN_FORM, (route) => route.abort());
  await visitor.open();
  await page.evaluate(() => Object.defineProperty(navigator, 'onLine', { value: false }));
  await visitor.send();
  const plain = page.getByRole('alert');
  await expect(plain).toContainText(outcomes.failed.offline);
  await page.keyboard.press('F8');
  await expect(plain.getByRole('button')).toBeFocused();
  const time = await plain.evaluate((toast) => toast.getAnimations().map(({ playState }) => playState));
  expect(time, 'it waits').toEqual(['paused']);
  await visitor.expectForm(MESSAGE);
  await plain.getByRole('button', { name: notifications.close }).click();
  await expect(plain).toHaveCount(0);

  await page.unroute(IN_FORM);
  await page.route(CALL, (route) => route.abort('internetdisconnected'));
  await visitor.sendButton.click();
  await expectFailure(visitor, 'Submission Failed', `Error: ${outcomes.failed.offline}. Please try again.`);

  await visitor.sendWell();
});

const NO_ADDRESS = 'Please enter an email address like name@example.com.';
const REFUSED = { status: 422, json: { code: 'INVALID_FIELD', error: NO_ADDRESS, field: 'email' } };

test('a field’s error stays beside it until it’s edited or sent', async ({ visitor }) => {
  visitor.expectFault(/status of (422|503)/);
  await visitor.open();
  await visitor.sendFor(REFUSED);
  await expectFailure(visitor, 'Error', NO_ADDRESS);
  await expect(visitor.emailField).toBeFocused();
  await expect(visitor.emailField).toHaveAttribute('aria-invalid', 'true');
  await expect(visitor.emailField).toHaveAccessibleDescription(NO_ADDRESS);
  await expect(visitor.form.getByText(NO_ADDRESS)).toBeVisible();
  for (const other of [visitor.nameField, visitor.messageField]) {
    await expect(other).not.toHaveAttribute('aria-invalid');
  }

  await visitor.nameField.fill('Ada Lovelace');
  await visitor.answerCall({ status: 503, json: { error: 'Not saved.' } });
  await visitor.sendButton.click();
  await expect(visitor.toast).toContainText('Not saved.');
  await expect(visitor.emailField, 'neither was about it').toHaveAttribute('aria-invalid', 'true');

  await visitor.emailField.fill('ada@example.org');
  await expect(visitor.emailField).not.toHaveAttribute('aria-invalid');
  await expect(visitor.form.getByText(NO_ADDRESS)).toHaveCount(0);

  await visitor.sendFor(REFUSED);
  await expect(visitor.emailField).toHaveAttribute('aria-invalid', 'true');
  await visitor.answerCall(STORED);
  await visitor.sendButton.click();
  await expect(visitor.toast).toContainText('Success!');
  await expect(visitor.form.locator(':user-invalid, [aria-invalid]')).toHaveCount(0);
});
