import { expect, type Page } from '@playwright/test';
import { contactForm } from '../../../site/content/contact-form.ts';
import { packages } from '../../../site/content/packages.ts';
import { problems } from '../../../site/content/problems.ts';
import { test } from '../../support/site/browser-site.ts';
import {
  BODY,
  CALL,
  EMPTY,
  expectAlive,
  expectForm,
  fillForm,
  holdBack,
  MESSAGE,
  messageField,
  nameField,
  openPage,
  problem,
  sendButton,
  sendWell,
  toast,
} from '../visitor.ts';

const PAGE_SCRIPT = '**/assets/islands-*.js';

const { label, remove } = contactForm.topics;
const [spreadsheets = '', stock = ''] = problems.items.map(({ title }) => title);
const [first = '', second = ''] = packages.items.map(({ title }) => title);

const ask = (page: Page, at: number) => page.getByRole('link', { name: packages.ask }).nth(at);
const topics = (page: Page) => page.locator('#contact-form').getByRole('list', { name: label });
const removeTopic = (page: Page, title: string) =>
  page.getByRole('button', { name: remove.replace('{topic}', title) });

/** What the form shows above the message, and would send as its first line. */
const expectTopics = (page: Page, ...titles: string[]) =>
  expect(topics(page).getByRole('listitem').locator('span')).toHaveText(titles);

async function reload(page: Page): Promise<void> {
  await page.reload();
  await expectAlive(page);
}

test('what was typed survives a failure and a reload, stays in its tab, and is gone once it’s sent', async ({
  page,
  context,
  expectFault,
}) => {
  expectFault(/ERR_/);
  await openPage(page);
  await fillForm(page);
  await reload(page);
  await expectForm(page, MESSAGE);
  const other = await context.newPage();
  await openPage(other);
  await expectForm(other, EMPTY);
  await other.close();

  await page.route(CALL, (route) => route.abort());
  await sendButton(page).click();
  await expect(toast(page)).toContainText('Submission Failed');
  await reload(page);
  await expectForm(page, MESSAGE);

  await sendWell(page);
  await reload(page);
  await expectForm(page, EMPTY);
});

test('before any script arrives the browser stops an empty form, and what’s typed and ticked by then stays', async ({
  page,
}) => {
  const call = await holdBack(page, CALL);
  const script = await holdBack(page, PAGE_SCRIPT);
  await page.goto('/');
  await sendButton(page).click();
  await expect(nameField(page)).toBeFocused();
  await fillForm(page);
  await problem(page, spreadsheets).check();
  await messageField(page).focus();
  await expect(page.locator('[data-alive]')).toHaveCount(0);
  script.release();
  await expectAlive(page);
  await expectForm(page, MESSAGE);
  await expect(messageField(page)).toBeFocused();
  await expectTopics(page, spreadsheets);
  await reload(page);
  await expectForm(page, MESSAGE);
  expect(call.count()).toBe(0);
});

test('ticked problems and the package asked about stand above the message, can be taken away, survive a reload, and are sent as its first line', async ({
  page,
}) => {
  await openPage(page);
  await test.step('a link that opens elsewhere asks nothing here', async () => {
    // The tab it would open is the browser's affair.
    await page.evaluate(() => addEventListener('click', (event) => event.preventDefault(), { once: true }));
    await ask(page, 0).click({ modifiers: ['ControlOrMeta'] });
    await expectTopics(page);
  });
  await test.step('each is ticked anywhere on it, with more than a thumb’s room', async () => {
    const item = page.getByRole('listitem').filter({ has: problem(page, stock) });
    const box = await item.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    await item.locator('p').click({ force: true });
    await expect(problem(page, stock)).toBeChecked();
  });
  await problem(page, spreadsheets).focus();
  await page.keyboard.press('Space');
  await ask(page, 0).click();
  await expect(page).toHaveURL('/#lets-map-your-blueprint');
  await expectTopics(page, spreadsheets, stock, first);
  await ask(page, 1).click();
  await reload(page);
  await expect(problem(page, stock)).toBeChecked();
  await expectTopics(page, spreadsheets, stock, second);

  await removeTopic(page, spreadsheets).press('Enter');
  await expect(problem(page, spreadsheets)).not.toBeChecked();
  await expect(removeTopic(page, stock)).toBeFocused();
  await problem(page, stock).uncheck();
  await expectTopics(page, second);
  await removeTopic(page, second).press('Enter');
  await expect(messageField(page)).toBeFocused();
  await expectTopics(page);

  await problem(page, stock).check();
  await ask(page, 1).click();
  const call = page.waitForRequest(CALL);
  await sendWell(page);
  const message = `${label}: ${stock}; ${second}\n${MESSAGE.message}`;
  expect((await call).postDataJSON()).toEqual({ ...BODY, message });
  await expectTopics(page);
  await reload(page);
  await expect(problem(page, stock)).not.toBeChecked();
  await expectForm(page, EMPTY);
});
