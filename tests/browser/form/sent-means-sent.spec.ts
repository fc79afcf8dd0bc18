import { rm } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { publish } from '../../../publish/publish.ts';
import { writeOwn } from '../../../publish/words.ts';
import { readSettings } from '../../../settings/settings.ts';
import { contactForm, outcomes } from '../../../site/content/contact-form.ts';
import { packages } from '../../../site/content/packages.ts';
import { problems } from '../../../site/content/problems.ts';
import { filled } from '../../../site/ui/words.ts';
import { closing } from '../../support/network/closing.ts';
import { serveSite, siteFolder } from '../../support/site/test-site.ts';
import { CALL, EMPTY, IN_FORM, MESSAGE, rowsFrom, STORED, test } from '../visitor.ts';

test('a restored message counts from when it was typed, and is mailed', async ({ page, site, visitor }) => {
  // As if everything on the page happened in its first tenth of a second.
  await page.addInitScript(() => {
    Object.defineProperty(Event.prototype, 'timeStamp', { get: () => 100, configurable: true });
  });
  const start = new Date('2030-01-01T12:00:00Z').getTime();
  const name = 'Zoë "Zo" O’Brien, Ltd. <zo>';
  const text =
    'Bonjour! L’entrepôt est plein à craquer 📦🚚.\n\n"Quoted", \'single\', <b>not bold</b> & more\n\tdone.';
  for (const later of [5_000, -3_600_000]) {
    const message = { name, email: `given+back${later}@example.com`, message: text };
    await page.clock.setFixedTime(start);
    await page.goto('/');
    await visitor.expectAlive();
    await visitor.fill(message);
    await page.clock.setFixedTime(start + later);
    await visitor.reload();
    await visitor.expectForm(message);
    await visitor.sendButton.click();
    await expect(visitor.toast).toContainText('Success!');
    await expect
      .poll(() => rowsFrom(site, message.email))
      .toMatchObject([{ name, message: text, state: 'sent' }]);
    const mails = site.mailbox.received.map(({ parsed }) => parsed.text ?? '');
    const mail = mails.filter((each) => each.includes(message.email));
    expect(mail).toEqual([expect.stringContaining(text)]);
  }
});

test('a page that’s open when new words are published keeps its own', async ({ page, visitor }) => {
  const [folder, WORDS_DIR] = [siteFolder('republished'), siteFolder('republished-words')];
  await rm(WORDS_DIR, { recursive: true, force: true });
  const settings = readSettings({ WORDS_DIR });
  await publish(settings, folder);
  await using served = closing(await serveSite(folder));
  const assets = await visitor.holdBack('**/assets/**');
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
  await visitor.expectAlive();
  await visitor.expectTypeface();
  await expect(page.locator('h1')).toContainText('Business Down');
  const message = { ...MESSAGE, email: 'across@example.com' };
  await visitor.send(message);
  await expect(visitor.toast).toContainText(outcomes.sent.title);
  expect(rowsFrom(served, message.email)).toHaveLength(1);
  await page.reload();
  await expect(page.locator('h1')).toHaveText('Żółw');
  await expect(page.getByText(other.title)).toHaveCount(1);
  await page.goto('about:blank');
});

test('a page whose scripts are gone posts its form by itself', async ({ page, site, visitor }) => {
  visitor.expectFault(/404|ERR_/);
  const message = { ...MESSAGE, email: 'still-open@example.com' };
  await visitor.open();
  await page.route(IN_FORM, (route) => route.fulfill({ status: 404 }));
  await page.evaluate(() =>
    addEventListener('pagehide', () => {
      sessionStorage.setItem('was-locked', String(document.querySelector('textarea')?.readOnly));
    }),
  );
  const [stuck = '', sheet = ''] = [problems, packages].map(({ items }) => items[0]?.title);
  await visitor.problem(stuck).check();
  await page.getByRole('link', { name: packages.ask }).first().click();
  await visitor.send(message);
  await expect(page).toHaveURL('/#message-sent');
  await expect(visitor.receipt).toContainText(outcomes.sent.title);
  expect(rowsFrom(site, message.email)).toMatchObject([
    { message: `${contactForm.topics.label}: ${stuck}; ${sheet}\n${message.message}` },
  ]);
  const wasLocked = await page.evaluate(() => sessionStorage.getItem('was-locked'));
  expect(wasLocked, 'what’s typed meanwhile would go with the page').toBe('true');
  // It was sent, so it's no draft.
  await visitor.expectAlive();
  await page.goto('/');
  await visitor.expectAlive();
  await visitor.expectForm(EMPTY);

  await visitor.fill();
  await page.goto('about:blank');
  await page.goto('/#message-sent');
  await visitor.expectAlive();
  await expect(visitor.receipt, 'the address alone claims nothing').toBeHidden();
  await visitor.expectForm(MESSAGE);
});

test('with no answer in 30 s, the form comes back', async ({ page, visitor }) => {
  visitor.expectFault(/404|ERR_/);
  await page.clock.install();
  await page.route(IN_FORM, (route) => route.fulfill({ status: 404 }));
  // The page stays, like one that the browser keeps for a return visit.
  await page.route(CALL, (route) => route.fulfill({ status: 204 }));
  await visitor.open();
  const posted = page.waitForRequest(CALL);
  await visitor.send();
  await posted;
  await page.clock.fastForward(30_000);
  await expect(visitor.note).toHaveText(contactForm.status.unsure);
  await visitor.expectForm(MESSAGE);

  await page.unroute(IN_FORM);
  const call = await visitor.holdBack(CALL);
  await visitor.messageField.press('End');
  await visitor.sendButton.click();
  await expect.poll(call.count).toBe(1);
  await page.clock.fastForward(30_000);
  await expect(visitor.toast).toContainText(outcomes.failed.unreachable);
  await expect(visitor.messageField).toBeEditable();
  await visitor.expectForm(MESSAGE);
  call.release();
});

test('decoration may fail; whoever has scrolled away hears, and stays', async ({ page, visitor }) => {
  visitor.expectFault(/IntersectionObserver|DateTimeFormat/);
  await page.addInitScript(() => Reflect.deleteProperty(window, 'IntersectionObserver'));
  await page.goto('/');
  await expect(page.locator('[data-island="contact-form"]')).toHaveAttribute('data-alive');
  await expect(page.locator('[data-island="header"]')).not.toHaveAttribute('data-alive');
  await visitor.answerCall(STORED);
  const call = await visitor.holdBack(CALL);
  await visitor.send();
  await page
    .locator('#blueprint-journey')
    .evaluate((section) => section.scrollIntoView({ behavior: 'instant' }));
  const before = await page.evaluate(() => scrollY);
  call.release();
  await expect(visitor.toast).toContainText('Success!');
  await expect(visitor.receipt).toContainText(/\d\d:\d\d/);
  expect(await page.evaluate(() => scrollY)).toBe(before);

  await page.evaluate(() => Reflect.deleteProperty(Intl, 'DateTimeFormat'));
  await visitor.sendWell();
  await visitor.expectForm(EMPTY);
  await expect(visitor.note).toContainText(filled(contactForm).promise);
});
