import type { Locator, Page, Route } from '@playwright/test';
import { expect, test } from '@playwright/test';
import Database from 'better-sqlite3';
import { type ContactMessage, eachField } from '../../contract/contact-message.ts';
import { contactForm } from '../../site/content/contact-form.ts';
import type { Site } from '../support/site/browser-site.ts';

/** What visitors do and look at, in the words of the tests. */

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** For what motion is part of, or could change. */
export const MOVING = { reducedMotion: 'no-preference' } as const;

export const CALL = '**/functions/v1/send-contact-email';
/** The script that sends. */
export const IN_FORM = '**/assets/in-form-*.js';

export const MESSAGE: ContactMessage = {
  name: 'Ada Example',
  email: 'ada@example.com',
  message: 'Orders pile up at packing.',
};

/** What the page sends for it: fields that weren't filled in are empty. */
export const BODY = { ...eachField(() => ''), ...MESSAGE };

/** Opens the page and waits until every island is alive and all of it shows: the sections show one at a time, the footer last. */
export async function openPage(page: Page, path = '/'): Promise<void> {
  // A message that's sent as fast as tests type is held as spam.
  await page.addInitScript(() => {
    Object.defineProperty(Event.prototype, 'timeStamp', { get: () => 20_000, configurable: true });
  });
  await page.goto(path);
  await expectAlive(page);
  await expectWhole(page);
}

/** Opens the page and waits until all of it is styled, alive or not. */
export async function openStyledPage(page: Page): Promise<void> {
  await page.goto('/');
  await expectWhole(page);
}

// Looked at in each frame: opening the page is half of most tests, and an `expect` looks again after half a second. Until
// its turn comes, a part is there without a picture, so that text in it can be found; see after-first-paint.ts.
const expectWhole = (page: Page) =>
  page.waitForFunction(() => document.querySelector('footer')?.checkVisibility({ opacityProperty: true }));

/** Waits until the page's own typeface replaces the system's, the last thing it fetches by itself. */
export async function expectTypeface(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    ['Archivo', 'Archivo Wide'].every((own) =>
      [...document.fonts].some(({ family, status }) => family === own && status === 'loaded'),
    ),
  );
}

export async function expectAlive(page: Page): Promise<void> {
  // The fourth is empty until the first toast.
  await page.waitForFunction(() => document.querySelectorAll('[data-island][data-alive]').length === 3);
}

export const nameField = (page: Page): Locator => page.getByRole('textbox', { name: 'Name', exact: true });
export const emailField = (page: Page): Locator => page.getByRole('textbox', { name: 'Email', exact: true });
export const messageField = (page: Page): Locator =>
  page.getByRole('textbox', { name: 'Message', exact: true });

/** What each of a part's links says, and where it leads. */
export const linksIn = (part: Locator) =>
  part
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]));

/** The box of one of the page's problems, by its title. */
export const problem = (page: Page, title: string): Locator =>
  page.getByRole('checkbox', { name: title, exact: true });

export function sendButton(page: Page): Locator {
  return page.locator('#contact-form').getByRole('button');
}

/** The words beside the button. */
export const note = (page: Page): Locator => sendButton(page).locator('xpath=following-sibling::small');

export async function fillForm(page: Page, message: ContactMessage = MESSAGE): Promise<void> {
  await nameField(page).fill(message.name);
  await emailField(page).fill(message.email);
  await messageField(page).fill(message.message);
}

export async function expectForm(page: Page, message: ContactMessage): Promise<void> {
  await expect(nameField(page)).toHaveValue(message.name);
  await expect(emailField(page)).toHaveValue(message.email);
  await expect(messageField(page)).toHaveValue(message.message);
}

export const EMPTY: ContactMessage = { name: '', email: '', message: '' };

export async function send(page: Page, message: ContactMessage = MESSAGE): Promise<void> {
  await fillForm(page, message);
  await page.getByRole('button', { name: contactForm.button }).click();
}

/** The test answers the call instead of the server. */
export async function answerCall(page: Page, answer: Parameters<Route['fulfill']>[0]): Promise<void> {
  await page.route(CALL, (route) => route.fulfill(answer));
}

export const STORED = { status: 200, json: { ok: true, id: 'an-id' } };

/** Sends it, and is told that it was stored. */
export async function sendWell(page: Page, message: ContactMessage = MESSAGE): Promise<void> {
  await answerCall(page, STORED);
  await send(page, message);
  await expect(toast(page)).toContainText('Success!');
}

/** Holds back whatever matches until `release`; `count` is how many requests came. */
export async function holdBack(page: Page, url: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let count = 0;
  await page.route(url, async (route) => {
    count += 1;
    await released;
    await route.fallback();
  });
  return { release, count: () => count };
}

export const notifications = (page: Page): Locator => page.getByRole('region', { name: /Notifications/ });
export const toast = (page: Page): Locator => notifications(page).getByRole('listitem');

/** So that the next toast can't be taken for this one, which may have gone by itself. */
export async function closeToast(page: Page): Promise<void> {
  await toast(page)
    .getByRole('button')
    .evaluateAll((all: HTMLButtonElement[]) => all[0]?.click());
  await expect(toast(page)).toHaveCount(0);
}

/** The messages of one sender, whom no other test has. */
export function rowsFrom(
  { databaseFile }: Pick<Site, 'databaseFile'>,
  email: string,
): { name: string; message: string; state: string }[] {
  const database = new Database(databaseFile, { readonly: true });
  const rows = database.prepare('select name, message, state from contact_message where email = ?');
  const found = rows.all(email) as [];
  database.close();
  return found;
}

/** How far things have moved by themselves so far, as the browser counts it. Call it before the page is opened. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.push((entry as PerformanceEntry & { value: number }).value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return () =>
    page.evaluate(() =>
      (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
    );
}

/** Scrolls at once, again if the end of an earlier scroll came in between, and returns when the page has had time to react. */
export async function scrollPage(page: Page, y: number): Promise<void> {
  const scrolled = () =>
    page.evaluate(async (top) => {
      const frame = () => new Promise(requestAnimationFrame);
      window.scrollTo({ top, behavior: 'instant' });
      // A scroll is noticed in the next frame, its observers are notified in that frame.
      for (let i = 0; i < 4; i += 1) await frame();
      return window.scrollY;
    }, y);
  await expect.poll(scrolled).toBe(y);
}

/** Playwright's own click would scroll even to a link in a sticky header, and check what covers it. */
export async function pressWhereItStands(element: Locator): Promise<void> {
  const box = await element.boundingBox();
  if (!box) throw new Error(`${element} is not to be seen`);
  await element.page().mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

/** Clicks a link. Returns every scroll position on the way, once the page has come to rest. */
export async function followLink(link: Locator): Promise<number[]> {
  const page = link.page();
  await expect(link).toBeInViewport();
  const arrival = await page.evaluateHandle(() => {
    const positions: number[] = [];
    const { promise: ended, resolve } = Promise.withResolvers<number[]>();
    const watch = () => {
      addEventListener('scroll', () => positions.push(window.scrollY));
      addEventListener('scrollend', () => resolve(positions), { once: true });
    };
    addEventListener('click', watch, { once: true, capture: true });
    return { ended };
  });
  await pressWhereItStands(link);
  return arrival.evaluate(({ ended }) => ended);
}

/** Whether the middle of an element that's inside the window is uncovered. */
export async function expectUncovered(element: Locator): Promise<void> {
  // All of it: the corners of what's turned are rounded.
  await expect(element).toBeInViewport({ ratio: 0.99 });
  const uncovered = await element.evaluate((node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    const hit = document.elementFromPoint(left + Math.min(width / 2, 20), top + Math.min(height / 2, 10));
    return hit !== null && (node.contains(hit) || hit.contains(node));
  });
  expect(uncovered, 'nothing lies over it').toBe(true);
}

export type Size = { width: number; height: number };

/** Checks one page at each size, since opening it takes far longer than the check. */
export async function eachSize(
  page: Page,
  sizes: Size[],
  check: (size: Size) => Promise<void>,
): Promise<void> {
  for (const size of sizes) {
    await test.step(`at ${size.width} by ${size.height} px`, async () => {
      await page.setViewportSize(size);
      await check(size);
    });
  }
}

/** As if the owner had listed this many. */
export async function showPackages(page: Page, count: number): Promise<void> {
  await page.locator('#blueprint-journey').evaluate((section, wanted) => {
    const sheets = [...section.querySelectorAll('article')];
    for (const sheet of sheets.slice(wanted)) sheet.remove();
    for (let more = sheets.length; more < wanted; more += 1) {
      const copy = sheets[0]?.cloneNode(true);
      if (copy) section.append(copy);
    }
  }, count);
  await expect(page.locator('#blueprint-journey article')).toHaveCount(count);
}
