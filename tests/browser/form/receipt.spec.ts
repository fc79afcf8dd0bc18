import { expect, type Page } from '@playwright/test';
import { SENT_ANCHOR } from '../../../contract/contact-message.ts';
import { contact } from '../../../site/content/contact.ts';
import { contactForm } from '../../../site/content/contact-form.ts';
import { problems } from '../../../site/content/problems.ts';
import { EMPTY, expectUncovered, MESSAGE, MOVING, PHONE, test } from '../visitor.ts';

const [spreadsheets = '', stock = ''] = problems.items.map(({ title }) => title);
const receipt = (page: Page) => page.locator(`#${SENT_ANCHOR}`);

test('what was sent stays, stamped, until the next is, and is printed alone', async ({ page, visitor }) => {
  await page.addInitScript(() => {
    window.print = () => document.documentElement.toggleAttribute('data-printed', true);
  });
  await visitor.open();
  await expect(receipt(page)).toBeHidden();
  await visitor.problem(stock).check();
  const message = { ...MESSAGE, message: 'Two lines:\n<b>not bold</b>' };
  await visitor.sendWell(message);
  await visitor.expectForm(EMPTY);
  await expect(receipt(page).getByText(/\d\d:\d\d.*\d\d:\d\d/s)).toBeVisible();
  const shown = await receipt(page).locator('dd').allInnerTexts();
  expect(shown).toEqual([message.name, message.email, message.message]);
  await expect(receipt(page).getByText(stock)).toBeVisible();
  await expect(receipt(page).locator('[data-own]')).toHaveCount(2);
  // Who wants less motion sees no van.
  await expect(receipt(page).locator('svg')).toBeHidden();

  await test.step('it doesn’t change with what is ticked afterwards', async () => {
    await visitor.problem(spreadsheets).check();
    await expect(receipt(page).getByText(spreadsheets)).toBeHidden();
    await expect(receipt(page).locator('[data-own]')).toHaveCount(2);
  });

  await receipt(page).getByRole('link', { name: contact.another }).click();
  await expect(visitor.nameField).toBeFocused();
  await visitor.send();
  await expect(receipt(page).locator('dd').last()).toHaveText(MESSAGE.message);
  await expect(receipt(page).getByText(spreadsheets)).toBeVisible();
  await expect(receipt(page).getByText(stock)).toBeHidden();

  await receipt(page).getByRole('button', { name: contactForm.save }).click();
  await expect(page.locator('html')).toHaveAttribute('data-printed');
  await page.emulateMedia({ media: 'print' });
  await expect(receipt(page).getByText(MESSAGE.message)).toBeVisible();
  for (const other of ['h1', 'h2', '#contact-form', 'footer'])
    await expect(page.locator(other).first(), other).toBeHidden();
  expect((await page.pdf()).toString('latin1').match(/\/Type\s*\/Page\b/g), 'one sheet').toHaveLength(1);
  // From then on, the page is printed as ever.
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await expect(receipt(page)).toBeHidden();
  await expect(page.locator('h1')).toBeVisible();
});

test('in 300 ms the stamp is in view; then the van leaves, once', async ({ page, visitor }) => {
  await page.emulateMedia(MOVING);
  await page.setViewportSize(PHONE);
  await visitor.open();
  // Looked for in each frame, and there until the frame after the last of them has ended.
  const took = page.waitForFunction(() => {
    const moving = document
      .getAnimations()
      .map(({ effect }) => effect)
      .filter((effect) => effect instanceof KeyframeEffect && effect.pseudoElement?.startsWith('::view-'));
    return Math.max(0, ...moving.map((effect) => Number(effect?.getComputedTiming().endTime)));
  });
  const van = receipt(page).locator('svg');
  const isLeaving = van.waitFor();
  await visitor.sendWell();
  await isLeaving;
  expect(await (await took).jsonValue()).toBeLessThan(300);
  await visitor.expectForm(EMPTY);
  await expectUncovered(receipt(page).getByText(/\d\d:\d\d/));
  await expect(van).toHaveCount(0);
});
