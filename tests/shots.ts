import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { type Answer, STORED, USUAL_SIZES, type Visitor, visitorOf } from './browser/visitor.ts';
import { sampleMails } from './support/mail/sample-mails.ts';
import { closing } from './support/network/closing.ts';
import { findChromium } from './support/site/find-browser.ts';
import buildTestSite, { serveSite, TEST_SITE } from './support/site/test-site.ts';

/**
 * `node tests/shots.ts`: pictures of the page and its states, at six widths in both themes, of the mails, and the printed
 * page, in the git-ignored folder `shots/`; and the README's picture in `docs/`.
 *
 * `node tests/shots.ts 390 dark` makes only those whose names contain all of the words.
 */
const OUT = join(PROJECT_ROOT, 'shots');
const THEMES = ['light', 'dark'] as const;
const words = process.argv.slice(2);

const sendFor = (answer: Answer) => async (visitor: Visitor) => {
  await visitor.sendFor(answer);
  await visitor.toast.waitFor();
};
const tick = async ({ page }: Visitor) => {
  for (const spot of [1, 2]) await page.getByRole('checkbox').nth(spot).check();
};

/** How each is reached, by a path or what a visitor does there. */
const STATES: Record<string, { path?: string; after?: (visitor: Visitor) => Promise<unknown> }> = {
  page: {},
  'first-view': {},
  before: { after: ({ page }) => page.getByLabel('Before', { exact: true }).check() },
  'marks-shared': { path: '/#stuck=1-3', after: tick },
  'form-marks': {
    after: (visitor) => tick(visitor).then(() => visitor.form.scrollIntoViewIfNeeded()),
  },
  'form-invalid': { after: ({ sendButton }) => sendButton.click() },
  'form-sent': { after: (visitor) => tick(visitor).then(() => sendFor(STORED)(visitor)) },
  'form-sent-scriptless': { path: '/#message-sent' },
  'form-refused': {
    after: sendFor({
      json: { error: 'Please enter an email address like name@example.com.', field: 'email' },
    }),
  },
  'form-failed': { after: sendFor({ status: 502, body: 'Bad gateway' }) },
  'not-found': { path: '/no-such-page' },
  menu: { after: ({ page }) => page.getByRole('button', { name: 'Menu' }).click() },
};

await buildTestSite();
await using site = closing(await serveSite(TEST_SITE));
await using browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
if (words.length === 0) await rm(OUT, { recursive: true, force: true });
for (const size of USUAL_SIZES)
  for (const colorScheme of THEMES)
    for (const [state, { path = '/', after }] of Object.entries(STATES)) {
      const [width = 0, height = 0] = size.split('×').map(Number);
      if (state === 'menu' && width >= 1024) continue;
      const javaScriptEnabled = !state.endsWith('-scriptless');
      const options = { viewport: { width, height }, colorScheme, javaScriptEnabled };
      await shoot(`${state}-${width}-${colorScheme}.png`, options, async (page) => {
        await open(page, path);
        await after?.(visitorOf(page));
      });
    }
for (const [name, { html }] of Object.entries(sampleMails()))
  for (const width of [360, 720])
    for (const colorScheme of THEMES) {
      const options = { viewport: { width, height: 640 }, colorScheme };
      await shoot(`mail-${name}-${width}-${colorScheme}.png`, options, (page) => page.setContent(html));
    }
await shoot('print.pdf', {}, (page) => open(page, '/'));
await shoot('../docs/page.png', { viewport: { width: 1280, height: 800 } }, (page) => open(page, '/'));

async function shoot(
  name: string,
  options: BrowserContextOptions,
  show: (page: Page) => Promise<unknown>,
): Promise<void> {
  if (!words.every((word) => name.includes(word))) return;
  const page = await browser.newPage({ reducedMotion: 'reduce', ...options });
  await show(page);
  const path = join(OUT, name);
  if (name.endsWith('.pdf')) await page.pdf({ path, format: 'Letter' });
  else await page.screenshot({ path, fullPage: /^(page|mail)-/.test(name) });
  await page.close();
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(site.origin + path, { waitUntil: 'networkidle' });
  await page.evaluate(async () => {
    for (const image of document.querySelectorAll('img')) image.loading = 'eager';
    await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
    await document.fonts.ready;
  });
}
