import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { HtmlValidate, StaticConfigLoader } from 'html-validate';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { test } from '../support/site/browser-site.ts';
import { ONLINE_SITE, TEST_SITE } from '../support/site/test-site.ts';
import { expectTypeface, openPage } from './visitor.ts';

const scripts = () =>
  readdirSync(join(TEST_SITE, 'assets'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ name, code: readFileSync(join(TEST_SITE, 'assets', name), 'utf8') }));

test('every built page is valid HTML', async () => {
  const validator = new HtmlValidate(
    new StaticConfigLoader({
      root: true,
      extends: ['html-validate:recommended'],
      rules: {
        // What's ticked is a list: the checkboxes share their name.
        'form-dup-name': ['error', { shared: ['radio', 'button', 'reset', 'submit', 'checkbox'] }],
        // Matters of style, which React decides: <meta charSet="utf-8"/> and required="" are as valid.
        'attr-case': 'off',
        'attribute-boolean-style': 'off',
        'attribute-empty-style': 'off',
        'void-style': 'off',
      },
    }),
  );
  for (const site of [TEST_SITE, ONLINE_SITE]) {
    const pages = readdirSync(site).filter((name) => name.endsWith('.html'));
    expect(pages).toHaveLength(3);
    for (const name of pages) {
      const { results } = await validator.validateFile(join(site, name));
      const findings = results.flatMap(({ messages }) =>
        messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`),
      );
      expect(findings, name).toEqual([]);
    }
  }
});

test('no font, style or script is requested before the first view is on the screen', async ({ page }) => {
  await openPage(page);
  await expectTypeface(page);
  const { painted, asked } = await page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    asked: performance
      .getEntriesByType('resource')
      .filter(({ name }) => /\.(js|css|woff2)$/.test(name))
      .map(({ name, startTime }) => ({
        name: name.replace(/.*\/([a-z-]+)-[\w-]{8}\.\w+$/, '$1'),
        startTime,
      })),
  }));
  expect(painted).toBeGreaterThan(0);
  expect(asked.map(({ name }) => name).sort()).toEqual(['archivo', 'archivo-wide', 'islands', 'later']);
  for (const { name, startTime } of asked) expect(startTime, name).toBeGreaterThan(painted);
});

test('the licences of everything in the scripts and fonts are published too', async ({ request }) => {
  const response = await request.get('/licences.txt');
  expect(response.headers()['content-type']).toBe('text/plain; charset=utf-8');
  const notices = await response.text();
  for (const name of [
    'react',
    '@supabase/functions-js',
    '@radix-ui/react-toast',
    '@fontsource-variable/archivo',
  ]) {
    const folder = join(PROJECT_ROOT, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^LICEN[CS]E/.test(entry)) ?? '';
    const licence = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    expect(notices, name).toContain(licence);
    expect(notices).toMatch(new RegExp(`^## ${name}( |$)`, 'm'));
  }
  const later = readdirSync(join(TEST_SITE, 'assets')).find((name) => /^later-.*css$/.test(name)) ?? '';
  expect(await (await request.get(`/assets/${later}`)).text()).toContain('../licences.txt');
  const [carrier] = scripts().filter(({ name }) => /^in-form-/.test(name));
  expect(carrier?.code).toContain('// ../licences.txt');
});
