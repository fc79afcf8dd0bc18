import { constants, inflateSync } from 'node:zlib';
import { expect } from '@playwright/test';
import { navigation } from '../../site/content/navigation.ts';
import { NoBrowserError } from '../support/site/find-browser.ts';
import { changeWords } from './engines/desk.ts';
import { launchFirefox, launchWebKit } from './engines/firefox-and-webkit.ts';
import type { Browser, Tab } from './engines/tab.ts';
import { faultsOfPressing, stickingOut } from './page-faults.ts';
import {
  animations,
  DESKTOP,
  hasTypeface,
  isAlive,
  isWhole,
  jump,
  sheetsIn,
  siteTest as test,
} from './visitor.ts';

/** What a visitor and the owner do, once in each engine but Chromium, in which the other files go into every detail. */

const PHONE = { width: 390, height: 664 };
const ENTER = '\ue007';

const count = (tab: Tab, selector: string) =>
  tab.run((wanted) => document.querySelectorAll(wanted).length, selector);

async function openAlive(tab: Tab, origin: string, { width, height } = DESKTOP, hash = ''): Promise<void> {
  await tab.resize(width, height);
  // An address that differs only after its # wouldn't be reloaded.
  await tab.open(`${origin}/?${Math.random()}${hash}`);
  for (const is of [isAlive, isWhole, hasTypeface]) await expect.poll(() => tab.run(is)).toBe(true);
}

const TOAST = '[data-island=toasts] li';

/** The last packed byte may look like part of the line end after it. */
const ENDS_ANYHOW = { finishFlush: constants.Z_SYNC_FLUSH };

/** Firefox compresses the page objects. */
function sheetsPacked(pdf: Buffer) {
  const packed = pdf.toString('latin1').matchAll(/\/ObjStm.*?stream\r?\n(.*?)\r?\nendstream/gs);
  const objects = [...packed].map(([, one = '']) => inflateSync(Buffer.from(one, 'latin1'), ENDS_ANYHOW));
  return sheetsIn(Buffer.concat(objects));
}

for (const [engine, launch] of [
  ['Firefox', launchFirefox],
  ['WebKitGTK', launchWebKit],
] as const) {
  test.describe(engine, () => {
    test.describe.configure({ mode: 'default' });
    let browser: Browser;
    let tab: Tab;
    test.beforeAll(async () => {
      browser = await launch().catch((error) => {
        // `npm test` names it at the end.
        test.skip(error instanceof NoBrowserError, String(error));
        throw error;
      });
      tab = browser.tab;
    });
    test.afterAll(() => browser?.close());
    test.afterEach(async () => {
      expect(await tab.complaints()).toEqual([]);
    });

    // Opening the page takes longer than looking at it.
    test('on a desktop the page starts in its typeface, plays its drawing and scrolls', async ({ site }) => {
      await openAlive(tab, site.url);
      await test.step('the header changes between 20 and 21 px, and the way to the top is there after half a window', async () => {
        const scrolled = () => tab.run(() => document.querySelector('header')?.dataset.scrolled);
        await tab.run(jump, 20);
        await expect.poll(scrolled).toBe('false');
        await tab.run(jump, 21);
        await expect.poll(scrolled).toBe('true');

        const top = '[data-island=scroll-to-top] a';
        await tab.run(jump, DESKTOP.height / 2);
        await expect.poll(() => tab.seen(top)).toBe(false);
        await tab.run(jump, DESKTOP.height / 2 + 1);
        await expect.poll(() => tab.seen(top)).toBe(true);
        await tab.click(top);
        await expect.poll(() => tab.run(() => scrollY)).toBe(0);
        await expect.poll(scrolled).toBe('false');
      });

      await test.step('the drawing tells its story once, and either state can be chosen', async () => {
        await expect.poll(async () => (await tab.run(animations)).some((one) => one.isRunning)).toBe(false);
        const pile = () =>
          tab.run(() => Number(getComputedStyle(document.querySelector('.hp-old') ?? document.body).opacity));
        for (const [value, opacity] of [
          ['before', 1],
          ['after', 0],
        ] as const) {
          await tab.click(`[name=state][value=${value}]`);
          await expect.poll(pile).toBe(opacity);
        }
      });
    });

    test('on a phone, links ring what was ticked, and all controls answer', async ({ site }) => {
      await openAlive(tab, site.url, PHONE, '#stuck=1-3');

      await test.step('what both ticked is marked as that', async () => {
        const marks = (whose: string) => count(tab, `#contact-form [data-marks] > [data-${whose}]`);
        // On the plan and in the list
        await expect.poll(() => marks('theirs')).toBe(4);
        expect(await marks('own')).toBe(0);
        await tab.click('[aria-labelledby=problems-heading] li:nth-child(3) input');
        await expect.poll(() => marks('own][data-theirs')).toBe(2);
      });

      await test.step('the menu opens, and closes when a link is chosen', async () => {
        const toggle = 'header button[aria-controls]';
        const isOpen = () => tab.run(() => document.querySelector('#mobile-menu')?.matches(':popover-open'));
        await tab.click(toggle);
        await expect.poll(isOpen).toBe(true);
        await tab.click(toggle);
        await expect.poll(isOpen).toBe(false);
        await tab.click(toggle);
        await tab.click('#mobile-menu a[href="#blueprint-journey"]');
        await expect.poll(isOpen).toBe(false);
        await expect.poll(() => tab.seen('#blueprint-journey h2')).toBe(true);
      });

      await test.step('every link, button and field answers a click on all of it', async () => {
        await tab.resize(320, 568);
        expect(await tab.run(faultsOfPressing)).toEqual([]);
      });
    });

    test('a message is stored, a bad one isn’t, and long words stay inside', async ({ site }) => {
      await openAlive(tab, site.url, { width: 320, height: 600 }, `#${navigation.callToAction.id}`);
      // More than twice what a line holds; these engines type letter by letter.
      const message = 'w'.repeat(60);
      // The browser takes spaces for a name; the server doesn't.
      const email = 'ada@bücher.example';
      for (const [field, value] of Object.entries({ email, name: '  ', message })) {
        await tab.click(`#contact-form [name=${field}]`);
        await tab.type(value);
      }
      expect(await tab.run(stickingOut)).toEqual([]);
      await tab.click('#contact-form button[type=submit]');
      await expect.poll(() => tab.text(TOAST)).toContain('Error');
      expect(await tab.run(stickingOut)).toEqual([]);
      const typed = () => tab.run(() => document.querySelector('textarea')?.value);
      expect(await typed()).toBe(message);
      // So that the pointer isn't on the toast, which would stay
      await tab.resize(DESKTOP.width, DESKTOP.height);
      await tab.click(`${TOAST} button`);
      await expect.poll(() => count(tab, TOAST)).toBe(0);

      await tab.click('#contact-form [name=name]');
      await tab.type('Ada');
      // Anything sent sooner is held as spam.
      await expect.poll(() => tab.run(() => performance.now())).toBeGreaterThan(2_000);
      await tab.click('#contact-form button[type=submit]');
      await expect.poll(() => tab.text(TOAST)).toContain('Success!');
      // The sheets change places in the browser's own time.
      await expect.poll(typed).toBe('');
      await site.mailbox.receives(1);
    });

    test('in the desk, words are typed, undone, arranged, published and taken back', async ({ site }) => {
      await changeWords(tab, ENTER);
      // Requests that a new preview aborts aren't faults.
      await tab.open(site.url);
    });

    // WebKitGTK's driver can't print, and shows each tab that it opens.
    if (engine !== 'Firefox') return;
    test('the page prints on two sheets, A4 or Letter', async ({ site }) => {
      await openAlive(tab, site.url);
      for (const [width, height] of Object.entries({ 21: 29.7, 21.59: 27.94 }))
        expect(sheetsPacked((await tab.print?.(Number(width), height)) ?? Buffer.of()), width).toBe(2);
    });

    test('a page opened in the background starts when it’s shown', async ({ site }) => {
      const behind = await browser.newTabBehind?.();
      if (!behind) throw new Error('it opens none');
      tab = behind;
      await tab.open(site.url);
      expect(await tab.run(() => document.visibilityState)).toBe('hidden');
      await behind.show();
      await expect.poll(() => tab.run(isAlive)).toBe(true);
      expect(await tab.seen('h1')).toBe(true);
    });
  });
}
