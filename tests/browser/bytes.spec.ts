import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect } from '@playwright/test';
import { sealOf } from '../../publish/folder.ts';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { test } from '../support/site/browser-site.ts';
import { ONLINE_SITE, TEST_SITE } from '../support/site/test-site.ts';

/** What one network flight is sure to carry: ten packets, the initial congestion window. */
const FLIGHT = 14_000;

/** Extra text, as an owner might add. */
const MORE_WORDS = readFileSync(join(PROJECT_ROOT, 'docs/privacy.md')).subarray(0, 1500);

const sent = (path: string, folder = TEST_SITE) => statSync(join(folder, path)).size;
const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
const assets = (pattern: RegExp) =>
  readdirSync(join(TEST_SITE, 'assets'), { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path))
    .map((path) => join('assets', path));
/** With others for the hashes in names: by their letters alone, one build takes fifty bytes more than another. */
function html(): number {
  const page = readFileSync(join(TEST_SITE, 'index.html'), 'utf8');
  const hashes = [...new Set(page.match(/(?<=-)\w{8}(?=[./])/g))];
  return brotliCompressSync(
    hashes.reduce((text, hash, at) => text.replaceAll(hash, sealOf(String(at))), page),
  ).length;
}
/** The toast, sending and the look at the address load only once somebody is in the form. */
const IN_FORM = /(in-form|address-doubt)-.*\.js\.br$/;
/** Once a problem is ticked, or by a colleague's link. */
const SHARE = /share-.*\.js\.br$/;
const scripts = () =>
  sum(
    assets(/\.js\.br$/)
      .filter((path) => !IN_FORM.test(path) && !SHARE.test(path))
      .map((path) => sent(path)),
  );
test('with the shipped words, the HTML with its styles and the first drawing is at most 12,000 bytes', () => {
  expect(html()).toBeLessThanOrEqual(12_000);
});

/** What an answer takes on the wire by HTTP/1.1, apart from its body; and its body. */
const weigh = (url: string | URL) =>
  new Promise<{ head: number; body: number }>((resolve, reject) => {
    request(url, { headers: { 'accept-encoding': 'br' } }, async (response) => {
      const { rawHeaders, statusCode, statusMessage } = response;
      const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}\r\n`, ...rawHeaders, '\r\n'];
      const body = sum((await response.toArray()).map((chunk: Buffer) => chunk.length));
      // Each name is followed by ": ", each value by a line end.
      resolve({ head: sum(lines.map(({ length }) => length)) + 2 * rawHeaders.length, body });
    })
      .on('error', reject)
      .end();
  });

for (const [name, folder] of [
  ['the page', TEST_SITE],
  ['the page with a public address', ONLINE_SITE],
] as const) {
  test(`${name} fits one network flight with the headers of HTTP/1.1, and still does with 1.5 kB more words`, async ({
    site,
  }) => {
    const { head } = await weigh(site.url);
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    const longer = html.replace('</main>', () => `${MORE_WORDS}</main>`);
    expect(longer.length).toBeGreaterThan(html.length + 1400);
    expect(head + brotliCompressSync(longer).length).toBeLessThanOrEqual(FLIGHT);
  });
}

test('the scripts are at most 6,000 bytes before somebody is in the form or ticks a problem, and 75,000 and 1,800 more then', () => {
  expect(scripts()).toBeLessThanOrEqual(6_000);
  expect(sum(assets(SHARE).map((path) => sent(path)))).toBeLessThanOrEqual(1_800);
  expect(sum(assets(IN_FORM).map((path) => sent(path)))).toBeLessThanOrEqual(75_000);
});

test('everything that the page loads by itself is at most 90,000 bytes on the wire, headers included', async ({
  page,
  site,
}) => {
  const asked = new Set<string>();
  page.on('request', (one) => asked.add(one.url()));
  await page.goto('/');
  // As if every one was scrolled to.
  await page.locator('img').evaluateAll((pictures: HTMLImageElement[]) => {
    for (const picture of pictures) picture.loading = 'eager';
  });
  await page.waitForLoadState('networkidle');
  // Headless browsers ask for none.
  asked.add(String(await page.locator('link[rel=icon]').evaluate((link: HTMLLinkElement) => link.href)));
  const ours = [...asked].filter((url) => url.startsWith(site.url));
  expect(ours.length).toBeGreaterThan(10);
  const weights = await Promise.all(ours.map(weigh));
  expect(sum(weights.map(({ head, body }) => head + body))).toBeLessThanOrEqual(90_000);
});
