import { expect } from '@playwright/test';
import { notifications as words } from '../../../site/content/contact-form.ts';
import { sampleMails } from '../../support/mail/sample-mails.ts';
import { stickingOut } from '../page-faults.ts';
import { test } from '../visitor.ts';

/** What people paste, and what a server may say: long, and with nowhere to break. */
const WORD = `https://example.sharepoint.com/${'a1b2c3d4'.repeat(30)}`;
const TEXT = `${WORD} ${'and so on '.repeat(400)}`;
const LONG = {
  name: WORD.slice(0, 200),
  email: `${'a'.repeat(60)}@${'b'.repeat(60)}.example.com`,
  message: WORD,
};

const SIZES = ['320×568', '1280×800'] as const;

test('whatever is typed or answered stays within the form and the toast', async ({ page, visitor }) => {
  const expectNothingOut = () =>
    visitor.eachSize(SIZES, async () => expect(await page.evaluate(stickingOut)).toEqual([]));
  await visitor.open();
  await page.getByRole('checkbox').first().check();
  await page
    .locator('#contact-form li span')
    .first()
    .evaluate((topic) => topic.prepend('W'.repeat(80)));
  await visitor.fill(LONG);
  await expectNothingOut();
  for (const field of ['email', undefined]) {
    await visitor.sendFor({ status: 200, json: { error: TEXT, field } });
    await expect(visitor.toast).toContainText(WORD);
    await expectNothingOut();
  }
  const close = visitor.toast.getByRole('button', { name: words.close });
  const text = visitor.toast.getByText(WORD);
  await page.setViewportSize({ width: 195, height: 422 });
  const room = text.evaluate(
    (node) => node.clientWidth - 2 * Number.parseFloat(getComputedStyle(node).paddingLeft),
  );
  expect(await room, 'for a word, on a phone zoomed to 200 %').toBeGreaterThan(60);
  await visitor.messageField.focus();
  await page.keyboard.press('F8');
  for (const _ of ['the button', 'the text']) await page.keyboard.press('Tab');
  await expect(text).toBeFocused();
  await visitor.eachSize([...SIZES, '360×225'], async () => {
    await page.keyboard.press('End');
    await expect
      .poll(() => text.evaluate((node) => node.scrollHeight - node.clientHeight - node.scrollTop))
      .toBeLessThan(2);
    await expect(close).toBeInViewport({ ratio: 1 });
  });
});

test('no word of the owner’s is wider than the page', async ({ page, visitor }) => {
  await visitor.open();
  await page
    .locator('main :is(h1, h2, h3, dd, summary, article li, p:not([class], :has(b))), [href^="mailto:"]')
    .evaluateAll((texts, word) => {
      for (const text of texts) text.append(` ${word}`);
    }, 'www.linkedin.com/in/ana-souza-operations-consultant');
  await visitor.eachSize(SIZES, async () => expect(await page.evaluate(stickingOut)).toEqual([]));
});

test('no mail is wider than its window', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 568 });
  for (const [name, { html }] of Object.entries(sampleMails())) {
    await page.setContent(html);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(320);
  }
});
