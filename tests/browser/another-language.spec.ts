import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Route, test } from '@playwright/test';
import { layOver, readParts, type Words, writeOwn } from '../../publish/words.ts';
import { plainNotSentPage } from '../../server/http/answers.ts';
import { loadStaticFiles } from '../../server/http/static.ts';
import { footer } from '../../site/content/footer.ts';
import { lettering } from '../../site/drawings/lettering.ts';
import { buildSite, serveSite, siteFolder } from '../support/site/test-site.ts';
import { expectNoBarrier, expectToFit } from './barriers.ts';
import { CALL, visitorOf } from './visitor.ts';

/** A page whose owner translated every word into Cyrillic letters, and wrote a privacy policy. Any Latin ones left are English. */

const SITE = siteFolder('translated');
const WORDS = siteFolder('translated-words');
const CONTACT_EMAIL = 'owner@rivera.example';
const SITE_URL = 'https://www.rivera-operations.com';
const MAIL_HOST = 'smtp.mail-rivera.example';
const ENV = {
  WORDS_DIR: WORDS,
  CONTACT_EMAIL,
  SITE_URL,
  RETENTION_DAYS: '401',
  SMTP_URL: `smtps://someone:secret@${MAIL_HOST}:465`,
};

const built = (path: string) => readFileSync(join(SITE, path), 'utf8');

const SAME = new RegExp(`${CONTACT_EMAIL}|${MAIL_HOST}|${SITE_URL}\\S*|%%[\\w-]+%%|CAD|F8`, 'g');
const latin = (texts: readonly string[]) =>
  texts.filter((text) => /\p{Script=Latin}/u.test(text.replace(SAME, '')));

/** Fields that aren't words; a `drawing` with words in it describes one. */
const CODES = ['id', 'drawing', 'href', 'language', 'countryCode', 'currency'];
const OWN: Words = {
  site: { language: 'ru' },
  founder: { name: 'Имя Фамилия' },
  outcomes: { failed: { other: 'что-то не так' } },
  promises: { example: { jobs: ['Загрузить насос', 'Улица Вязов, 12', 'Четыре хомута'] } },
  privacy: { on: true, heading: 'Данные {business}' },
};

const translated = (words: unknown): unknown =>
  JSON.parse(JSON.stringify(words), (field, value) => {
    // The drawings' own alphabet is Latin.
    if (field === 'lettering') return Object.fromEntries(Object.keys(value).map((name) => [name, '']));
    if (typeof value !== 'string' || (CODES.includes(field) && !value.includes(' '))) return value;
    const plain = value.normalize('NFD').replace(/\p{M}/gu, '');
    return plain.replace(/\{\w+\}|[A-Za-z]/g, (found) =>
      found.length > 1
        ? found
        : String.fromCodePoint(0x3f0 + (found.codePointAt(0) ?? 0) - (found > 'Z' ? 6 : 0)),
    );
  });

test.describe.configure({ mode: 'default' });
let served: Awaited<ReturnType<typeof serveSite>>;
test.beforeAll(async () => {
  mkdirSync(WORDS, { recursive: true });
  const words = [...(await readParts())].map(([name, { ours }]) => {
    // What the owner writes in place of the brackets in her privacy policy.
    const filledIn = JSON.stringify(ours).replace(/\[[^\]"{]+\]/g, '2030');
    return [name, layOver(translated(name === 'privacy' ? JSON.parse(filledIn) : ours), OWN[name])];
  });
  await writeOwn(WORDS, Object.fromEntries(words));
  await buildSite(SITE, ENV);
  served = await serveSite(SITE, { ...ENV, SMTP_URL: '' });
});
test.afterAll(() => served.close());

/** All that people read or hear on a page, with or without scripts, and what it tells programs about itself. */
const READABLE = [
  />([^<]+)/g,
  / (?:alt|title|placeholder|aria-label|aria-description|aria-roledescription)="([^"]*)/g,
  /<meta (?:name|property)="(?:description|og:(?:title|description|site_name|image:alt))" content="([^"]*)/g,
];

function readable(html: string): string[] {
  const page = html.replace(/<(script|style)\b.*?<\/\1>/gs, '');
  const texts = READABLE.flatMap((each) => [...page.matchAll(each)].map(([, text = '']) => text));
  return texts.map((text) => text.replace(/&#?\w+;/g, ' ')).filter((text) => text.trim());
}

test('no page, and nothing that programs read, has any English left', () => {
  for (const file of ['index.html', '404.html', 'message-not-sent.html', 'privacy/index.html']) {
    const html = built(file);
    const texts = readable(html);
    expect(texts.length).toBeGreaterThan(5);
    expect(latin(texts), file).toEqual([]);
    expect(html).toContain('<html lang="ru">');
  }
  const html = built('index.html');
  for (const word of ['ORDERS', 'STOCK', 'PICK', 'PACK', 'SHIP'])
    expect(html).not.toContain(lettering(word).path);

  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
  const said: string[] = [];
  JSON.parse(json, (key, value: unknown) => {
    const isCode = /^@|^(url|image|email|priceCurrency|addressCountry|inLanguage)$/.test(key);
    if (typeof value === 'string' && !isCode) said.push(value);
  });
  expect(said.length).toBeGreaterThan(8);
  expect(latin(said)).toEqual([]);

  const llms = built('llms.txt');
  expect(latin(llms.split('\n'))).toEqual([]);
  const policy = `${SITE_URL}/privacy`;
  expect(llms).toContain(`(${policy})`);
  const addresses = built('sitemap.xml').match(/<loc>[^<]*/g);
  expect(addresses).toEqual([`${SITE_URL}/`, policy].map((address) => `<loc>${address}`));
  expect(built('privacy/index.html')).toContain(`<link rel="canonical" href="${policy}"/>`);
});

test('long words break as their language does, and stay on the drawing of a phone', async ({ page }) => {
  await page.goto(served.origin);
  await expect(page.locator('h3').first()).toHaveCSS('hyphens', 'auto');
  const [path] = /assets\/drawings-\w+\/kept\.svg/.exec(built('index.html')) ?? [];
  await page.goto(`${served.origin}/${path}`);
  const ends = (texts: Element[]) => texts.map((text) => text.getBoundingClientRect().right);
  const [edge = 0] = await page.locator('rect[width="108"]').last().evaluateAll(ends);
  expect(Math.max(...(await page.locator('text').evaluateAll(ends)))).toBeLessThan(edge);
});

const MESSAGE = { name: 'Анна', email: 'anna@rivera.example', message: 'Заказы ждут.' };

test('nothing that’s shown after an answer, or none, is English', async ({ page, context }) => {
  const { answerCall, expectAlive, sendButton } = visitorOf(page);
  const field = (name: string) => page.locator(`#contact-form [name=${name}]`);
  const toast = page.locator('[data-variant]');
  await page.goto(served.origin);
  await expectAlive();
  await field('name').focus();
  await page.waitForLoadState('networkidle');
  const lengthen = (route: Route) => {
    const tooLong = { ...route.request().postDataJSON(), message: 'x'.repeat(10_001) };
    return route.continue({ postData: JSON.stringify(tooLong) });
  };
  for (const [name, answer] of [
    ['a message that was sent', () => page.unroute(CALL)],
    ['a field that the server refuses', () => page.route(CALL, lengthen)],
    ['a gateway without words', () => answerCall({ status: 502, body: '' })],
    ['a relay that fails', () => answerCall({ status: 500, headers: { 'x-relay-error': 'true' } })],
    ['a lost connection', () => page.route(CALL, (route) => route.abort())],
    ['a device that is offline', () => context.setOffline(true)],
  ] as const) {
    await test.step(name, async () => {
      await answer();
      for (const [name, text] of Object.entries(MESSAGE)) await field(name).fill(text);
      await sendButton.click();
      await expect(toast).toBeVisible();
      // What was sent is shown as it was typed.
      const english = latin(readable(await page.content()));
      expect(english.filter((text) => text !== MESSAGE.email)).toEqual([]);
      await toast.getByRole('button').click();
      await expect(toast).toHaveCount(0);
    });
  }
  await context.setOffline(false);
});

test('a refusal without JavaScript isn’t in English, on either page', async ({ request }) => {
  const form = { ...MESSAGE, email: 'нет' };
  const response = await request.post(`${served.origin}/functions/v1/send-contact-email`, { form });
  expect(response.status()).toBe(422);
  expect(latin(readable(await response.text()))).toEqual([]);

  const { sentences } = loadStaticFiles(SITE);
  const { html: plain } = plainNotSentPage('/', sentences);
  expect(plain).toContain('<html lang="ru">');
  expect(latin(readable(plain))).toEqual([]);
  const texts = JSON.stringify(sentences).match(/(?<=:")[^"]+/g) ?? [];
  expect(texts.length).toBeGreaterThan(20);
  expect(latin(texts.map((text) => text.replace(/^ru$|\\n|\{(max|minutes)\}/g, '')))).toEqual([]);
});

test('a legal page is linked once it’s on, says what settings say, no password', async ({ page }) => {
  await page.goto(served.origin);
  const label = (legal: { label: string }) => String(translated(legal.label));
  const links = page.getByRole('link', { name: label(footer.legal.privacy) });
  await expect(page.getByRole('link', { name: label(footer.legal.terms) })).toHaveAttribute('href', '#');
  await expect(links).toHaveCount(2);
  await links.last().click();
  await expect(page).toHaveURL(`${served.origin}/privacy`);
  const text = await page.locator('main').innerText();
  for (const said of [CONTACT_EMAIL, '401', MAIL_HOST]) expect(text).toContain(said);
  expect(await page.content()).not.toMatch(/secret|someone/);
  expect(text).not.toMatch(/[[\]{}]|undefined/);
  const address = page.getByRole('link', { name: CONTACT_EMAIL }).first();
  await expect(address).toHaveAttribute('href', `mailto:${CONTACT_EMAIL}`);
  await page.evaluate(() => document.fonts.ready);
  await expectToFit(page, [320]);
  await expectNoBarrier(page);
  await page.locator('header a').click();
  await expect(page).toHaveURL(`${served.origin}/`);
  expect((await page.request.get(`${served.origin}/terms`)).status()).toBe(404);
});
