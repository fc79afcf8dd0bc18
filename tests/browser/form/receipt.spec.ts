import { expect } from '@playwright/test';
import { contact } from '../../../site/content/contact.ts';
import { contactForm } from '../../../site/content/contact-form.ts';
import { problems } from '../../../site/content/problems.ts';
import { EMPTY, expectUncovered, MESSAGE, MOVING, PHONE, sheetsIn, test } from '../visitor.ts';

const [spreadsheets = '', stock = ''] = problems.items.map(({ title }) => title);

test('what was sent stays, stamped, until the next is, and is printed alone', async ({ page, visitor }) => {
  await page.addInitScript(() => {
    window.print = () => document.documentElement.toggleAttribute('data-printed', true);
  });
  await visitor.open();
  await expect(visitor.receipt).toBeHidden();
  await visitor.problem(stock).check();
  const message = { ...MESSAGE, message: 'Two lines:\n<b>not bold</b>' };
  await visitor.sendWell(message);
  await visitor.expectForm(EMPTY);
  await expect(visitor.receipt.getByText(/\d\d:\d\d.*\d\d:\d\d/s)).toBeVisible();
  const words = visitor.receipt.locator('dd');
  expect(await words.allInnerTexts()).toEqual([message.name, message.email, message.message]);
  await expect(visitor.receipt.getByText(stock)).toBeVisible();
  await expect(visitor.receipt, 'the words are below the plan and what was marked').toHaveCSS(
    'display',
    'block',
  );
  await expect(page.getByText(contact.lead)).toBeHidden();
  await expect(visitor.receipt.locator('[data-own]')).toHaveCount(2);
  // With reduced motion, there's no van.
  await expect(visitor.receipt.locator('svg')).toBeHidden();

  // It doesn’t change with what is ticked afterwards.
  await visitor.problem(spreadsheets).check();
  await expect(visitor.receipt.getByText(spreadsheets)).toBeHidden();
  await expect(visitor.receipt.locator('[data-own]')).toHaveCount(2);

  await page.getByRole('link', { name: contact.another }).click();
  await expect(visitor.nameField).toBeFocused();
  await expectUncovered(page.getByText(contactForm.fields.name.label, { exact: true }).last());
  await visitor.send();
  await expect(words.last()).toHaveText(MESSAGE.message);
  await expect(visitor.receipt.getByText(spreadsheets)).toBeVisible();
  await expect(visitor.receipt.getByText(stock)).toBeHidden();

  // By the browser's own menu, too
  await page.emulateMedia({ media: 'print' });
  await expect(visitor.receipt.getByText(MESSAGE.message)).toBeVisible();
  const dated = expect(visitor.receipt, 'with the date, which outlives the week');
  await dated.toHaveCSS('content', /"\d{4}-\d\d-\d\d"/, { pseudo: 'after' });
  await expect(page.getByText(contact.replyLabel)).toBeVisible();
  for (const other of ['h1', 'h2', '#contact-form'])
    await expect(page.locator(other).first(), other).toBeHidden();
  for (const printer of ['one', 'another']) expect(sheetsIn(await page.pdf()), printer).toBe(1);
  await page.emulateMedia({ media: null });
  await visitor.receipt.getByRole('button', { name: contactForm.save }).click();
  await expect(page.locator('html')).toHaveAttribute('data-printed');
  await words.last().evaluate((long) => long.append('\nOne more.'.repeat(40)));
  expect(sheetsIn(await page.pdf()), 'a long one begins on the first').toBe(2);
});

test('in 300 ms the stamp is in view; then the van leaves, once', async ({ page, visitor }) => {
  await page.emulateMedia(MOVING);
  await page.setViewportSize(PHONE);
  await visitor.open();
  // Looked for in each frame, until the frame after the last of them has ended.
  const took = page.waitForFunction(() => {
    const effects = document.getAnimations().map(({ effect }) => effect as KeyframeEffect);
    const moving = effects.filter(({ pseudoElement }) => pseudoElement?.startsWith('::view-'));
    return Math.max(0, ...moving.map((effect) => Number(effect.getComputedTiming().endTime)));
  });
  const van = visitor.receipt.locator('svg');
  const isLeaving = van.waitFor();
  await visitor.sendWell();
  await isLeaving;
  expect(await (await took).jsonValue()).toBeLessThan(300);
  await visitor.expectForm(EMPTY);
  await expectUncovered(visitor.receipt.getByText(/\d\d:\d\d/));
  await expect(van).toHaveCount(0);
});
