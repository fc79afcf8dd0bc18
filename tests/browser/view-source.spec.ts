import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { HtmlValidate, StaticConfigLoader } from 'html-validate';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { notFound } from '../../site/content/error-pages.ts';
import { ONLINE_SITE, TEST_SITE } from '../support/site/test-site.ts';
import { test } from './visitor.ts';

test('every built page is valid HTML', async () => {
  const validator = new HtmlValidate(
    new StaticConfigLoader({
      root: true,
      extends: ['html-validate:recommended'],
      rules: {
        // Ticked problems are a list: the checkboxes share their name.
        'form-dup-name': ['error', { shared: ['radio', 'button', 'reset', 'submit', 'checkbox'] }],
        // Matters of style, which React decides: <meta charSet="utf-8"/> and required="" are as valid.
        'attr-case': 'off',
        'attribute-boolean-style': 'off',
        'attribute-empty-style': 'off',
        'void-style': 'off',
      },
    }),
  );
  const pages = globSync(`{${TEST_SITE},${ONLINE_SITE}}/*.html`);
  expect(pages).toHaveLength(6);
  const { results } = await validator.validateMultipleFiles(pages);
  const findings = results.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, message, selector }) => `${filePath}: ${ruleId}: ${message} (${selector})`),
  );
  expect(findings).toEqual([]);
});

test('without a public address nothing in the build points to this machine or anywhere else', () => {
  // Licences name their authors' addresses, and may not be changed.
  const texts = readdirSync(TEST_SITE, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(html|txt|xml|css|svg)$|_headers$/.test(path) && path !== 'licences.txt',
  );
  expect(texts.length).toBeGreaterThan(12);
  for (const path of texts) {
    // A hash in a policy may contain two slashes.
    const text = readFileSync(join(TEST_SITE, path), 'utf8').replace(/sha256-[\w+/=]+/g, '');
    const addresses = text.match(/(https?:)?\/\/[\w.[:\]-]+/g) ?? [];
    // Vocabulary names; nothing is fetched from them.
    const others = addresses.filter((address) => !/^https?:\/\/(schema\.org|www\.w3\.org)$/.test(address));
    expect(others, path).toEqual([]);
  }
});

test('the licences of everything in the scripts and fonts are published too', () => {
  const notices = readFileSync(join(TEST_SITE, 'licences.txt'), 'utf8');
  for (const name of [
    'react',
    '@supabase/functions-js',
    '@radix-ui/react-toast',
    '@fontsource-variable/archivo',
  ]) {
    const [file = ''] = globSync(join(PROJECT_ROOT, 'node_modules', name, 'LICEN[CS]E*'));
    const licence = readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();
    expect(notices, name).toContain(licence);
    expect(notices).toMatch(new RegExp(`^## ${name}( |$)`, 'm'));
  }
  const carriers = globSync(join(TEST_SITE, 'assets/{later-*.css,in-form-*.js}'));
  expect(carriers).toHaveLength(2);
  for (const path of carriers) expect(readFileSync(path, 'utf8'), path).toContain('../licences.txt');
});

test('the browser’s bars have the page’s colour, in both schemes', async ({ page }) => {
  await page.goto('/');
  for (const [colorScheme, bars] of [
    ['light', 'meta[name="theme-color"]:not([media])'],
    ['dark', 'meta[name="theme-color"][media="(prefers-color-scheme:dark)"]'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const hex = (await page.locator(bars).getAttribute('content')) ?? '';
    const rgb = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    await expect(page.locator('html')).toHaveCSS('background-color', `rgb(${rgb.join(', ')})`);
  }
});

test('what’s asked for by name is there; all else is 404, and leads home', async ({ page, visitor }) => {
  const names = ['robots.txt', 'llms.txt', 'licences.txt', 'favicon.ico', 'apple-touch-icon.png'];
  for (const name of names) expect((await page.request.get(`/${name}`)).status(), name).toBe(200);
  expect((await page.request.get('/sitemap.xml')).status(), 'a sitemap without an address').toBe(404);

  visitor.expectFault(/status of 404/);
  expect((await page.goto('/about/us.html'))?.status()).toBe(404);
  await expect(page.getByText(notFound.heading, { exact: true })).toBeVisible();
  await page.getByRole('link', { name: notFound.back }).click();
  await expect(page).toHaveURL('/');
});
