import { expect } from '@playwright/test';
import { contactForm, outcomes } from '../../../site/content/contact-form.ts';
import { problems } from '../../../site/content/problems.ts';
import { filled } from '../../../site/ui/words.ts';
import { test as base } from '../../support/site/browser-site.ts';
import { NoBrowserError } from '../../support/site/find-browser.ts';
import { launchChromium } from '../engines/chromium.ts';
import { launchFirefox } from '../engines/firefox.ts';
import { extendForm, startMeddlingProxy, translate } from '../engines/meddling-proxy.ts';
import type { Browser, Launch, Tab } from '../engines/tab.ts';
import { launchWebKit } from '../engines/webkit.ts';
import { MESSAGE } from '../visitor.ts';

// Without Playwright's own page.
// biome-ignore lint/correctness/noEmptyPattern: Playwright reads from this pattern what a fixture needs
const test = base.extend({ expectFault: async ({}, use) => use(() => {}) });

const TOAST = '[data-island=toasts] li';
const SEND = '#contact-form [type=submit]';
const field = (name: string) => `#contact-form [name=${name}]`;

async function launched(launch: Launch): Promise<Browser> {
  try {
    return await launch();
  } catch (error) {
    test.skip(error instanceof NoBrowserError, String(error));
    throw error;
  }
}

const text = (tab: Tab, selector: string) =>
  tab.run((wanted) => document.querySelector(wanted)?.textContent ?? '', selector);
const value = (tab: Tab, name: string) =>
  tab.run((wanted) => document.querySelector<HTMLInputElement>(wanted)?.value ?? '', field(name));

async function open(tab: Tab, url: string): Promise<void> {
  await tab.resize(1280, 900);
  await tab.open(`${url}/#lets-map-your-blueprint`);
  await expect
    .poll(() => tab.run(() => document.querySelectorAll('[data-island][data-alive]').length))
    .toBe(3);
  await expect.poll(() => tab.run(() => document.querySelector('footer')?.checkVisibility())).toBe(true);
}

async function type(tab: Tab, name: string, words: string): Promise<void> {
  await tab.click(field(name));
  await tab.type(words);
}

async function closeToast(tab: Tab): Promise<void> {
  await tab.click(`${TOAST} button`);
  await expect.poll(() => text(tab, TOAST)).toBe('');
}

const note = (tab: Tab) => text(tab, `${SEND} ~ small`);
const topic = filled(problems).items[0]?.title ?? '';

for (const [engine, launch] of [
  ['Chromium', launchChromium],
  ['Firefox', launchFirefox],
  ['WebKitGTK', launchWebKit],
] as const) {
  test.describe(engine, () => {
    test.describe.configure({ mode: 'default' });
    let browser: Browser;
    let tab: Tab;
    test.beforeAll(async () => {
      browser = await launched(launch);
      tab = browser.tab;
    });
    test.afterAll(() => browser?.close());

    test('a translated page works in each of its states', async ({ site }) => {
      const page = await startMeddlingProxy(site.url, translate);
      await open(tab, page.url);
      expect(await tab.run(() => document.querySelectorAll('font').length)).toBeGreaterThan(100);

      await test.step('incomplete', async () => {
        await tab.click(SEND);
        await expect.poll(() => note(tab)).toContain(contactForm.status.incomplete);
        const errors = () =>
          tab.run(() => [...document.querySelectorAll('[id$=-error]')].map((slot) => slot.textContent));
        expect((await errors()).every(Boolean)).toBe(true);
      });

      await test.step('topics ticked and unticked', async () => {
        const tick = () => tab.run(() => document.querySelector<HTMLInputElement>('h3 input')?.click());
        await tick();
        await expect.poll(() => text(tab, '#contact-topics')).toContain(topic);
        await tick();
        expect(await tab.run(() => document.getElementById('contact-topics')?.hidden)).toBe(true);
        await tick();
      });

      await test.step('doubt about an address', async () => {
        await type(tab, 'email', 'ada@gmial.con');
        await tab.click(field('message'));
        const question = contactForm.didYouMean.replace('{domain}', 'gmail.com');
        await expect.poll(() => text(tab, '#contact-email ~ button:not([hidden])')).toBe(question);
        await tab.click(`#contact-email ~ button`);
        await expect.poll(() => value(tab, 'email')).toBe('ada@gmail.com');
      });

      await test.step('refused', async () => {
        await tab.type('');
        await type(tab, 'message', MESSAGE.message);
        // The browser takes spaces for a name; the server doesn't.
        await type(tab, 'name', '  ');
        await tab.click(SEND);
        await expect.poll(() => text(tab, TOAST)).toContain(outcomes.refused.title);
        expect(await value(tab, 'message')).toBe(MESSAGE.message);
        await expect.poll(() => text(tab, '#contact-name-error')).not.toBe('');
        await closeToast(tab);
      });

      await test.step('sent', async () => {
        await type(tab, 'name', engine);
        await expect.poll(() => note(tab)).toBe(filled(contactForm).promise);
        await expect.poll(() => tab.run(() => performance.now())).toBeGreaterThan(2_000);
        await tab.click(SEND);
        await expect.poll(() => text(tab, TOAST)).toContain(outcomes.sent.title);
        await expect.poll(() => note(tab)).toMatch(/\d\d:\d\d/);
        expect(await value(tab, 'message')).toBe('');
        await site.mailbox.receives(1);
        await closeToast(tab);
      });
      expect(await tab.complaints()).toEqual(
        [expect.stringContaining('422')].slice(engine === 'Chromium' ? 0 : 1),
      );
      await page.close();
    });

    test('what extensions put into the form before the page’s script runs does no harm', async ({ site }) => {
      const page = await startMeddlingProxy(site.url, extendForm);
      await open(tab, page.url);
      expect(await value(tab, 'name')).toBe('Typed early');
      expect(await tab.run(() => document.querySelectorAll('com-extension').length)).toBeGreaterThan(7);
      await type(tab, 'email', MESSAGE.email);
      const message = `${MESSAGE.message} ${engine}`;
      await type(tab, 'message', message);
      await tab.click(SEND);
      await expect.poll(() => text(tab, TOAST)).toContain(outcomes.sent.title);
      expect(await value(tab, 'name')).toBe('');
      await expect
        .poll(() => site.mailbox.received.some(({ parsed }) => parsed.text?.includes(message)))
        .toBe(true);
      expect(await tab.complaints()).toEqual([]);
      await page.close();
    });
  });
}
