import { expect, type Page } from '@playwright/test';
import { contactForm } from '../../../site/content/contact-form.ts';
import { packages } from '../../../site/content/packages.ts';
import { problems } from '../../../site/content/problems.ts';
import { CALL, MESSAGE, PHONE, test, visitorOf } from '../visitor.ts';

const { share } = problems;
const { label, both, oneOfUs, remove } = contactForm.topics;
const titles = problems.items.map(({ title }) => title);
const [first = '', second = '', third = '', fourth = ''] = titles;

const button = (page: Page) => page.getByRole('button', { name: share.button });
const said = (page: Page) => page.locator('[aria-labelledby="problems-heading"] output');
const banner = (page: Page) => page.getByText(share.theirs).first();

/** What each plan and list shows: own, theirs, or both, by number. */
const marks = (page: Page) =>
  page.locator('[data-marks]').evaluateAll((places) =>
    places.map((place) =>
      [...place.children]
        .flatMap((child, at) => {
          const whose = ['own', 'theirs'].filter((one) => child.hasAttribute(`data-${one}`));
          return whose.length > 0 ? `${at + 1} ${whose.join(' ')}` : [];
        })
        .join(', '),
    ),
  );

async function expectMarks(page: Page, expected: string): Promise<void> {
  // The plan, the lines to it and the list of the problems, the strip, and the form's plan and list
  await expect.poll(() => marks(page)).toEqual(Array(6).fill(expected));
}

test('a link rings what a colleague ticks, and both are sent', async ({ context, page, visitor }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await visitor.open();
  await expect(button(page)).toBeHidden();
  await visitor.problem(first).check();
  await visitor.problem(third).check();
  await expectMarks(page, '1 own, 3 own');
  await button(page).press('Enter');
  await expect(said(page)).toHaveText(share.copied);
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(new URL(link).hash).toBe('#stuck=1-3');

  const other = await context.newPage();
  const colleague = visitorOf(other);
  await colleague.open(link);
  await expectMarks(other, '1 theirs, 3 theirs');
  await expect(other.locator('[aria-labelledby="problems-heading"] h2')).toBeInViewport();
  await expect(banner(other)).toBeVisible();
  await expect(colleague.problem(first)).toHaveAccessibleDescription(new RegExp(share.theirs));
  await expect(colleague.problem(first)).not.toBeChecked();
  await colleague.problem(third).check();
  await colleague.problem(fourth).check();
  await expectMarks(other, '1 theirs, 3 own theirs, 4 own');
  await other.emulateMedia({ forcedColors: 'active' });
  const rings = await other
    .locator('#contact-topics [data-marks] > b')
    .evaluateAll((all) => all.map((spot) => getComputedStyle(spot).outlineColor.startsWith('rgb(')));
  expect(rings).toEqual([true, false, true, false, false]);
  await other.emulateMedia({ forcedColors: null });
  await other.evaluate(() => {
    location.hash = 'packages';
  });
  // A slow browser could be asked to reload before it has told the page about the new fragment.
  await expect.poll(() => other.evaluate(() => history.state)).toBe('#stuck=1-3');
  await other.reload();
  await expectMarks(other, '1 theirs, 3 own theirs, 4 own');
  await other.getByRole('link', { name: packages.ask }).first().click();

  const call = other.waitForRequest(CALL);
  await colleague.sendWell();
  const line = `${label}: ${packages.items[0]?.title}; ${both}: ${third} / ${oneOfUs}: ${first}; ${fourth}`;
  expect((await call).postDataJSON()).toEqual({ ...MESSAGE, message: `${line}\n${MESSAGE.message}` });
  await expectMarks(other, '');
});

test('rings are removed for good, and no server hears of them', async ({ page, visitor }) => {
  await visitor.open('/?from=mail');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.evaluate(() => {
    location.hash = 'stuck=1-2-3';
  });
  await expectMarks(page, '1 theirs, 2 theirs, 3 theirs');
  await page.getByRole('button', { name: remove.replace('{topic}', second) }).press('Enter');
  await expectMarks(page, '1 theirs, 3 theirs');
  await page.getByRole('button', { name: share.dismiss }).press('Enter');
  await expectMarks(page, '');
  await expect(banner(page)).toBeHidden();
  await expect(visitor.problem(first)).toBeFocused();
  await expect(page).toHaveURL('/?from=mail');
  // Its pictures load as they're scrolled to.
  expect(asked.filter((url) => !/\/assets\//.test(url))).toEqual([]);
  await page.reload();
  await expect(page.locator('footer')).toBeVisible();
  await expectMarks(page, '');
});

test('the link is shared as the system does, or else copied or shown', async ({ page, visitor }) => {
  await page.addInitScript(() => {
    const shared: ShareData[] = [];
    Object.assign(window, { shared });
    Object.defineProperty(navigator, 'share', {
      configurable: true,
      value: async (data: ShareData) => {
        shared.push(data);
        if (shared.length > 1) throw new DOMException('closed', 'AbortError');
      },
    });
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
  });
  await visitor.open();
  await visitor.problem(fourth).check();
  await button(page).click();
  await button(page).click();
  const shared = await page.evaluate(() => (window as unknown as { shared: ShareData[] }).shared);
  const { origin } = new URL(page.url());
  expect(shared.map(({ url }) => url)).toEqual(Array(2).fill(`${origin}/#stuck=4`));
  await expect(said(page)).toBeEmpty();

  await page.evaluate(() => Object.defineProperty(navigator, 'share', { value: undefined }));
  await button(page).click();
  await expect(said(page)).toHaveText(`${share.copy} ${origin}/#stuck=4`);
});

test('while one ticks, a phone shows all spots, and each is announced', async ({ page, visitor }) => {
  await page.setViewportSize(PHONE);
  await visitor.open();
  const heard = page.locator('[aria-labelledby="problems-heading"] [aria-live]');
  const spots = page.locator('[aria-labelledby="problems-heading"] > div > [data-marks] > b');
  await expect(spots).toHaveCount(5);
  for (const [at, title] of titles.entries()) {
    await visitor.problem(title).press('Space');
    await expect(heard).toHaveText(share.lit.replace('{topics}', titles.slice(0, at + 1).join('; ')));
    for (const seen of [...(await spots.all()), visitor.problem(title)])
      await expect(seen).toBeInViewport({ ratio: 1 });
  }
  await expectMarks(page, titles.map((_, at) => `${at + 1} own`).join(', '));
  // The plan's numbers look like buttons and are, even at the head of the form.
  await page.locator('[data-marks] > b').nth(1).click();
  await expect(visitor.problem(second)).not.toBeChecked();
  await page.locator('#contact-topics [data-marks] > b').nth(1).click();
  await expect(visitor.problem(second)).toBeChecked();
});
