import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { shootMails } from './mail-shots.ts';
import { findChromium } from './support/site/find-browser.ts';
import { serveSite } from './support/site/serve-site.ts';
import { buildTestSite, TEST_SITE } from './support/site/test-site.ts';

/**
 * `node tests/shots.ts`: pictures of every section and state, at six widths in both themes, and the printed pages, in the
 * git-ignored folder `shots/`; and the README's picture in `docs/`.
 *
 * `node tests/shots.ts 390 dark` makes only those whose names contain all of the words.
 */
const OUT = join(PROJECT_ROOT, 'shots');
const WIDTHS = [320, 390, 768, 1024, 1440, 1920];
const HEIGHTS: Record<number, number> = { 320: 640, 390: 844, 768: 1024, 1024: 768, 1440: 900, 1920: 1080 };
const words = process.argv.slice(2);

await buildTestSite();
const site = await serveSite(TEST_SITE);
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
try {
  if (words.length === 0) await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  for (const width of WIDTHS) {
    for (const theme of ['light', 'dark'] as const) await shoot(browser, width, theme);
  }
  await print(browser);
  await shootMails(browser, OUT, words);
  await readmePicture(browser);
} finally {
  await browser.close();
  await site.close();
}

async function open(context: BrowserContext, path = '/'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(site.origin + path, { waitUntil: 'networkidle' });
  await page.evaluate(async () => {
    for (const image of document.querySelectorAll('img')) image.loading = 'eager';
    await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
    await document.fonts.ready;
  });
  return page;
}

async function shoot(on: Browser, width: number, theme: 'light' | 'dark'): Promise<void> {
  const wanted = (name: string) => words.every((word) => `${name}-${width}-${theme}`.includes(word));
  const context = await on.newContext({
    viewport: { width, height: HEIGHTS[width] ?? 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    // The page's policy would refuse the style that unpins fixed elements.
    bypassCSP: true,
  });
  const save = (name: string) => join(OUT, `${name}-${width}-${theme}.png`);

  /** A state of the page, in a new tab. */
  async function state(name: string, prepare: (page: Page) => Promise<void>, path = '/'): Promise<void> {
    if (!wanted(name)) return;
    const page = await open(context, path);
    await prepare(page);
    await page.screenshot({ path: save(name) });
    await page.close();
  }

  if (wanted('page') || wanted('section')) {
    const page = await open(context);
    if (wanted('page')) await page.screenshot({ path: save('page'), fullPage: true });
    // Fixed elements would cover part of any section taller than the window.
    await page.addStyleTag({
      content: 'header, body > p, a[href="#top"] { position: static !important }',
    });
    for (const [index, section] of (await page.locator('main > section, body > footer').all()).entries()) {
      const name = `section-${String(index + 1).padStart(2, '0')}`;
      if (wanted(name)) await section.screenshot({ path: save(name) });
    }
    await page.close();
  }

  await state('first-view', async () => undefined);
  await state('before', async (page) => page.getByLabel('Before', { exact: true }).check());
  await state('scrolled', async (page) => page.evaluate(() => scrollTo(0, innerHeight * 3)));
  const ticked = async (page: Page) => {
    for (const spot of [1, 2]) await page.getByRole('checkbox').nth(spot).check();
  };
  const toForm = (page: Page) =>
    page.locator('form').evaluate((form) => form.scrollIntoView({ block: 'center' }));
  await state('marks-ticked', async (page) => {
    await ticked(page);
    await page.locator('ol').first().scrollIntoViewIfNeeded();
  });
  await state('marks-shared', ticked, '/#stuck=1-3');
  await state(
    'marks-form',
    async (page) => {
      await ticked(page);
      await toForm(page);
    },
    '/#stuck=1-3',
  );
  await state('receipt', async (page) => {
    await ticked(page);
    await answer(page, 200, { ok: true, id: 'x' });
  });
  await state('receipt-scriptless', async () => undefined, '/#message-sent');
  await state('form-invalid', async (page) => {
    await page.getByLabel('Email').fill('not an address');
    await page.getByRole('button', { name: 'Send message' }).click();
  });
  await state('form-focus', async (page) => page.getByLabel('Message').focus());
  await state('toast-success', async (page) => answer(page, 200, { ok: true, id: 'x' }));
  await state('toast-error', async (page) =>
    answer(page, 200, { error: 'Please write at most 10,000 characters.' }),
  );
  await state('form-refused', async (page) => {
    await answer(page, 200, {
      error: 'Please enter an e-mail address like name@example.com.',
      field: 'email',
    });
  });
  await state('toast-failed', async (page) => answer(page, 502, 'Bad gateway'));
  await state('not-found', async () => undefined, '/no-such-page');
  if (width < 1024) {
    await state('menu', async (page) => page.getByRole('button', { name: 'Menu' }).click());
  }
  await context.close();
}

async function answer(page: Page, status: number, body: object | string): Promise<void> {
  await page.route('**/functions/v1/**', (route) =>
    route.fulfill({ status, ...(typeof body === 'string' ? { body } : { json: body }) }),
  );
  await page.getByLabel('Name').fill('Sam');
  await page.getByLabel('Email').fill('sam@example.com');
  await page.getByLabel('Message').fill('Orders wait two days before anybody packs them.');
  await page.getByRole('button', { name: 'Send message' }).click();
  await page
    .getByRole('region', { name: /Notifications/ })
    .getByRole('listitem')
    .waitFor();
}

async function print(on: Browser): Promise<void> {
  if (!words.every((word) => 'print'.includes(word))) return;
  const page = await open(await on.newContext());
  await page.pdf({ path: join(OUT, 'print.pdf'), format: 'Letter' });
  await page.context().close();
}

async function readmePicture(on: Browser): Promise<void> {
  if (!words.every((word) => 'readme'.includes(word))) return;
  const context = await on.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const page = await open(context);
  await page.screenshot({ path: join(PROJECT_ROOT, 'docs/page.png') });
  await context.close();
}
