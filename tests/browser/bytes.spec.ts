import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, type Request } from '@playwright/test';
import { sealOf } from '../../publish/folder.ts';
import { TEST_SITE } from '../support/site/test-site.ts';
import { test } from './visitor.ts';

const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);

test('the page is at most 12,000 bytes, its headers 1,000, all it loads 90,000', async ({ page }) => {
  // Every request goes out, as on a first visit.
  await page.route('**', (route) => route.continue());
  // While one is still on its way, its size isn't known.
  const loaded: Request[] = [];
  page.on('requestfinished', (request) => loaded.push(request));
  const answer = await page.goto('/');
  const html = (await answer?.text()) ?? '';
  // With fixed hashes in the names: their letters alone can make one build fifty bytes larger than another.
  const hashes = [...new Set(html.match(/(?<=-)\w{8}(?=[./])/g))];
  const even = hashes.reduce((text, hash, at) => text.replaceAll(hash, sealOf(String(at))), html);
  // One network flight, the ten packets of an initial congestion window, carries both and a thousand bytes of her words.
  expect(brotliCompressSync(even).length).toBeLessThanOrEqual(12_000);
  expect((await answer?.request().sizes())?.responseHeadersSize).toBeLessThanOrEqual(1_000);

  await page.locator('img').evaluateAll((pictures: HTMLImageElement[]) => {
    for (const picture of pictures) picture.loading = 'eager';
  });
  // Headless browsers don't ask for the icon.
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
