import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, type Page, type Request } from '@playwright/test';
import { sealOf } from '../../publish/folder.ts';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { ONLINE_SITE, TEST_SITE } from '../support/site/test-site.ts';
import { test } from './visitor.ts';

/** What one network flight is sure to carry: ten packets, the initial congestion window. */
const FLIGHT = 14_000;

/** Extra text, as an owner might add. */
const MORE_WORDS = readFileSync(join(PROJECT_ROOT, 'docs/privacy.md')).subarray(0, 1500);

const htmlOf = (folder: string) => readFileSync(join(folder, 'index.html'), 'utf8');
const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);

/** Whatever is asked for goes out, as if nobody had been here before. */
const withoutCache = (page: Page) => page.route('**', (route) => route.continue());

test('with the shipped words, the HTML with its styles and the first drawing is at most 12,000 bytes', () => {
  const page = htmlOf(TEST_SITE);
  // With others for the hashes in names: by their letters alone, one build takes fifty bytes more than another.
  const hashes = [...new Set(page.match(/(?<=-)\w{8}(?=[./])/g))];
  const even = hashes.reduce((text, hash, at) => text.replaceAll(hash, sealOf(String(at))), page);
  expect(brotliCompressSync(even).length).toBeLessThanOrEqual(12_000);
});

test('with 1.5 kB more words, the page and its headers fit one network flight', async ({ page }) => {
  await withoutCache(page);
  const answer = await page.goto('/');
  const { responseHeadersSize: head = Infinity } = (await answer?.request().sizes()) ?? {};
  for (const folder of [TEST_SITE, ONLINE_SITE]) {
    const longer = htmlOf(folder).replace('</main>', () => `${MORE_WORDS}</main>`);
    expect(longer.length).toBeGreaterThan(htmlOf(folder).length + 1400);
    expect(head + brotliCompressSync(longer).length, folder).toBeLessThanOrEqual(FLIGHT);
  }
});

test('the scripts are at most 6,000 bytes before somebody is in the form or ticks a problem, and 75,000 and 1,800 more then', () => {
  // The toast, sending and the look at the address
  const inForm = /(in-form|address-doubt)-.*\.js\.br$/;
  // Or by a colleague's link
  const onceTicked = /share-.*\.js\.br$/;
  const scripts = readdirSync(join(TEST_SITE, 'assets')).filter((path) => path.endsWith('.js.br'));
  const size = (of: (path: string) => boolean) =>
    sum(scripts.filter(of).map((path) => statSync(join(TEST_SITE, 'assets', path)).size));
  expect(size((path) => !inForm.test(path) && !onceTicked.test(path))).toBeLessThanOrEqual(6_000);
  expect(size((path) => onceTicked.test(path))).toBeLessThanOrEqual(1_800);
  expect(size((path) => inForm.test(path))).toBeLessThanOrEqual(75_000);
});

test('all that the page loads by itself is at most 90,000 bytes, headers included', async ({ page }) => {
  await withoutCache(page);
  const loaded: Request[] = [];
  page.on('requestfinished', (request) => loaded.push(request));
  await page.goto('/');
  // As if every one was scrolled to.
  await page.locator('img').evaluateAll((pictures: HTMLImageElement[]) => {
    for (const picture of pictures) picture.loading = 'eager';
  });
  // Headless browsers ask for none.
  await page.locator('link[rel=icon]').evaluate((link: HTMLLinkElement) => fetch(link.href));
  await page.waitForLoadState('networkidle');
  expect(loaded.length).toBeGreaterThan(10);
  const answers = await Promise.all(loaded.map((request) => request.sizes()));
  for (const { responseBodySize } of answers) expect(responseBodySize).toBeGreaterThan(0);
  const sizes = answers.map(
    ({ responseHeadersSize, responseBodySize }) => responseHeadersSize + responseBodySize,
  );
  expect(sum(sizes)).toBeLessThanOrEqual(90_000);
});
