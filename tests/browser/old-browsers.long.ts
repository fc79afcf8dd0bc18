import { expect } from '@playwright/test';
import { contactForm, outcomes } from '../../site/content/contact-form.ts';
import { filled } from '../../site/ui/words.ts';
import { changeWords } from './engines/desk.ts';
import { launchOldChromium } from './engines/old-chromium.ts';
import type { Tab } from './engines/tab.ts';
import { MESSAGE, PHONE, rowsFrom, siteTest as test } from './visitor.ts';

/** publish/browsers.ts says how much each may ask. The others of that list are checked in compatibility.spec.ts. */

const LAPTOP = { width: 1280, height: 720 };
const SUCCESS = [outcomes.sent.title, filled(outcomes).sent.description, contactForm.status.received];

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

/** Only what shows */
const text = (tab: Tab) => tab.run(() => document.body.innerText);

function expectNoWordOfSuccess(said: string): void {
  for (const word of SUCCESS) expect(said).not.toContain(word);
}

async function expectReadable(tab: Tab, width: number): Promise<void> {
  const faults = await tab.run(() => {
    // Not `:is`, which they don't all know.
    const texts = document.querySelectorAll<HTMLElement>('main h1, main h2, main h3, main p, main summary');
    const faulty = [...texts].filter((one) => {
      const { left, right, width } = one.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(one);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      const words = (one.innerText.match(/\p{L}+/gu) ?? []).length;
      const isSqueezed = words > 3 && lines > words;
      return width > 1 && (left < 0 || right > innerWidth || isSqueezed);
    });
    const sections = [...document.querySelectorAll<HTMLElement>('main > section')];
    return [...faulty, ...sections.filter(({ clientHeight }) => clientHeight < 100)].map(
      ({ tagName, innerText }) => `${tagName} ${innerText.slice(0, 30)}`,
    );
  });
  expect(faults).toEqual([]);
  expect(await tab.run(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  // A length that a browser doesn't know once left it as small as text.
  const headline = () =>
    Number.parseFloat(getComputedStyle(document.querySelector('h1') ?? document.body).fontSize);
  expect(await tab.run(headline)).toBeGreaterThan(width < 1000 ? 30 : 60);
}

for (const [version, scripts] of [
  [80, false],
  [92, true],
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
          // One row, with nothing over it
          expect(await tab.run(() => document.querySelector('header')?.offsetHeight)).toBeLessThan(72);
          const isCovered = () =>
            [...document.querySelectorAll('header a')].some((link) => {
              const { left, top, width, height } = link.getBoundingClientRect();
              const hit = document.elementFromPoint(left + width / 2, top + height / 2);
              return width > 0 && !link.contains(hit) && !hit?.contains(link);
            });
          expect(await tab.run(isCovered)).toBe(false);
        });

      await test.step('the menu’s button is there if it works', async () => {
        expect(await tab.seen('header [aria-controls]')).toBe(scripts);
        expect(await tab.seen('#mobile-menu')).toBe(false);
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
          .poll(() => rowsFrom(site, message.email))
          .toMatchObject([{ name: message.name, message: message.message }]);
        // The page may be on its way to the answer.
        await expect.poll(() => text(tab).catch(() => '')).toContain(SUCCESS[1]);
      });

      expect(await tab.complaints()).toEqual([]);
    } finally {
      await close();
    }
  });
}

test('in Chromium 109 the owner types, moves a question, publishes both and goes back', async () => {
  const { tab, close } = await launchOldChromium(109);
  try {
    await changeWords(tab);
    // Before it's published for the first time, it has no fonts.
    const complaints = await tab.complaints();
    expect(complaints.filter((said) => !said.includes('404'))).toEqual([]);
  } finally {
    await close();
  }
});
