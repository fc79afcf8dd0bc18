import { expect, type Page } from '@playwright/test';
import { FIELD_NAMES } from '../../contract/contact-message.ts';
import { contact } from '../../site/content/contact.ts';
import { contactForm, outcomes } from '../../site/content/contact-form.ts';
import { notSent } from '../../site/content/error-pages.ts';
import { hero } from '../../site/content/hero.ts';
import { navigation } from '../../site/content/navigation.ts';
import { packages } from '../../site/content/packages.ts';
import { problems } from '../../site/content/problems.ts';
import { filled } from '../../site/ui/words.ts';
import { stickingOut } from './page-faults.ts';
import { expectUncovered, MOVING, PHONE, rowsFrom, test } from './visitor.ts';

test.use({ javaScriptEnabled: false, viewport: PHONE });

const menu = (page: Page) => page.locator('#scriptless-menu');

/** Playwright's own click thinks the noscript element around these buttons covers them. */
const press = (page: Page, name: string) =>
  page.getByRole('button', { name }).click({ force: true, scroll: 'none' });

test('the page is complete, its drawing plays, its questions and links work', async ({ page, visitor }) => {
  await page.emulateMedia(MOVING);
  await page.goto('/');
  await expect(page.locator('main > section :is(h1, h2)').filter({ visible: true })).toHaveCount(11);
  await expect(page.getByRole('article').filter({ visible: true })).toHaveCount(packages.items.length);
  await expect(visitor.form.getByRole('textbox')).toHaveCount(FIELD_NAMES.length);
  await expect(page.getByRole('contentinfo').getByText('©')).toContainText(/© \d{4}/);
  await expect(visitor.receipt).toBeHidden();
  await expect(visitor.receipt, 'nor does it show in a browser without styles').toHaveAttribute('hidden');
  const trap = page.locator('#contact-trap');
  await trap.scrollIntoViewIfNeeded();
  await expect(trap).not.toBeInViewport({ ratio: 0.01 });
  await expect(trap).toHaveAttribute('tabindex', '-1');

  const pile = page.locator('.hp-old').last();
  await expect(pile).toHaveCSS('opacity', '0');
  for (const [name, opacity] of [
    [hero.states.before, '1'],
    [hero.states.after, '0'],
  ] as const) {
    await page.getByRole('radio', { name }).check();
    await expect(pile).toHaveCSS('opacity', opacity);
  }

  const question = page.locator('details').first();
  await question.locator('summary').click();
  await expect(question.locator('p')).toBeVisible();

  await page.getByRole('link', { name: packages.ask }).first().click();
  await expect(page).toHaveURL('/#lets-map-your-blueprint');
  await expect(visitor.nameField).toBeInViewport();

  await visitor.toTop.click();
  await expect(visitor.toTop).toHaveCount(0);
  await expect(page.locator('h1')).toBeInViewport();
});

test('the menu opens, leads to a section, stays closed there, and opens again', async ({ page }) => {
  await page.goto('/');
  await expect(menu(page)).toBeHidden();
  await press(page, navigation.menu.open);
  await expect(menu(page)).toBeVisible();
  await menu(page).getByRole('link', { name: 'Packages' }).click();
  await expect(page).toHaveURL('/#blueprint-journey');
  await expect(page.locator('#blueprint-journey h2')).toBeInViewport();
  const last = page.getByRole('contentinfo').getByRole('link').last();
  for (let presses = 0; presses < 30; presses += 1) {
    await expect(menu(page)).toBeHidden();
    if (await last.evaluate((link) => link.matches(':focus'))) break;
    await page.keyboard.press('Tab');
  }
  await expect(last).toBeFocused();
  for (const close of [() => press(page, navigation.menu.close), () => page.keyboard.press('Escape')]) {
    await press(page, navigation.menu.open);
    await expect(menu(page)).toBeVisible();
    await close();
    await expect(menu(page)).toBeHidden();
  }
});

test('what’s refused comes back with all of it; what’s sent is told', async ({ page, site, visitor }) => {
  visitor.expectFault(/status of 422/);
  const [spreadsheets = '', stock = '', accountability = ''] = problems.items.map(({ title }) => title);
  const message = {
    name: `تيا "Zo" <b>${'w'.repeat(180)}`,
    email: `${'a'.repeat(60)}@${'b'.repeat(60)}.example.com`,
    message: `\n%%email%% </textarea><script>alert(1)</script>\n${'x'.repeat(10_001)}`,
  };
  // A colleague's link opens the page, no more.
  await page.goto('/#stuck=1');
  await expect(page.getByRole('button', { name: problems.share.button })).toBeHidden();
  const spot = page.locator('#contact-topics [data-marks] > b').nth(1);
  const unlit = await spot.evaluate((one) => getComputedStyle(one).backgroundColor);
  for (const title of [spreadsheets, stock, accountability]) await visitor.problem(title).check();
  await expect(spot).not.toHaveCSS('background-color', unlit);
  const listed = page.getByRole('list', { name: contactForm.topics.label });
  await expect(listed.getByText(stock)).toBeVisible();
  await visitor.send(message);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(notSent.heading);
  await visitor.expectForm(message);
  await expect(visitor.nameField).toHaveCSS('direction', 'rtl');
  await expect(visitor.messageField).toHaveAttribute('aria-invalid', 'true');
  await expect(visitor.messageField).toHaveAccessibleDescription(/10,000/);
  await expect(page.locator('#contact-message-error')).toBeVisible();
  await expect(page.locator('#contact-name-error')).toBeHidden();
  await expect(page.getByText(contactForm.status.incomplete)).toBeVisible();
  const group = page.getByRole('group', { name: contactForm.topics.label });
  await expect(group.getByRole('checkbox', { checked: true })).toHaveCount(3);

  await visitor.eachSize(['390×844', '320×568', '1280×800'], async () =>
    expect(await page.evaluate(stickingOut)).toEqual([]),
  );

  await visitor.problem(stock).uncheck();
  const shorter = { name: 'Kim', email: 'second-try@example.com', message: 'C’est plus court. 📦\nVoilà.' };
  await visitor.fill(shorter);
  await visitor.sendButton.click();
  await expect(page).toHaveURL('/#message-sent');
  await expect(visitor.receipt).toContainText(`${outcomes.sent.title} ${filled(outcomes).sent.description}`);
  await expectUncovered(visitor.receipt);
  await expect(page.getByText(contactForm.status.received, { exact: true })).toBeVisible();
  await expect(visitor.sendButton, 'nobody is asked to fill it in again').toBeHidden();
  await page.getByRole('link', { name: contact.another }).click();
  await expect(visitor.nameField).toBeInViewport();
  await expect(visitor.receipt).toBeHidden();
  expect(rowsFrom(site, shorter.email)).toMatchObject([
    { message: `${contactForm.topics.label}: ${spreadsheets}; ${accountability}\n${shorter.message}` },
  ]);
});
