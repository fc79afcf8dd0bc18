import { rm } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { publish } from '../../../publish/publish.ts';
import { writeOwn } from '../../../publish/words.ts';
import { readSettings } from '../../../settings/settings.ts';
import { contactForm, outcomes } from '../../../site/content/contact-form.ts';
import { packages } from '../../../site/content/packages.ts';
import { problems } from '../../../site/content/problems.ts';
import { filled } from '../../../site/ui/words.ts';
import { test } from '../../support/site/browser-site.ts';
import { serveSite } from '../../support/site/serve-site.ts';
import { siteFolder } from '../../support/site/test-site.ts';
import {
  answerCall,
  CALL,
  EMPTY,
  expectAlive,
  expectForm,
  expectTypeface,
  fillForm,
  holdBack,
  IN_FORM,
  MESSAGE,
  note,
  openPage,
  problem,
  rowsFrom,
  STORED,
  send,
  sendButton,
  sendWell,
  toast,
} from '../visitor.ts';

test('a message typed in the browser arrives in the mailbox and is in the database', async ({
  page,
  site,
}) => {
  const message = {
    name: 'Zoë "Zo" O’Brien, Ltd. <zo>',
    email: 'zoe+plans@example.com',
    message:
      'Bonjour! L’entrepôt est plein à craquer 📦🚚.\n\n"Quoted", \'single\', <b>not bold</b> & more\n\tdone.',
  };
  await openPage(page);
  await send(page, message);
  await expect(toast(page)).toContainText('Success!');
  await expectForm(page, EMPTY);

  const mails = () => site.mailbox.received.filter(({ parsed }) => parsed.text?.includes(message.message));
  await expect.poll(() => mails().length).toBe(1);
  const { name, message: text } = message;
  await expect.poll(() => rowsFrom(site, message.email)).toEqual([{ name, message: text, state: 'sent' }]);
});

test('a part of the page whose script fails leaves the others alone', async ({ page, expectFault }) => {
  expectFault(/no observers here/);
  await page.addInitScript(() => {
    window.IntersectionObserver = class {
      constructor() {
        throw new Error('no observers here');
      }
    } as unknown as typeof IntersectionObserver;
  });
  await page.goto('/');
  await expect(page.locator('[data-island="contact-form"]')).toHaveAttribute('data-alive');
  await expect(page.locator('[data-island="header"]')).not.toHaveAttribute('data-alive');
  await sendWell(page);
  await expect(page.getByRole('banner').getByRole('link', { name: 'Packages' })).toBeVisible();
});

test('a message that the browser gave back counts from when it was first typed, or long, if the clock was set back since, and isn’t held', async ({
  page,
  site,
}) => {
  // As if everything on the page happened in its first tenth of a second.
  await page.addInitScript(() => {
    Object.defineProperty(Event.prototype, 'timeStamp', { get: () => 100, configurable: true });
  });
  const start = new Date('2030-01-01T12:00:00Z').getTime();
  for (const later of [5_000, -3_600_000]) {
    const message = { ...MESSAGE, email: `given-back${later}@example.com` };
    await page.clock.setFixedTime(start);
    await page.goto('/');
    await expectAlive(page);
    await fillForm(page, message);
    await page.clock.setFixedTime(start + later);
    await page.reload();
    await expectAlive(page);
    await expectForm(page, message);
    await sendButton(page).click();
    await expect(toast(page)).toContainText('Success!');
    expect(rowsFrom(site, message.email)).toMatchObject([{ state: expect.not.stringMatching('spam') }]);
  }
});

test('a page that’s open while other words are published comes alive with its own, without a warning, and sends', async ({
  page,
}) => {
  const [folder, WORDS_DIR] = [siteFolder('republished'), siteFolder('republished-words')];
  await rm(WORDS_DIR, { recursive: true, force: true });
  const settings = readSettings({ WORDS_DIR });
  await publish(settings, folder);
  const served = await serveSite(folder);
  const assets = await holdBack(page, '**/assets/**');
  await page.goto(served.origin);
  // With letters that its fonts don't have.
  const other = { title: 'Wysłano' };
  await writeOwn(WORDS_DIR, {
    contactForm: { button: 'Wyślij', sending: 'Łączę' },
    hero: { headline: 'Żółw' },
    outcomes: { sent: other },
  });
  await publish(settings, folder);
  served.reload();
  assets.release();
  await expectAlive(page);
  await expectTypeface(page);
  await expect(page.locator('h1')).toContainText('Business Down');
  const message = { ...MESSAGE, email: 'across@example.com' };
  await send(page, message);
  await expect(toast(page)).toContainText(outcomes.sent.title);
  expect(rowsFrom(served, message.email)).toHaveLength(1);
  await page.reload();
  await expect(page.locator('h1')).toHaveText('Żółw');
  await expect(page.getByText(other.title)).toHaveCount(1);
  await page.goto('about:blank');
  await served.close();
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
  await page.evaluate(() =>
    addEventListener('pagehide', () => {
      sessionStorage.setItem('was-locked', String(document.querySelector('textarea')?.readOnly));
    }),
  );
  const [stuck = '', sheet = ''] = [problems, packages].map(({ items }) => items[0]?.title);
  await problem(page, stuck).check();
  await page.getByRole('link', { name: packages.ask }).first().click();
  await send(page, message);
  await expect(page).toHaveURL('/#message-sent');
  await expect(page.locator('#message-sent')).toContainText(outcomes.sent.title);
  expect(rowsFrom(site, message.email)).toMatchObject([
    { message: `${contactForm.topics.label}: ${stuck}; ${sheet}\n${message.message}` },
  ]);
  const wasLocked = await page.evaluate(() => sessionStorage.getItem('was-locked'));
  expect(wasLocked, 'what’s typed meanwhile would go with the page').toBe('true');
  // It was sent, so it's no draft.
  await expectAlive(page);
  await page.goto('/');
  await expectAlive(page);
  await expectForm(page, EMPTY);
});

test('the address that a sent form leads to says nothing to whoever opens it, and leaves what was typed alone', async ({
  page,
}) => {
  await openPage(page);
  await fillForm(page);
  await page.goto('about:blank');
  await page.goto('/#message-sent');
  await expectAlive(page);
  await expect(page.locator('#message-sent')).toBeHidden();
  await expectForm(page, MESSAGE);
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

test('what only decorates may fail, and Success! is said, to whoever has scrolled away too, and stays there', async ({
  page,
  expectFault,
}) => {
  expectFault(/no clock/);
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
  await expect(page.locator('#message-sent')).toContainText(/\d\d:\d\d/);
  expect(await page.evaluate(() => scrollY)).toBe(before);

  await page.evaluate(() => {
    Intl.DateTimeFormat = class {
      constructor() {
        throw new Error('no clock');
      }
    } as unknown as typeof Intl.DateTimeFormat;
  });
  await sendWell(page);
  await expectForm(page, EMPTY);
  await expect(note(page)).toContainText(filled(contactForm).promise);
});
