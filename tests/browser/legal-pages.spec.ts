import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { publish } from '../../publish/publish.ts';
import { WORDS_FILE } from '../../publish/words.ts';
import { readSettings } from '../../settings/settings.ts';
import { footer } from '../../site/content/footer.ts';
import { privacy, terms } from '../../site/content/legal-pages.ts';
import { serveSite } from '../support/site/serve-test-site.ts';
import { buildSite, siteFolder } from '../support/site/test-site.ts';

const SITE = siteFolder('legal');
const WORDS = siteFolder('legal-words');
const ENV = {
  WORDS_DIR: WORDS,
  SITE_URL: 'https://www.rivera-operations.com',
  CONTACT_EMAIL: 'owner@rivera.example',
  RETENTION_DAYS: '400',
  SMTP_URL: 'smtps://someone:secret@smtp.mail-rivera.example:465',
};
const write = (words: object) => {
  mkdirSync(WORDS, { recursive: true });
  writeFileSync(join(WORDS, WORDS_FILE), JSON.stringify(words));
};

/** The page as an owner has filled it in. */
function complete<Page extends typeof privacy>(page: Page): Page {
  const inside = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/\[[^\]]*\]/g, 'filled in');
    if (Array.isArray(value)) return value.map(inside);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inside(inner)]));
  };
  return { ...(inside(page) as Page), on: true };
}

test.describe.configure({ mode: 'default' });
let served: Awaited<ReturnType<typeof serveSite>>;
test.beforeAll(async () => {
  write({ privacy: complete(privacy) });
  await buildSite(SITE, ENV);
  served = await serveSite(SITE, ENV);
});
test.afterAll(() => served.close());

test('a page that is on is linked from the bottom and beside the form; the other leads nowhere', async ({
  page,
}) => {
  await page.goto(served.origin);
  const { legal } = footer;
  await expect(page.getByRole('link', { name: legal.terms.label })).toHaveAttribute('href', '#');
  const links = page.getByRole('link', { name: legal.privacy.label });
  await expect(links).toHaveCount(2);
  await links.last().click();
  await expect(page).toHaveURL(`${served.origin}/privacy`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(privacy.heading);
  await page.locator('header a').click();
  await expect(page).toHaveURL(`${served.origin}/`);
});

test('it says what the settings say, no password, and leaves nothing to fill in', async ({ page }) => {
  await page.goto(`${served.origin}/privacy`);
  const text = await page.locator('main').innerText();
  for (const said of ['owner@rivera.example', '400 days', 'smtp.mail-rivera.example', 'Canada'])
    expect(text).toContain(said);
  expect(await page.content()).not.toMatch(/secret|someone/);
  expect(text).not.toMatch(/[[\]{}]|undefined/);
  await expect(page.getByRole('link', { name: 'owner@rivera.example' }).first()).toHaveAttribute(
    'href',
    'mailto:owner@rivera.example',
  );
});

test('programs find it, and the one that is off is not there', async ({ request }) => {
  const get = async (path: string) => (await request.get(served.origin + path)).text();
  const at = `${ENV.SITE_URL}/privacy`;
  expect(await get('/sitemap.xml')).toContain(`<loc>${at}</loc>`);
  expect(await get('/llms.txt')).toContain(`(${at})`);
  expect(await get('/privacy')).toContain(`<link rel="canonical" href="${at}"/>`);
  for (const path of ['/privacy', '/privacy/', '/privacy/index.html']) {
    const { headers, status } = await request
      .get(served.origin + path)
      .then((answer) => ({ headers: answer.headers(), status: answer.status() }));
    expect(status, path).toBe(200);
    expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'");
    expect(headers['cache-control'], path).toBe('no-cache');
  }
  expect((await request.get(`${served.origin}/terms`)).status()).toBe(404);
  expect(await get('/sitemap.xml')).not.toContain('terms');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`it has no accessibility findings in ${colorScheme} colours, and fits 320 pixels`, async ({
    page,
  }) => {
    const faults: string[] = [];
    page.on('console', (message) => faults.push(message.text()));
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${served.origin}/privacy`);
    await page.evaluate(() => document.fonts.ready);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect(faults).toEqual([]);
  });
}

test('what is left in brackets is named, and the page is not turned on', async () => {
  const { sections } = complete(terms);
  write({ terms: { on: true, sections } });
  const settings = readSettings(ENV);
  await expect(publish(settings, siteFolder('legal-refused'))).rejects.toThrow(/“on”.*\[date\]$/m);
  write({ privacy: complete(privacy) });
});
