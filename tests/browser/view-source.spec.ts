import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { HtmlValidate, StaticConfigLoader } from 'html-validate';
import { PROJECT_ROOT } from '../../settings/settings.ts';
import { contact } from '../../site/content/contact.ts';
import { founder } from '../../site/content/founder.ts';
import { hero } from '../../site/content/hero.ts';
import { packages } from '../../site/content/packages.ts';
import { pillars } from '../../site/content/pillars.ts';
import { problems } from '../../site/content/problems.ts';
import { process } from '../../site/content/process.ts';
import { promises } from '../../site/content/promises.ts';
import { questions } from '../../site/content/questions.ts';
import { solution } from '../../site/content/solution.ts';
import { workingTogether } from '../../site/content/working-together.ts';
import { filled } from '../../site/ui/words.ts';
import { test } from '../support/site/browser-site.ts';
import { ONLINE_SITE, TEST_SITE } from '../support/site/test-site.ts';
import { expectTypeface, openPage } from './visitor.ts';

/** Words found only in sections. */
const SECTION_WORDS = filled([
  hero.headline,
  hero.lead,
  problems.heading,
  ...problems.items.flatMap(({ title, text }) => [title, text]),
  solution.heading,
  ...solution.items.flatMap(({ title, text }) => [title, text]),
  process.heading,
  ...process.steps.map(({ text }) => text),
  pillars.heading,
  ...pillars.items.flatMap(({ title, text }) => [title, text]),
  packages.heading,
  ...packages.items.flatMap(({ title, purpose, features, outcome }) => [
    title,
    purpose,
    ...features,
    outcome,
  ]),
  promises.heading,
  ...promises.items.flatMap(({ title, text }) => [title, text]),
  founder.heading,
  ...founder.bio,
  workingTogether.heading,
  ...workingTogether.steps.map(({ text }) => text),
  questions.heading,
  ...questions.items.map(({ question }) => question),
  contact.heading,
  contact.lead,
]);

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};
const decoded = (html: string) =>
  html.replace(/&(amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);

const scripts = () =>
  readdirSync(join(TEST_SITE, 'assets'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ name, code: readFileSync(join(TEST_SITE, 'assets', name), 'utf8') }));

test('the HTML as sent has all the page’s words', async ({ request }) => {
  // The heading's apostrophe is set apart.
  const html = decoded((await (await request.get('/')).text()).replace(/<\/?span>/g, ''));
  expect(SECTION_WORDS.filter((words) => !html.includes(words))).toEqual([]);
});

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

test('the HTML has one short script, which fetches the other', async ({ request }) => {
  const html = await (await request.get('/')).text();
  const scripts = html.match(/<script\b(?![^>]*type="application\/).*?<\/script>/gs) ?? [];
  expect(scripts).toHaveLength(1);
  expect(scripts[0]).toMatch(/^<script data-src="\/assets\/islands-[\w-]+\.js">/);
  expect(scripts[0]?.length).toBeLessThan(1700);
  expect(html).not.toMatch(/\son[a-z]+="/);
});

/** When the first content was painted, and what was requested when, in ms. */
const paintAndRequests = (page: Page) =>
  page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    asked: performance
      .getEntriesByType('resource')
      .filter(({ name }) => /\.(js|css|woff2)$/.test(name))
      .map(({ name, startTime }) => ({
        name: name.replace(/.*\/([a-z-]+)-[\w-]{8}\.\w+$/, '$1'),
        startTime,
      })),
  }));

test('no font, style or script is requested before the first view is on the screen', async ({ page }) => {
  await openPage(page);
  await expectTypeface(page);
  const { painted, asked } = await paintAndRequests(page);
  expect(painted).toBeGreaterThan(0);
  expect(asked.map(({ name }) => name).sort()).toEqual(['archivo', 'archivo-wide', 'islands', 'later']);
  for (const { name, startTime } of asked) expect(startTime, name).toBeGreaterThan(painted);
});

test('nor when the background is painted before any words arrive', async ({ page, expectFault }) => {
  expectFault(/404/);
  const html = readFileSync(join(TEST_SITE, 'index.html'), 'utf8');
  const words = html.indexOf('<header');
  expect(words).toBeGreaterThan(0);
  let sendWords = () => {};
  const server = createServer(({ url }, response) => {
    if (url !== '/') return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' }).write(html.slice(0, words));
    sendWords = () => response.end(html.slice(words));
  }).listen(0, 'localhost');
  await once(server, 'listening');
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`, { waitUntil: 'commit' });
  await page.waitForFunction(() => performance.getEntriesByName('first-paint').length > 0);
  // Paint observers are notified between two frames.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  sendWords();
  await expect.poll(async () => (await paintAndRequests(page)).asked.length).toBeGreaterThan(3);
  const { painted, asked } = await paintAndRequests(page);
  expect(painted).toBeGreaterThan(0);
  for (const { name, startTime } of asked) expect(startTime, name).toBeGreaterThan(painted);
  server.close();
});

test('no section ships JavaScript', async () => {
  const chunks = scripts();
  expect(chunks.length).toBeGreaterThan(1);
  for (const { name, code } of chunks) {
    expect(
      SECTION_WORDS.filter((words) => code.includes(words)),
      name,
    ).toEqual([]);
  }
});

test('React loads once somebody is in the form', async ({ page }) => {
  const loaded: string[] = [];
  page.on('request', (request) => {
    const [, name] = /assets\/([\w-]+)-[\w-]{8}\.js$/.exec(request.url()) ?? [];
    if (name) loaded.push(name);
  });
  await openPage(page);
  await page.waitForLoadState('networkidle');
  expect(loaded).toEqual(['islands']);
  await page.getByLabel('Name').focus();
  await expect.poll(() => loaded).toEqual(['islands', 'in-form']);
});

test('the licences of everything in the scripts and fonts are published too', async ({ page, request }) => {
  const response = await request.get('/licences.txt');
  expect(response.headers()['content-type']).toBe('text/plain; charset=utf-8');
  const notices = await response.text();
  for (const name of [
    'react',
    'react-dom',
    'scheduler',
    'tslib',
    '@supabase/functions-js',
    '@radix-ui/react-toast',
    '@radix-ui/react-presence',
    '@fontsource-variable/archivo',
  ]) {
    const folder = join(PROJECT_ROOT, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^LICEN[CS]E/.test(entry)) ?? '';
    const licence = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    expect(notices, name).toContain(licence);
    expect(notices).toMatch(new RegExp(`(^|, )${name}(,|$)`, 'm'));
  }
  await page.goto('/');
  const styles = await page.locator('link[href*="later-"]').first().getAttribute('href');
  expect(await (await request.get(styles ?? '')).text()).toContain('../licences.txt');
  const carriers = scripts().filter(({ name }) => /^in-form-/.test(name));
  expect(carriers).toHaveLength(1);
  for (const { code } of carriers) expect(code).toContain('// ../licences.txt');
});

test('the checks of the owner’s words are in no script, so their library isn’t in the notices', async ({
  request,
}) => {
  for (const { code } of scripts()) expect(code).not.toMatch(/~standard|valibot|must be words/);
  expect(await (await request.get('/licences.txt')).text()).not.toContain('valibot');
});
