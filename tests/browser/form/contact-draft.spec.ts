import { expect, type Page } from '@playwright/test';
import { contactForm } from '../../../site/content/contact-form.ts';
import { packages } from '../../../site/content/packages.ts';
import { problems } from '../../../site/content/problems.ts';
import { CALL, EMPTY, MESSAGE, test, visitorOf } from '../visitor.ts';

const PAGE_SCRIPT = '**/assets/islands-*.js';

const { label, remove } = contactForm.topics;
const [spreadsheets = '', stock = ''] = problems.items.map(({ title }) => title);
const [first = '', second = ''] = packages.items.map(({ title }) => title);

const ask = (page: Page, at: number) => page.getByRole('link', { name: packages.ask }).nth(at);
const topics = (page: Page) => page.locator('#contact-form').getByRole('list', { name: label });
const removeTopic = (page: Page, title: string) =>
  page.getByRole('button', { name: remove.replace('{topic}', title) });

const expectTopics = (page: Page, ...titles: string[]) =>
  expect(topics(page).getByRole('listitem').locator('span')).toHaveText(titles);

const remembered = async (page: Page) => ({
  cookies: await page.context().cookies(),
  ...(await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    databases: (await indexedDB.databases()).length,
    caches: (await caches.keys()).length,
  }))),
});
const NOTHING = { cookies: [], local: [], session: [], databases: 0, caches: 0 };

test('only a draft stays in the browser, until it’s sent', async ({ context, page, visitor }) => {
  visitor.expectFault(/ERR_/);
  await visitor.open();
  await page.waitForLoadState('networkidle');
  expect(await remembered(page)).toEqual(NOTHING);
  await visitor.fill();
  expect(await remembered(page)).toEqual({ ...NOTHING, session: ['contact-draft'] });
  await visitor.reload();
  await visitor.expectForm(MESSAGE);
  const other = visitorOf(await context.newPage());
  await other.open();
  await other.expectForm(EMPTY);
  await other.page.close();

  await page.route(CALL, (route) => route.abort());
  await visitor.sendButton.click();
  await expect(visitor.toast).toContainText('Submission Failed');
  await visitor.reload();
  await visitor.expectForm(MESSAGE);

  await page.unroute(CALL);
  await visitor.sendButton.click();
  await expect(visitor.toast).toContainText('Success!');
  await visitor.expectForm(EMPTY);
  expect(await remembered(page)).toEqual(NOTHING);
  await visitor.reload();
  await visitor.expectForm(EMPTY);
});

test('what’s typed and ticked before any script arrives stays', async ({ page, visitor }) => {
  const call = await visitor.holdBack(CALL);
  const script = await visitor.holdBack(PAGE_SCRIPT);
  await page.goto('/');
  await visitor.sendButton.click();
  await expect(visitor.nameField).toBeFocused();
  await visitor.fill();
  await visitor.problem(spreadsheets).check();
  await visitor.messageField.focus();
  await expect(page.locator('[data-alive]')).toHaveCount(0);
  script.release();
  await visitor.expectAlive();
  await visitor.expectForm(MESSAGE);
  await expect(visitor.messageField).toBeFocused();
  await expectTopics(page, spreadsheets);
  await visitor.reload();
  await visitor.expectForm(MESSAGE);
  expect(call.count()).toBe(0);
});

test('what’s ticked or asked about stays, and is the message’s first line', async ({ page, visitor }) => {
  await visitor.open();
  const item = page.getByRole('listitem').filter({ has: visitor.problem(stock) });
  const { width = 0, height = 0 } = (await item.boundingBox()) ?? {};
  expect(Math.min(width, height), 'room for a thumb').toBeGreaterThanOrEqual(44);
  await item.locator('p').click({ force: true });
  await expect(visitor.problem(stock)).toBeChecked();
  await visitor.problem(spreadsheets).focus();
  await page.keyboard.press('Space');
  await ask(page, 0).click();
  await expect(page).toHaveURL('/#lets-map-your-blueprint');
  await expectTopics(page, spreadsheets, stock, first);
  await ask(page, 1).click();
  await visitor.reload();
  await expect(visitor.problem(stock)).toBeChecked();
  await expectTopics(page, spreadsheets, stock, second);

  await removeTopic(page, spreadsheets).press('Enter');
  await expect(visitor.problem(spreadsheets)).not.toBeChecked();
  await expect(removeTopic(page, stock)).toBeFocused();
  await visitor.problem(stock).uncheck();
  await expectTopics(page, second);
  await removeTopic(page, second).press('Enter');
  await expect(visitor.messageField).toBeFocused();
  await expectTopics(page);

  await visitor.problem(stock).check();
  await ask(page, 1).click();
  const call = page.waitForRequest(CALL);
  await visitor.sendWell();
  const message = `${label}: ${stock}; ${second}\n${MESSAGE.message}`;
  expect((await call).postDataJSON()).toEqual({ ...MESSAGE, message });
  await expectTopics(page);
  await visitor.reload();
  await expect(visitor.problem(stock)).not.toBeChecked();
  await visitor.expectForm(EMPTY);
});
