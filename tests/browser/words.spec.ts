import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type FrameLocator, type Locator, type Page } from '@playwright/test';
import sharp from 'sharp';
import { hero } from '../../site/content/hero.ts';
import { packages } from '../../site/content/packages.ts';
import { questions } from '../../site/content/questions.ts';
import { price } from '../../site/ui/words.ts';
import { cookieFor, enter, openDeskPage } from '../support/desk/open-desk-page.ts';
import { copyProject } from '../support/site/copy-project.ts';

/** A desk in a copy of the project, with its words as they came, on its page of words. */
const test = base.extend<
  { copy: string; words: string; site: FrameLocator },
  { desk: { copy: string; address: string; cookie: string } }
>({
  // One for many tests, since its start takes longer than most of them.
  desk: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from this pattern what a fixture needs
    async ({}, use) => {
      const copy = copyProject();
      const { link, address, close } = await openDeskPage(copy, {}, copy);
      await use({ copy, address, cookie: await cookieFor(link) });
      await close();
      await rm(copy, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  copy: async ({ desk }, use) => {
    await rm(join(desk.copy, 'mine'), { recursive: true, force: true });
    await use(desk.copy);
  },
  words: async ({ copy: _, desk, context, page }, use) => {
    const [name = '', value = ''] = desk.cookie.split('=');
    await context.addCookies([{ name, value, url: desk.address }]);
    await page.goto(`${desk.address}/words`);
    await use(desk.address);
  },
  site: async ({ words: _, page }, use) => {
    const site = page.frameLocator('iframe');
    await expect(site.locator('h1')).toHaveText(headline);
    await use(site);
  },
});

// Wide enough for the page to be shown at its own size, where Playwright can click into it.
test.use({ viewport: { width: 1900, height: 1000 } });

const slip = (page: Page) => page.getByRole('dialog', { name: 'Change this' });
const box = (page: Page) => slip(page).getByRole('textbox').first();
const onDisk = async (copy: string) =>
  JSON.parse(await readFile(join(copy, 'mine/words.json'), 'utf8').catch(() => '{}'));
const headline = hero.headline;

/** Clicks some words of the page, and types others in the box beside them. */
async function change(page: Page, words: Locator, text: string): Promise<void> {
  await words.click();
  await expect(box(page)).toBeFocused();
  await box(page).fill(text);
  await box(page).press('Enter');
}

test('a sentence that’s clicked and typed anew is on the page and on disk; Escape takes back, leaving saves, what can’t be shown is said, and it goes back to ours', async ({
  page,
  site,
  copy,
}) => {
  await change(page, site.locator('h1'), 'Désencombrer l’atelier');
  await expect(site.locator('h1')).toHaveText('Désencombrer l’atelier');
  await expect(slip(page)).toBeHidden();
  expect(await onDisk(copy)).toEqual({ hero: { headline: 'Désencombrer l’atelier' } });

  await site.locator('h1').click();
  await box(page).fill('Not this');
  await box(page).press('Escape');
  await expect(slip(page)).toBeHidden();
  await expect(site.locator('h1')).toHaveText('Désencombrer l’atelier');
  await site.locator('h1').click();
  await box(page).fill('But this');
  await page.getByRole('searchbox', { name: 'Find words' }).click();
  await expect(site.locator('h1')).toHaveText('But this');

  await change(page, site.locator('h1'), 'x'.repeat(61));
  await expect(slip(page).getByRole('alert')).toContainText('60 characters');
  await expect(box(page)).toHaveValue('x'.repeat(61));
  await expect(box(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(site.locator('h1')).toHaveText('But this');
  await box(page).press('Escape');

  await site.locator('h1').click();
  await slip(page)
    .getByRole('button', { name: /^Back to/ })
    .click();
  await expect(site.locator('h1')).toHaveText(headline);
});

test('a {place} is erased as a whole, and can be put in', async ({ page, site }) => {
  await site.getByText('Reply within', { exact: false }).first().click();
  await expect(box(page)).toHaveValue('Reply {reply}');
  await box(page).press('End');
  await box(page).press('Backspace');
  await expect(box(page)).toHaveValue('Reply ');
  await slip(page).getByText('Put in what changes').first().click();
  await slip(page)
    .getByRole('button', { name: /\{country\}/ })
    .first()
    .click();
  await expect(box(page)).toHaveValue('Reply {country}');
});

test('a price is a number, with its currency beside it', async ({ page, site }) => {
  const [first] = packages.items;
  await site
    .getByText(price(first?.price ?? 0), { exact: false })
    .nth(1)
    .click();
  const field = slip(page).getByLabel('Price', { exact: false }).first();
  await expect(field).toHaveValue(String(first?.price));
  await field.fill('1,999');
  await field.press('Enter');
  await expect(site.getByText('$1,999').first()).toBeVisible();
  for (const typed of ['1499,50', 'cheap']) {
    await field.fill(typed);
    await field.press('Enter');
    await expect(slip(page).getByRole('alert').filter({ hasText: 'whole number' })).toBeVisible();
    await expect(field).toHaveValue(typed);
    await expect(site.getByText('$1,999').first()).toBeVisible();
  }
});

test('a question is added, moved and removed where it stands', async ({ page, site, copy }) => {
  const asked = async () => {
    const own = { questions, ...(await onDisk(copy)) };
    return own.questions.items.map((one: { question: string }) => one.question);
  };
  const [first = '', second = ''] = questions.items.map(({ question }) => question);
  await site.getByText(second).click();
  await slip(page)
    .getByRole('button', { name: /^Add one/ })
    .click();
  await expect(slip(page)).toContainText(`3 of ${questions.items.length + 1}`);
  await box(page).fill('Is it new?');
  await box(page).press('Enter');
  await site.getByText('Is it new?').click();
  await slip(page)
    .getByRole('button', { name: /^Move up/ })
    .click();
  await expect(slip(page)).toContainText(`2 of ${questions.items.length + 1}`);
  expect((await asked()).slice(0, 3)).toEqual([first, 'Is it new?', second]);
  await slip(page)
    .getByRole('button', { name: /^Remove/ })
    .click();
  await expect(slip(page)).toBeHidden();
  expect(await asked()).toEqual(questions.items.map(({ question }) => question));
});

test('her name is asked for at her portrait, and stands below it from then on', async ({
  page,
  site,
  copy,
}) => {
  await site.locator('#about-founder img').click();
  await expect(box(page)).toHaveAccessibleName('Your name');
  await box(page).fill('Ana Souza');
  await box(page).press('Enter');
  await expect(site.locator('#about-founder').getByText('Ana Souza').first()).toBeVisible();
  expect(await onDisk(copy)).toEqual({ founder: { name: 'Ana Souza' } });
});

test('a fourth package and the most popular one are choices', async ({ page, site, copy }) => {
  const { title: last = '', price: lastPrice = 0 } = packages.items.at(-1) ?? {};
  await site.getByRole('heading', { name: last }).click();
  await slip(page)
    .getByRole('button', { name: /^Add one/ })
    .click();
  await expect(site.getByRole('heading', { name: last })).toHaveCount(2);
  await slip(page).getByRole('button', { name: 'Done' }).click();
  await site.locator('#blueprint-journey').getByText(price(lastPrice)).last().click();
  await slip(page)
    .getByLabel(/popular/i)
    .click();
  await expect
    .poll(async () =>
      ({ packages, ...(await onDisk(copy)) }).packages.items.map((one: { popular: boolean }) => one.popular),
    )
    .toEqual([...packages.items.map(() => false), true]);
});

test('all words, those that the page doesn’t show too, are found and changed by keyboard alone', async ({
  page,
  site,
  copy,
}) => {
  const panel = page.getByRole('complementary');
  await page.getByRole('searchbox', { name: 'Find words' }).focus();
  await page.keyboard.type(headline.slice(0, 12));
  const found = panel.getByRole('textbox', { name: 'Headline' });
  await found.focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await expect(site.locator('h1')).toHaveText('By keyboard');

  await page.getByRole('searchbox', { name: 'Find words' }).fill('');
  await panel.locator('summary', { hasText: /^Page not found$/ }).press('Enter');
  const heading = panel.getByRole('textbox', { name: 'Heading' }).first();
  await heading.fill('Nothing here.');
  await heading.press('Enter');
  await expect.poll(async () => (await onDisk(copy)).notFound).toEqual({ heading: 'Nothing here.' });
});

test('changes are undone and redone, also after the desk was closed', async ({ page, site, copy }) => {
  await change(page, site.locator('h1'), 'One');
  await expect(site.locator('h1')).toHaveText('One');
  await change(page, site.locator('h1'), 'Two');
  await expect(site.locator('h1')).toHaveText('Two');
  const again = await openDeskPage(copy, {}, copy);
  try {
    await enter(page, again.link);
    await page.goto(`${again.address}/words`);
    await page.getByRole('button', { name: /^Undo/ }).click();
    await expect(site.locator('h1')).toHaveText('One');
    await page.getByRole('button', { name: /^Undo/ }).click();
    await expect(site.locator('h1')).toHaveText(headline);
    await page.getByRole('button', { name: /^Redo/ }).click();
    await expect(site.locator('h1')).toHaveText('One');
  } finally {
    await again.close();
  }
});

test('a photo is made smaller by the browser, shown and undone', async ({ page, site, copy }) => {
  const photo = join(copy, 'holiday.png');
  await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#884422' } })
    .png()
    .toFile(photo);
  await site.locator('#about-founder').locator('img, svg').first().click();
  await slip(page)
    .getByLabel(/Choose a photo/)
    .setInputFiles(photo);
  await expect(site.locator('#about-founder img[src*="founder"]')).toBeVisible();
  const { width = 0, height = 0, exif } = await sharp(join(copy, 'mine/founder.jpg')).metadata();
  expect([width, height, exif]).toEqual([2500, 1875, undefined]);
  await page.getByRole('button', { name: /^Undo/ }).click();
  await expect(site.locator('#about-founder img[src*="founder"]')).toHaveCount(0);

  await test.step('one that the browser can’t decode is refused with what to do', async () => {
    await writeFile(join(copy, 'photo.heic'), 'ftypheic');
    await site.locator('#about-founder').locator('img, svg').first().click();
    await slip(page)
      .getByLabel(/Choose a photo/)
      .setInputFiles(join(copy, 'photo.heic'));
    await expect(slip(page).getByRole('alert').first()).toContainText('JPEG');
  });
});

test('the page is published from here', async ({ page, site, copy }) => {
  await change(page, site.locator('h1'), 'Built from the desk');
  await expect(site.locator('h1')).toHaveText('Built from the desk');
  await page.getByRole('button', { name: /^Publish/ }).click();
  await expect(page.getByRole('status').first()).toContainText('Published.');
  expect(await readFile(join(copy, 'dist/index.html'), 'utf8')).toContain('Built from the desk');
  await expect(page.getByText(/^Not on the published page/)).toHaveCount(0);
});

test('what keeps the page from being published is said', async ({ page, site, copy }) => {
  await expect(site.locator('h1')).toBeVisible();
  // In one step, or the site would start anew with the empty file.
  await writeFile(join(copy, 'new.env'), 'CONTACT_EMAIL=nobody');
  await rename(join(copy, 'new.env'), join(copy, '.env'));
  await page.getByRole('button', { name: /^Publish/ }).click();
  await expect(page.getByRole('status').first()).toContainText('CONTACT_EMAIL');
  await rm(join(copy, '.env'));
});

test('a click on the page leads nowhere and sends nothing, and dark and phone are shown as visitors have them', async ({
  page,
  site,
  words,
}) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(`${words}/words`)) sent.push(request.url());
  });
  await site.getByRole('link', { name: 'Packages' }).first().click();
  await expect(box(page)).toHaveValue('Packages');
  expect(sent).toEqual([]);

  await box(page).press('Escape');
  const sheet = site.locator('html');
  const light = await sheet.evaluate((html) => getComputedStyle(html).backgroundColor);
  await page.getByRole('button', { name: 'Dark' }).click();
  await expect(sheet).not.toHaveCSS('background-color', light);
  await page.getByRole('button', { name: 'Phone' }).click();
  await expect.poll(() => site.locator('body').evaluate(() => innerWidth)).toBe(390);
});

test('no state of it has a barrier that axe finds, in light or dark colours', async ({ page, site }) => {
  await page
    .getByRole('complementary')
    .locator('summary', { hasText: /^Contact form$/ })
    .click();
  await change(page, site.locator('h1'), 'x'.repeat(61));
  await expect(slip(page).getByRole('alert').first()).not.toBeEmpty();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([]);
  }
});
