import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import sharp from 'sharp';
import { notFound } from '../../site/content/error-pages.ts';
import { hero } from '../../site/content/hero.ts';
import { filled } from '../../site/ui/words.ts';
import { test } from '../support/site/browser-site.ts';
import { ONLINE_SITE, PUBLIC_ADDRESS, TEST_SITE } from '../support/site/test-site.ts';

const online = (path: string) => readFileSync(join(ONLINE_SITE, path), 'utf8');

/** The attributes of every tag of one kind in a page, as a browser reads them. */
async function head(page: import('@playwright/test').Page, html: string) {
  await page.setContent(html.replace(/<script.*?<\/script>|<link[^>]*>/gs, ''));
  return page
    .locator('meta')
    .evaluateAll((all) =>
      Object.fromEntries(
        all.map((meta) => [
          meta.getAttribute('property') ??
            `${meta.getAttribute('name')} ${meta.getAttribute('media') ?? ''}`.trim(),
          meta.getAttribute('content'),
        ]),
      ),
    );
}

test('a shared link has its title, its text, its address and a picture that is there', async ({ page }) => {
  const tags = await head(page, online('index.html'));
  expect(tags).toMatchObject({
    description: expect.stringMatching(/^.{50,160}$/),
    'og:type': 'website',
    'og:url': `${PUBLIC_ADDRESS}/`,
    'og:site_name': 'Blueprint Operations',
    'og:title': 'Fix What’s Slowing Your Business Down',
    'og:description': tags.description,
    'og:locale': 'en_CA',
    'og:image:alt': filled(hero.drawing),
    'twitter:card': 'summary_large_image',
  });
  expect(online('index.html')).toContain(`<link rel="canonical" href="${PUBLIC_ADDRESS}/"/>`);
  const picture = tags['og:image'] ?? '';
  expect(picture.startsWith(`${PUBLIC_ADDRESS}/assets/share-`)).toBe(true);
  const { width, height, format } = await sharp(
    join(ONLINE_SITE, picture.slice(PUBLIC_ADDRESS.length)),
  ).metadata();
  expect([format, String(width), String(height)]).toEqual([
    'png',
    tags['og:image:width'],
    tags['og:image:height'],
  ]);
});

test('the pages “not found” and “not sent” aren’t for search engines, and claim no address', () => {
  for (const path of ['404.html', 'message-not-sent.html']) {
    expect(online(path)).toContain('<meta name="robots" content="noindex"/>');
    expect(online(path)).not.toMatch(/canonical|og:|ld\+json/);
  }
});

test('without a public address nothing in the build points to this machine or anywhere else', () => {
  // Licences name their authors' addresses, and may not be changed.
  const texts = readdirSync(TEST_SITE, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(html|txt|xml|css|svg)$|_headers$/.test(path) && path !== 'licences.txt',
  );
  expect(texts.length).toBeGreaterThan(12);
  for (const path of texts) {
    // A hash in a policy may have two slashes of its own.
    const text = readFileSync(join(TEST_SITE, path), 'utf8').replace(/sha256-[\w+/=]+/g, '');
    const addresses = text.match(/(https?:)?\/\/[\w.[:\]-]+/g) ?? [];
    // Vocabulary names; nothing is fetched from them.
    const others = addresses.filter((address) => !/^https?:\/\/(schema\.org|www\.w3\.org)$/.test(address));
    expect(others, path).toEqual([]);
  }
});

test('the colour of the browser’s bars is that of the page, in both schemes', async ({ page }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto('/');
    const [bar, ground] = await page.evaluate(() => {
      const metas = [...document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')];
      const first = metas.find(({ media }) => !media || matchMedia(media).matches);
      const swatch = document.createElement('i');
      document.body.append(swatch);
      swatch.style.color = first?.content ?? '';
      return [getComputedStyle(swatch).color, getComputedStyle(document.documentElement).backgroundColor];
    });
    expect(bar).toBe(ground);
  }
});

test('every file for programs has its type', async ({ request }) => {
  for (const [path, type] of [
    ['/robots.txt', /^text\/plain; charset=utf-8$/],
    ['/llms.txt', /^text\/plain; charset=utf-8$/],
    ['/.well-known/security.txt', /^text\/plain; charset=utf-8$/],
    ['/favicon.ico', /^image\/(x-icon|vnd\.microsoft\.icon)$/],
    ['/apple-touch-icon.png', /^image\/png$/],
  ] as const) {
    const answer = await request.get(path);
    expect(answer.status(), path).toBe(200);
    expect(answer.headers()['content-type'], path).toMatch(type);
  }
  expect((await request.get('/sitemap.xml')).status(), 'a sitemap without an address').toBe(404);
});

test('a wrong address is answered 404 with a page that leads home', async ({
  page,
  baseURL,
  expectFault,
}) => {
  expectFault(/status of 404/);
  const back = page.getByRole('link', { name: notFound.back });
  expect((await page.goto('/about/us.html'))?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(notFound.heading);
  await expect(back).toHaveJSProperty('href', `${baseURL}/`);
  await back.click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Fix What’s Slowing Your Business Down.');
});
