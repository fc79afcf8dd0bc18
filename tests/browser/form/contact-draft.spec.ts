import { expect, type Page } from '@playwright/test';
import { contactForm } from '../../../site/content/contact-form.ts';
import { packages } from '../../../site/content/packages.ts';
import { problems } from '../../../site/content/problems.ts';
import { filled } from '../../../site/ui/words.ts';
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

const PAGE_SCRIPT = '**/assets/islands-*.js';
/** The one that sends. */
const IN_FORM = '**/assets/in-form-*.js';

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
  await sendButton(page).click();
  await expect(toast(page)).toContainText('Success!');
  await reload();
  await expectForm(page, EMPTY);
});

test('before any script arrives the browser stops an empty form, and what’s typed by then stays', async ({
  page,
}) => {
  const call = await holdBack(page, CALL);
  const script = await holdBack(page, PAGE_SCRIPT);
  await page.goto('/');
  await sendButton(page).click();
  await expect(nameField(page)).toBeFocused();
  await fillForm(page);
  await messageField(page).focus();
  await expect(page.locator('[data-alive]')).toHaveCount(0);
  script.release();
  await expectAlive(page);
  await expectForm(page, MESSAGE);
  await expect(messageField(page)).toBeFocused();
  await page.reload();
  await expectAlive(page);
  await expectForm(page, MESSAGE);
  expect(call.count()).toBe(0);
});

test('a form submitted before the script that sends is there is sent once, when it is', async ({ page }) => {
  await answerCall(page, STORED);
  const call = await holdBack(page, CALL);
  const script = await holdBack(page, IN_FORM);
  await openPage(page);
  await fillForm(page);
  await sendButton(page).dblclick();
  await expect(page.locator('#contact-form')).toHaveAttribute('aria-busy', 'true');
  expect(call.count()).toBe(0);
  script.release();
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

const { label, remove } = contactForm.topics;
const [spreadsheets = '', stock = ''] = problems.items.map(({ title }) => title);
const [first = '', second = ''] = packages.items.map(({ title }) => title);

const problem = (page: Page, title: string) => page.getByRole('checkbox', { name: title, exact: true });
const ask = (page: Page, at: number) => page.getByRole('link', { name: packages.ask }).nth(at).click();
const removeTopic = (page: Page, title: string) =>
  page.getByRole('button', { name: remove.replace('{topic}', title) });

/** What the form shows above the message, and would send as its first line. */
async function expectTopics(page: Page, ...titles: string[]): Promise<void> {
  const shown = page
    .getByRole('list', { name: label })
    .getByRole('listitem')
    .filter({ has: page.locator('button') });
  await expect(shown).toHaveText(titles);
}

test('ticked problems and the package asked about stand above the message, can be taken away, and survive a reload', async ({
  page,
}) => {
  await openPage(page);
  await expect(page.getByRole('list', { name: label })).toHaveCount(0);
  await problem(page, stock).check();
  await problem(page, spreadsheets).focus();
  await page.keyboard.press('Space');
  await ask(page, 0);
  await expect(page).toHaveURL('/#lets-map-your-blueprint');
  await expectTopics(page, spreadsheets, stock, first);
  await ask(page, 1);
  await expectTopics(page, spreadsheets, stock, second);
  await page.reload();
  await expectAlive(page);
  await expect(problem(page, stock)).toBeChecked();
  await expectTopics(page, spreadsheets, stock, second);

  await removeTopic(page, spreadsheets).press('Enter');
  await expect(problem(page, spreadsheets)).not.toBeChecked();
  await expect(removeTopic(page, stock)).toBeFocused();
  await problem(page, stock).uncheck();
  await expectTopics(page, second);
  await removeTopic(page, second).press('Enter');
  await expect(messageField(page)).toBeFocused();
  await expect(page.getByRole('list', { name: label })).toHaveCount(0);
  await expectForm(page, EMPTY);
});

test('what was ticked is sent as the first line of the message, and is gone with it', async ({ page }) => {
  await openPage(page);
  await answerCall(page, STORED);
  await problem(page, stock).check();
  await ask(page, 1);
  await fillForm(page);
  const call = page.waitForRequest(CALL);
  await page.getByRole('button', { name: contactForm.button }).click();
  const message = `${label}: ${stock}; ${second}\n${MESSAGE.message}`;
  expect((await call).postDataJSON()).toEqual({ ...BODY, message });
  await expect(toast(page)).toContainText('Success!');
  await expect(problem(page, stock)).not.toBeChecked();
  await expect(page.getByRole('list', { name: label })).toHaveCount(0);
  await page.reload();
  await expectAlive(page);
  await expect(problem(page, stock)).not.toBeChecked();
  await expectForm(page, EMPTY);
});

test('each problem is ticked anywhere on it, with more than a thumb’s room', async ({ page }) => {
  await openPage(page);
  await page.setViewportSize({ width: 320, height: 568 });
  for (const { title, text } of filled(problems).items) {
    await page.getByText(text).click({ force: true });
    await expect(problem(page, title)).toBeChecked();
    const item = page.getByRole('listitem').filter({ has: problem(page, title) });
    const box = await item.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
});

test('a link that opens elsewhere asks nothing here', async ({ page }) => {
  await openPage(page);
  // The tab it would open is the browser's affair.
  await page.evaluate(() => addEventListener('click', (event) => event.preventDefault(), { once: true }));
  await page
    .getByRole('link', { name: packages.ask })
    .first()
    .click({ modifiers: ['ControlOrMeta'] });
  await expect(page.getByRole('list', { name: label })).toHaveCount(0);
});

test('what was ticked before any script arrives is named once it does', async ({ page }) => {
  const script = await holdBack(page, PAGE_SCRIPT);
  const heard = page.waitForRequest(PAGE_SCRIPT);
  await page.goto('/');
  await heard;
  await problem(page, spreadsheets).check();
  script.release();
  await expectAlive(page);
  await expectTopics(page, spreadsheets);
});
