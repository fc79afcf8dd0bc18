import { expect } from '@playwright/test';
import Database from 'better-sqlite3';
import { contactForm, outcomes } from '../../site/content/contact-form.ts';
import { navigation } from '../../site/content/navigation.ts';
import { filled } from '../../site/ui/words.ts';
import { test as base } from '../support/site/browser-site.ts';
import { launchOldChromium } from './engines/old-chromium.ts';
import type { Tab } from './engines/tab.ts';
import { MESSAGE, PHONE } from './visitor.ts';

/** build/browsers.ts says how much each may ask. The others of that list are checked in compatibility.spec.ts. */

const LAPTOP = { width: 1280, height: 720 };
const SUCCESS = [outcomes.sent.title, filled(outcomes).sent.description, contactForm.status.received];

// Without Playwright's own page.
// biome-ignore lint/correctness/noEmptyPattern: Playwright reads from this pattern what a fixture needs
const test = base.extend({ expectFault: async ({}, use) => use(() => {}) });

test.skip(process.platform !== 'linux' || process.arch !== 'x64', 'these packages are for Linux on x64');

/** Styled, with every part of it shown. */
async function open(tab: Tab, address: string, { width, height } = PHONE): Promise<void> {
  await tab.resize(width, height);
  await tab.open(address);
  const isWhole = () =>
    tab.run(() => {
      const isStyled = [...document.styleSheets].some(({ href }) => href);
      const parts = [...document.querySelectorAll<HTMLElement>('main > *, main ~ *')];
      return (
        isStyled && document.readyState === 'complete' && parts.every(({ style }) => style.cssText === '')
      );
    });
  await expect.poll(isWhole).toBe(true);
}

/** Only what shows: these browsers know no `checkVisibility`. */
const text = (tab: Tab) => tab.run(() => document.body.innerText);

const shown = (tab: Tab, selector: string) =>
  tab.run((wanted) => {
    const element = document.querySelector(wanted);
    return (
      element !== null &&
      element.getClientRects().length > 0 &&
      getComputedStyle(element).visibility === 'visible'
    );
  }, selector);

function expectNoWordOfSuccess(said: string): void {
  for (const word of SUCCESS) expect(said).not.toContain(word);
}

async function expectReadable(tab: Tab, width: number): Promise<void> {
  const faults = await tab.run(() => {
    const words = document.querySelectorAll(
      'main :is(h1, h2, h3, p, li, label)'.replace(':is', ':-webkit-any'),
    );
    const outside = [...words].filter((one) => {
      const { left, right, width: wide } = one.getBoundingClientRect();
      return wide > 1 && (left < 0 || right > innerWidth);
    });
    const hidden = [...document.querySelectorAll('main > section')].filter(
      ({ clientHeight }) => clientHeight < 100,
    );
    return [...outside, ...hidden].map((one) => `${one.tagName} ${one.textContent?.slice(0, 30)}`);
  });
  expect(faults).toEqual([]);
  expect(await tab.run(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  // A length that a browser doesn't know once left it as small as text.
  const headline = () =>
    Number.parseFloat(getComputedStyle(document.querySelector('h1') ?? document.body).fontSize);
  expect(await tab.run(headline)).toBeGreaterThan(width < 1000 ? 30 : 60);
}

function stored(databaseFile: string, email: string): unknown[] {
  const database = new Database(databaseFile, { readonly: true });
  try {
    return database.prepare('select name, message from contact_message where email = ?').all(email);
  } finally {
    database.close();
  }
}

for (const [version, scripts] of [
  [80, false],
  [92, true],
  [106, true],
  [109, true],
] as const) {
  test(`in Chromium ${version} the page reads, and a message arrives`, async ({ site }) => {
    const { tab, close } = await launchOldChromium(version);
    try {
      for (const size of [LAPTOP, PHONE])
        await test.step(`it reads at ${size.width} px`, async () => {
          await open(tab, `${site.url}/?${size.width}`, size);
          await expectReadable(tab, size.width);
          expectNoWordOfSuccess(await text(tab));
        });

      await test.step('the header is one row', async () => {
        expect(await tab.run(() => document.querySelector('header')?.offsetHeight)).toBeLessThan(64);
        expect(await shown(tab, 'header [aria-controls]')).toBe(scripts);
        expect(await shown(tab, '#mobile-menu')).toBe(false);
      });

      if (scripts)
        await test.step('the menu opens, leads to a section, and closes', async () => {
          const isOpen = () =>
            tab.run(() => document.querySelector('header [aria-controls]')?.getAttribute('aria-expanded'));
          await expect.poll(isOpen).toBe('false');
          await tab.click('header [aria-controls]');
          expect(await isOpen()).toBe('true');
          const links = await tab.run(() =>
            [...document.querySelectorAll('#mobile-menu li a')].map((link) => {
              const { left, top, width, height } = link.getBoundingClientRect();
              return [
                link.textContent,
                link.contains(document.elementFromPoint(left + width / 2, top + height / 2)),
              ];
            }),
          );
          expect(links).toEqual(navigation.links.map(({ label }) => [label, true]));
          await tab.pressKey('Escape');
          expect(await isOpen()).toBe('false');
          await tab.click('header [aria-controls]');
          await tab.click('#mobile-menu a[href="#service-pillars"]');
          expect(await isOpen()).toBe('false');
          await expect.poll(() => tab.run(() => location.hash)).toBe('#service-pillars');
        });

      await test.step('the form sends, and says so only then', async () => {
        const message = { ...MESSAGE, email: `chromium-${version}@example.com` };
        for (const [field, value] of Object.entries(message)) {
          await tab.click(`#contact-form [name=${field}]`);
          await tab.type(value);
        }
        expectNoWordOfSuccess(await text(tab));
        await tab.click('#contact-form [type=submit]');
        await expect
          .poll(() => stored(site.databaseFile, message.email))
          .toEqual([{ name: message.name, message: message.message }]);
        await expect.poll(() => text(tab)).toContain(SUCCESS[1]);
      });

      expect(await tab.complaints()).toEqual([]);
    } finally {
      await close();
    }
  });
}
