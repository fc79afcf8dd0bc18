import { expect, type Locator, type Page } from '@playwright/test';
import { DEFAULT_ANON_KEY, FIELD_NAMES } from '../../../contract/contact-message.ts';
import { contactForm, notifications, outcomes } from '../../../site/content/contact-form.ts';
import { scrollToTop } from '../../../site/content/scroll-to-top.ts';
import { filled } from '../../../site/ui/words.ts';
import { test } from '../../support/site/browser-site.ts';
import {
  answerCall,
  BODY,
  CALL,
  closeToast,
  EMPTY,
  eachSize,
  emailField,
  expectForm,
  expectUncovered,
  fillForm,
  holdBack,
  IN_FORM,
  MESSAGE,
  messageField,
  nameField,
  note,
  openPage,
  PHONE,
  STORED,
  send,
  sendButton,
  sendWell,
  toast,
} from '../visitor.ts';

test('the browser itself keeps what is missing or wrong from being sent, and it is said beside each field until all is corrected', async ({
  page,
}) => {
  const { status, marked } = contactForm;
  const call = await holdBack(page, CALL);
  await openPage(page);
  const fields = [nameField(page), emailField(page), messageField(page)];
  await expect(messageField(page)).toHaveAttribute('rows', '4');
  await emailField(page).fill('ada at example');
  await sendButton(page).click();
  for (const field of fields) {
    await expect(field).not.toHaveAttribute('maxlength');
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    const words = await field.evaluate((node: HTMLInputElement) => node.validationMessage);
    await expect(field).toHaveAccessibleDescription(new RegExp(`^${RegExp.escape(words)}`));
    await expect(page.locator('#contact-form').getByText(words).first()).toBeVisible();
  }
  await expect(nameField(page)).toBeFocused();
  await expect(note(page)).toHaveText(`${status.incomplete} ${marked}`);
  await fillForm(page, { ...MESSAGE, message: '' });
  await expect(nameField(page)).not.toHaveAttribute('aria-invalid');
  await expect(note(page)).toHaveText(`${status.incomplete} ${marked}`);
  await sendButton(page).click();
  await expect(messageField(page)).toBeFocused();
  await messageField(page).fill('Now.');
  await expect(note(page)).toHaveText(filled(contactForm).promise);
  expect(call.count()).toBe(0);
  await expect(toast(page)).toHaveCount(0);
});

test('one POST goes out, however often it is asked for, even before the script that sends is there, the form waits meanwhile, and success is announced in the agreed words', async ({
  page,
  baseURL,
}) => {
  const script = await holdBack(page, IN_FORM);
  await openPage(page);
  await answerCall(page, STORED);
  const call = page.waitForRequest(CALL);
  const clicked = await holdBack(page, CALL);
  await fillForm(page);
  await sendButton(page).dblclick();
  const form = page.locator('#contact-form');
  await expect(form).toHaveAttribute('aria-busy', 'true');
  script.release();
  const made = await call;
  await expect(sendButton(page)).toHaveText(contactForm.sending, { useInnerText: true });
  await expect(sendButton(page)).toHaveAttribute('aria-disabled', 'true');
  await expect(sendButton(page)).toBeFocused();
  await expect(form).toHaveAttribute('aria-busy', 'true');
  await expect(messageField(page)).not.toBeEditable();
  // Forced: Playwright would wait for the button to stop being disabled.
  await sendButton(page).click({ force: true });
  await page.getByRole('checkbox').first().check();
  clicked.release();

  await expect(toast(page).getByText('Success!', { exact: true })).toBeVisible();
  await expect(toast(page).getByText(filled(outcomes).sent.description, { exact: true })).toBeVisible();
  await expectForm(page, EMPTY);
  await expect(page.getByRole('checkbox').first(), 'ticked too late to be sent').toBeChecked();
  await page.getByRole('checkbox').first().uncheck();
  // A reset form doesn't complain about its empty fields.
  await expect(page.locator('#contact-form :user-invalid')).toHaveCount(0);
  await expect(sendButton(page)).toHaveText(contactForm.button, { useInnerText: true });
  await expect(sendButton(page)).not.toHaveAttribute('aria-disabled');
  await expect(messageField(page)).toBeEditable();
  expect(clicked.count()).toBe(1);
  expect([made.method(), made.url()]).toEqual(['POST', `${baseURL}/functions/v1/send-contact-email`]);
  expect(made.postDataJSON()).toEqual(BODY);
  expect(await made.allHeaders()).toMatchObject({
    apikey: DEFAULT_ANON_KEY,
    'content-type': 'application/json',
  });

  await test.step('a second message too, if Enter is pressed repeatedly', async () => {
    await page.unroute(CALL);
    await answerCall(page, STORED);
    const entered = await holdBack(page, CALL);
    await fillForm(page);
    await emailField(page).focus();
    // As somebody does who presses Enter once more just then.
    await form.evaluate((one: HTMLFormElement) =>
      one.addEventListener('reset', () => setTimeout(() => one.requestSubmit())),
    );
    for (let press = 0; press < 8; press += 1) await page.keyboard.press('Enter');
    entered.release();
    await expectForm(page, EMPTY);
    await expect(form).not.toHaveAttribute('aria-busy');
    expect(entered.count()).toBe(1);
    await expect(note(page)).toHaveText(filled(contactForm).promise);
    await expect(form.locator('[aria-invalid=true]')).toHaveCount(0);
  });
});

test('neither toast nor header covers the fields, the button, the outcome beside it or the way out', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of (422|500)/);
  // It jumps there: the places are compared at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openPage(page);
  const refusal = { error: 'Please enter your name.', field: 'name' };
  const message = { ...MESSAGE, message: 'One more line.\n'.repeat(12) };
  const sizes = [
    { width: 320, height: 568 },
    { width: 390, height: 664 },
    { width: 844, height: 390 },
    { width: 768, height: 1024 },
    { width: 1440, height: 900 },
  ];
  await eachSize(page, sizes, async () => {
    await answerCall(page, { status: 500, body: '' });
    await send(page);
    await expect(toast(page)).toContainText(filled(outcomes).failed.wordless);
    await expectUncovered(sendButton(page));
    const covered = await toast(page).evaluate((node) => {
      const over = node.getBoundingClientRect();
      // The address is the one that's offered beside the button then.
      const kept = '#contact-form :is(input, textarea, [type=submit], [type=submit] + small a)';
      return [...document.querySelectorAll(kept)]
        .filter((each) => {
          const { left, right, top, bottom } = each.getBoundingClientRect();
          return left < over.right && right > over.left && top < over.bottom && bottom > over.top;
        })
        .map(({ outerHTML }) => outerHTML);
    });
    expect(covered).toEqual([]);
    await closeToast(page);

    await answerCall(page, { status: 422, json: refusal });
    await send(page, message);
    await expect(toast(page)).toContainText(refusal.error);
    await expectUncovered(nameField(page));
    await expectUncovered(page.locator('#contact-name-error'));
    await sendWell(page, message);
    await expectUncovered(page.locator('#message-sent').getByText(/\d\d:\d\d/));
    await expectUncovered(page.getByRole('link', { name: scrollToTop.label }));
  });
});

test('screen readers hear that the message is being sent, and each outcome once', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of 503/);
  await openPage(page);
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
  await answerCall(page, STORED);
  await send(page);
  const { title, description } = filled(outcomes).sent;
  const success = `${contactForm.sending} ${notifications.label} ${title} ${description}`;
  await expectHeard(success);
  await answerCall(page, { status: 503, json: { error: 'Not saved.' } });
  await send(page);
  await expectHeard(`${success} Sending… Notification Error Not saved.`);
  await closeToast(page);
  await expectHeard(`${success} Sending… Notification Error Not saved.`);
});

test('an address as people copy it is cleaned, after a slip one press corrects it, by keyboard too, and sending never waits for that', async ({
  page,
}) => {
  const sent: unknown[] = [];
  await page.route(CALL, (route) => {
    sent.push(route.request().postDataJSON().email);
    return route.fulfill(STORED);
  });
  await openPage(page);
  const question = page.getByRole('button', {
    name: contactForm.didYouMean.replace('{domain}', 'gmail.com'),
  });
  const top = async (field: Locator) => (await field.boundingBox())?.y ?? 0;
  const below = page.locator(`#contact-${FIELD_NAMES[FIELD_NAMES.indexOf('email') + 1]}`);
  const distance = async () => (await top(below)) - (await top(emailField(page)));
  const announced = page.locator('#contact-form + [aria-live=polite]');
  for (const press of [
    () => page.keyboard.press('Shift+Tab').then(() => page.keyboard.press('Enter')),
    () => page.setViewportSize(PHONE).then(() => question.click()),
  ]) {
    await emailField(page).fill('dana@gmial.con');
    await expect(question).toHaveCount(0);
    const before = await distance();
    await emailField(page).press('Tab');
    await expect(below).toBeFocused();
    await expect(announced).toHaveText((await question.textContent()) ?? '');
    expect((await question.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await distance(), 'nothing moves away from under a pointer').toBe(before);
    await press();
    await expect(emailField(page)).toHaveValue('dana@gmail.com');
    await expect(emailField(page)).toBeFocused();
    await expect(question).toHaveCount(0);
  }
  await fillForm(page, { ...MESSAGE, email: 'Jane Roe <jane@firm.ca>' });
  await expect(emailField(page)).toHaveValue('jane@firm.ca');
  for (const copied of ['“jane@firm.ca”', 'jean@gmail']) {
    await fillForm(page, { ...MESSAGE, email: '' });
    await emailField(page).fill(copied);
    await emailField(page).press('Enter');
    await expectForm(page, EMPTY);
  }
  expect(sent).toEqual(['jane@firm.ca', 'jean@gmail']);
  await expect(question).toHaveCount(0);
});

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
  await plain.getByRole('button', { name: notifications.close }).click();
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
