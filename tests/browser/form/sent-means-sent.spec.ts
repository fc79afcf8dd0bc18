import { expect, type Page } from '@playwright/test';
import Database from 'better-sqlite3';
import { CLIENT_INFO, readClientInfo } from '../../../contract/contact-message.ts';
import { contactForm, outcomes } from '../../../site/content/contact-form.ts';
import { packages } from '../../../site/content/packages.ts';
import { problems } from '../../../site/content/problems.ts';
import { filled } from '../../../site/ui/words.ts';
import { type Site, test } from '../../support/site/browser-site.ts';
import {
  answerCall,
  CALL,
  EMPTY,
  expectAlive,
  expectForm,
  fillForm,
  holdBack,
  MESSAGE,
  openPage,
  STORED,
  send,
  sendButton,
  toast,
} from '../visitor.ts';

const IN_FORM = '**/assets/in-form-*.js';
const note = (page: Page) => sendButton(page).locator('xpath=following-sibling::small');

/** The state and text of the messages of one sender, whom no other test has. */
function rowsFrom(site: Site, email: string): { state: string; message: string }[] {
  const database = new Database(site.databaseFile, { readonly: true });
  try {
    return database.prepare('select state, message from contact_message where email = ?').all(email) as [];
  } finally {
    database.close();
  }
}

test('whatever isn’t the function’s own yes is a failed submission, and the way out by mail stands beside it', async ({
  page,
}) => {
  await openPage(page);
  await fillForm(page);
  const html = '<!doctype html><title>Wi-Fi</title><h1>Sign in to the hotel’s Wi-Fi</h1>';
  for (const [name, answer] of [
    ['a Wi-Fi’s login page', { status: 200, contentType: 'text/html', body: html }],
    ['a redirect to one', { status: 302, headers: { location: '/' } }],
    ['no content', { status: 204 }],
    ['nothing', { status: 200, contentType: 'application/json', body: '' }],
    ['a string', { status: 200, json: 'ok' }],
    ['a number', { status: 200, json: 1 }],
    ['a list', { status: 200, json: [] }],
    ['null', { status: 200, contentType: 'application/json', body: 'null' }],
  ] as const) {
    await test.step(name, async () => {
      await answerCall(page, { ...answer });
      await sendButton(page).click();
      await expect(toast(page)).toContainText(outcomes.failed.title);
      await expect(toast(page)).toHaveAttribute('data-variant', 'destructive');
      await expectForm(page, MESSAGE);
      await expect(note(page).getByRole('link')).toHaveAttribute('href', /^mailto:hello@example.com\?body=./);
      await toast(page).getByRole('button').click();
      await expect(toast(page)).toHaveCount(0);
    });
  }
  for (const [type, body] of [
    ['text/plain', '{}'],
    ['application/octet-stream', '{"id":1}'],
  ]) {
    await test.step(`an object is a yes, even as ${type}`, async () => {
      await answerCall(page, { status: 200, contentType: type ?? '', body: body ?? '' });
      await fillForm(page);
      await sendButton(page).click();
      await expect(toast(page)).toContainText('Success!');
      await expectForm(page, EMPTY);
    });
  }
});

test('a part of the page whose script fails leaves the others alone', async ({ page, expectFault }) => {
  expectFault(/no observers here/);
  await page.addInitScript(() => {
    window.IntersectionObserver = class {
      constructor() {
        throw new Error('no observers here');
      }
    } as unknown as typeof IntersectionObserver;
    Object.defineProperty(Event.prototype, 'timeStamp', { get: () => 20_000 });
  });
  await page.goto('/');
  await expect(page.locator('[data-island="contact-form"]')).toHaveAttribute('data-alive');
  await expect(page.locator('[data-island="header"]')).not.toHaveAttribute('data-alive');
  await answerCall(page, STORED);
  await send(page);
  await expect(toast(page)).toContainText('Success!');
  await expect(page.getByRole('banner').getByRole('link', { name: 'Packages' })).toBeVisible();
});

/** As if everything on the page happened in its first tenth of a second. */
async function beQuick(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.defineProperty(Event.prototype, 'timeStamp', { get: () => 100, configurable: true });
  });
}

const START = new Date('2030-01-01T12:00:00Z').getTime();

test('a message that the browser gave back counts from when it was first typed, and isn’t held', async ({
  page,
  site,
}) => {
  await beQuick(page);
  const message = { ...MESSAGE, email: 'given-back@example.com' };
  await page.clock.setFixedTime(START);
  await page.goto('/');
  await expectAlive(page);
  await fillForm(page, message);
  await page.clock.setFixedTime(START + 5_000);
  await page.reload();
  await expectAlive(page);
  await expectForm(page, message);
  const call = page.waitForRequest(CALL);
  await sendButton(page).click();
  const openMs = readClientInfo((await call).headers()[CLIENT_INFO] ?? null)?.openMs;
  // The clock of the browser ran on for a moment in between.
  expect(openMs).toBeGreaterThanOrEqual(5_100);
  await expect(toast(page)).toContainText('Success!');
  expect(rowsFrom(site, message.email)).toEqual([
    expect.objectContaining({ state: expect.not.stringMatching('spam') }),
  ]);
});

test('one that only the browser itself remembers isn’t held either', async ({ page, expectFault }) => {
  expectFault(/404/);
  await beQuick(page);
  await page.addInitScript(() => {
    Object.defineProperty(window, 'sessionStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
  await answerCall(page, STORED);
  await page.goto('/');
  await expectAlive(page);
  await fillForm(page);
  await page.goto('/nowhere');
  await page.goBack();
  await expectAlive(page);
  await expectForm(page, MESSAGE);
  const call = page.waitForRequest(CALL);
  await sendButton(page).click();
  expect(readClientInfo((await call).headers()[CLIENT_INFO] ?? null)?.openMs).toBeGreaterThan(2_000);
});

test('one that is filled in and sent at once counts from when the page was opened', async ({ page }) => {
  await beQuick(page);
  await answerCall(page, STORED);
  await page.goto('/');
  await expectAlive(page);
  const call = page.waitForRequest(CALL);
  await send(page);
  expect(readClientInfo((await call).headers()[CLIENT_INFO] ?? null)?.openMs).toBe(100);
});

test('after a new version is published, a page that is still open posts its form by itself, with all that was ticked', async ({
  page,
  site,
  expectFault,
}) => {
  expectFault(/404|ERR_/);
  const message = { ...MESSAGE, email: 'still-open@example.com' };
  await openPage(page);
  await page.route(IN_FORM, (route) => route.fulfill({ status: 404 }));
  const [problem] = filled(problems).items;
  const [sheet] = filled(packages).items;
  await page.getByRole('checkbox', { name: problem?.title ?? '', exact: true }).check();
  await page.getByRole('link', { name: packages.ask }).first().click();
  await send(page, message);
  await expect(page).toHaveURL('/#message-sent');
  await expect(page.locator('#message-sent')).toContainText(outcomes.sent.title);
  expect(rowsFrom(site, message.email).map((row) => row.message)).toEqual([
    `${contactForm.topics.label}: ${problem?.title}; ${sheet?.title}\n${message.message}`,
  ]);
  // It was sent, so it's no draft.
  await expectAlive(page);
  await page.goto('/');
  await expectAlive(page);
  await expectForm(page, EMPTY);
});

test('a word of success is hidden until it’s true, even from a browser that knows none of our styles', async ({
  page,
  expectFault,
}) => {
  expectFault(/ERR_FAILED/);
  await page.route('**/*.css', (route) => route.abort());
  await page.goto('/', { waitUntil: 'domcontentloaded' });
  await page.evaluate(() => {
    for (const style of document.querySelectorAll('style')) style.remove();
  });
  await expect(page.getByText(outcomes.sent.title)).toBeHidden();
});

test('a visitor who leaves while the message is being sent, and comes back, finds no form that waits for ever', async ({
  page,
  expectFault,
}) => {
  expectFault(/ERR_|blocked|404/);
  await openPage(page);
  const call = await holdBack(page, CALL);
  await send(page);
  await expect(page.locator('#contact-form')).toHaveAttribute('aria-busy', 'true');
  await page.goto('/nowhere');
  await page.goBack();
  await expect(page.locator('#contact-form')).not.toHaveAttribute('aria-busy', 'true', { timeout: 40_000 });
  await expectForm(page, MESSAGE);
  call.release();
});

for (const language of ['auto', '', 'en_US', 'x'])
  test(`a page whose language is “${language}” says Success! all the same`, async ({ page }) => {
    await openPage(page);
    await answerCall(page, STORED);
    await page.evaluate((lang) => {
      document.documentElement.lang = lang;
    }, language);
    await send(page);
    await expect(toast(page)).toContainText('Success!');
    await expect(note(page)).toContainText(/\d\d:\d\d/);
  });

test('what only decorates may fail, and Success! is said', async ({ page, expectFault }) => {
  expectFault(/no clock/);
  await openPage(page);
  await answerCall(page, STORED);
  await page.evaluate(() => {
    Intl.DateTimeFormat = class {
      constructor() {
        throw new Error('no clock');
      }
    } as unknown as typeof Intl.DateTimeFormat;
  });
  await send(page);
  await expect(toast(page)).toContainText('Success!');
  await expectForm(page, EMPTY);
  await expect(note(page)).toContainText(filled(contactForm).promise);
});

test('the way out by mail leads to the right address, even where the page’s own links are rewritten', async ({
  page,
  expectFault,
}) => {
  expectFault(/status of 500/);
  await openPage(page);
  await page.evaluate(() => {
    for (const link of document.querySelectorAll('a[href^=mailto]'))
      link.setAttribute('href', '/cdn-cgi/protection');
  });
  await answerCall(page, { status: 500, body: '' });
  await send(page);
  await expect(note(page).getByRole('link')).toHaveAttribute('href', /^mailto:hello@example.com\?body=./);
});

test('whoever scrolls away while sending stays there when the answer comes', async ({ page }) => {
  await openPage(page);
  await answerCall(page, STORED);
  const call = await holdBack(page, CALL);
  await send(page);
  await page
    .locator('#blueprint-journey')
    .evaluate((section) => section.scrollIntoView({ behavior: 'instant' }));
  const before = await page.evaluate(() => scrollY);
  call.release();
  await expect(toast(page)).toContainText('Success!');
  await expect(note(page)).toContainText(/\d\d:\d\d/);
  expect(await page.evaluate(() => scrollY)).toBe(before);
});
