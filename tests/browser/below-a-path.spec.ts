import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { headersFor, parseHeadersFile } from '../../server/http/headers-file.ts';
import { notFound } from '../../site/content/error-pages.ts';
import { serveSite } from '../support/site/serve-test-site.ts';
import { buildSite, siteFolder } from '../support/site/test-site.ts';
import { type StaticHost, startStaticHost } from './static-host.ts';
import { expectAlive, openPage, send, toast } from './visitor.ts';

/** The whole site below a path, on a host that serves other things too. */

const PATH = '/clients/operations';
const ENV = { SITE_URL: `https://site.example${PATH}` };
const SITE = siteFolder('below-a-path');

// In one worker, since each would rebuild the site.
test.describe.configure({ mode: 'default' });
test.beforeAll(async () => {
  await buildSite(SITE, ENV);
});

/** Everything that went wrong, and every address requested. */
function watch(context: BrowserContext) {
  const faults: string[] = [];
  const asked: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(String(error.error())));
  context.on('request', (request) => asked.push(request.url()));
  return { faults, asked };
}

/** The browser fetches icons on its own, where tests can't see it. */
async function addressesOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLLinkElement>('link[href]:not([rel=canonical])')].map(
      ({ href }) => href,
    ),
  );
}

test.describe('on a host of files', () => {
  let host: StaticHost;
  test.beforeEach(async () => {
    const rules = parseHeadersFile(readFileSync(join(SITE, '_headers'), 'utf8'));
    host = await startStaticHost(SITE, PATH, (path) => headersFor(rules, PATH + path));
  });
  test.afterEach(() => host.close());

  test('the page is whole, and asks for nothing outside its path', async ({ page, context, request }) => {
    const { faults, asked } = watch(context);
    await openPage(page, host.url);
    await page.evaluate(async () => {
      for (const image of document.images) image.loading = 'eager';
      await Promise.all([...document.images].map((image) => image.decode()));
      await document.fonts.ready;
    });
    const loaded = await page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'loaded'));
    expect(loaded.length).toBeGreaterThan(1);
    for (const address of await addressesOf(page)) {
      expect((await request.get(address)).status(), address).toBe(200);
      asked.push(address);
    }
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((address) => !address.startsWith(host.url))).toEqual([]);
    expect([host.strays, faults]).toEqual([[], []]);
  });

  test('links on the page stay on the page, and its public address has the path', async ({ page }) => {
    await openPage(page, host.url);
    await page.getByRole('contentinfo').getByRole('link', { name: 'Packages' }).click();
    await expect(page).toHaveURL(`${host.url}#blueprint-journey`);
    await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', `${ENV.SITE_URL}/`);
    await expect(page.locator('meta[property="og:image"]')).toHaveAttribute(
      'content',
      new RegExp(`^${ENV.SITE_URL}/assets/share-.*\\.png$`),
    );
  });

  test('a wrong address, however deep, shows the page that leads home', async ({ page, context }) => {
    const { asked } = watch(context);
    const answer = await page.goto(`${host.url}a/b/c.html`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(notFound.heading);
    await page.getByRole('link', { name: notFound.back }).click();
    await expect(page).toHaveURL(host.url);
    await expectAlive(page);
    expect(asked.filter((address) => !address.startsWith(host.url))).toEqual([]);
  });
});

test.describe('on our own server', () => {
  let server: Awaited<ReturnType<typeof serveSite>>;
  test.beforeEach(async () => {
    server = await serveSite(SITE, ENV);
  });
  test.afterEach(() => server.close());

  test('the path by itself opens the page, and the form reaches the function below the path', async ({
    page,
    context,
  }) => {
    const { faults, asked } = watch(context);
    await openPage(page, server.origin + PATH);
    await expect(page).toHaveURL(`${server.origin}${PATH}/`);
    await send(page);
    await expect(toast(page)).toContainText('Success!');
    expect(asked).toContain(`${server.origin}${PATH}/functions/v1/send-contact-email`);
    expect(asked.filter((address) => !address.startsWith(server.origin + PATH))).toEqual([]);
    expect(faults).toEqual([]);
  });
});
