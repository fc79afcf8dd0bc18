import { expect, type Page } from '@playwright/test';
import { contactForm, outcomes } from '../../../site/content/contact-form.ts';
import { problems } from '../../../site/content/problems.ts';
import { filled } from '../../../site/ui/words.ts';
import { MESSAGE, rowsFrom, test } from '../visitor.ts';

const field = (page: Page, name: string) => page.locator(`#contact-form [name=${name}]`);

test('a page that extensions and a translator have changed works', async ({ page, site, visitor }) => {
  visitor.expectFault(/status of 422/);
  const message = { ...MESSAGE, email: 'ada@gmail.com' };
  const sending = page.locator('#contact-form [type=submit]');
  // Then its language and labels are theirs.
  for (const change of [extendForm, translate])
    await page.addInitScript(`addEventListener('DOMContentLoaded', ${change}, { once: true })`);
  await visitor.open();
  expect(await page.locator('com-extension').count()).toBeGreaterThan(7);
  expect(await page.locator('font').count()).toBeGreaterThan(100);

  await expect(field(page, 'name')).toHaveValue('Typed early');
  await sending.click();
  await expect(visitor.note).toContainText(contactForm.status.incomplete);
  await expect(page.locator('[id$=-error]').filter({ hasText: /./ })).toHaveCount(2);

  const [ticked = ''] = problems.items.map(({ title }) => title);
  await page.locator('h3 input').first().check();
  await expect(page.locator('#contact-topics').getByText(ticked)).toBeVisible();

  await field(page, 'email').fill('ada@gmial.con');
  await field(page, 'message').focus();
  const doubt = contactForm.didYouMean.replace('{domain}', 'gmail.com');
  await page.locator('#contact-form').getByText(doubt).click();
  await expect(field(page, 'email')).toHaveValue(message.email);

  // The browser takes spaces for a name; the server doesn't.
  await field(page, 'name').fill('  ');
  await field(page, 'message').fill(message.message);
  await sending.click();
  await expect(visitor.toast).toContainText(outcomes.refused.title);
  await expect(field(page, 'message')).toHaveValue(message.message);
  await expect(page.locator('#contact-name-error')).not.toBeEmpty();
  await visitor.closeToast();

  await field(page, 'name').fill(message.name);
  await expect(visitor.note).toHaveText(filled(contactForm).promise);
  await sending.click();
  await expect(visitor.toast).toContainText(outcomes.sent.title);
  await expect(page.locator('#message-sent')).toContainText(/\d\d:\d\d/);
  await expect(field(page, 'message')).toHaveValue('');
  expect(rowsFrom(site, message.email)).toMatchObject([
    { name: message.name, message: `${contactForm.topics.label}: ${ticked}\n${message.message}` },
  ]);
});

/** Runs in the page: as Chrome and Edge translate, now and whatever changes later. */
function translate(): void {
  const translated = 'font';
  function all(node: Node): void {
    for (const child of [...node.childNodes]) all(child);
    const { parentElement: parent } = node;
    if (!(node instanceof Text) || !parent || !node.data.trim()) return;
    if (parent.closest(`${translated}, script, style, textarea, svg`)) return;
    const outer = document.createElement(translated);
    outer.appendChild(document.createElement(translated)).textContent = node.data;
    node.replaceWith(outer);
  }
  document.documentElement.lang = 'auto';
  all(document.body);
  new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes)
      for (const node of type === 'characterData' ? [target] : addedNodes) all(node);
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
}

/** Runs in the page: what password managers and grammar checkers put into forms, around and between its fields. */
function extendForm(): void {
  const form = document.querySelector('form');
  if (!form) return;
  for (const field of form.querySelectorAll('input, textarea')) {
    const around = document.createElement('com-extension');
    field.replaceWith(around);
    around.append(field, document.createElement('div'));
    field.setAttribute('data-extension', '');
  }
  for (const part of [...form.children]) part.before(document.createElement('com-extension'));
  // Then the form's properties with these names are theirs.
  for (const name of ['action', 'submit', 'reset'])
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name }));
  const [name] = form.querySelectorAll<HTMLInputElement>('[name=name]');
  if (name) name.value = 'Typed early';
}
