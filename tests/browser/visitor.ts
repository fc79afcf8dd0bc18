import { test as base, expect, type Locator, type Page, type Route } from '@playwright/test';
import { type ContactMessage, SENT_ANCHOR } from '../../contract/contact-message.ts';
import { contactForm } from '../../site/content/contact-form.ts';
import { scrollToTop } from '../../site/content/navigation.ts';
import { storedRows } from '../support/database/stored-rows.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/mail/smtp-server.ts';
import { serveSite, TEST_SITE } from '../support/site/test-site.ts';

type Site = { url: string; databaseFile: string; mailbox: TestSmtpServer };

/** For tests that bring their own browser. */
export const siteTest = base.extend<object, { folder: string; site: Site }>({
  folder: [TEST_SITE, { scope: 'worker', option: true }],
  site: [
    async ({ folder }, use) => {
      const mailbox = await startSmtpServer();
      const { origin, databaseFile, close } = await serveSite(folder, { SMTP_URL: mailbox.url });
      await use({ url: origin, databaseFile, mailbox });
      await close();
      await mailbox.close();
    },
    { scope: 'worker' },
  ],
});

/** Any error, violation or failed request that the test doesn't expect fails it. */
export const test = siteTest.extend<{ visitor: Visitor & { expectFault: (pattern: RegExp) => void } }>({
  baseURL: async ({ site }, use) => use(site.url),

  visitor: [
    async ({ context, page }, use) => {
      const expected: RegExp[] = [];
      const faults: string[] = [];
      context.on('console', (message) => {
        if (message.type() === 'error') faults.push(`console.error: ${message.text()}`);
      });
      context.on('weberror', (error) => void faults.push(`uncaught: ${error.error().stack}`));
      context.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText;
        // The page was left, or its picture scrolled away, while something was still loading.
        if (reason !== 'net::ERR_ABORTED') faults.push(`request failed: ${reason} ${request.url()}`);
      });
      await use({ ...visitorOf(page), expectFault: (pattern) => void expected.push(pattern) });
      expect(faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)))).toEqual([]);
    },
    { auto: true },
  ],
});

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** For tests that motion is part of, or could change. */
export const MOVING = { reducedMotion: 'no-preference' } as const;

export const CALL = '**/functions/v1/send-contact-email';
export const IN_FORM = '**/assets/in-form-*.js';

export const MESSAGE: ContactMessage = {
  name: 'Ada Example',
  email: 'ada@example.com',
  message: 'Orders pile up at packing.',
};
export const EMPTY: ContactMessage = { name: '', email: '', message: '' };

export const STORED = { status: 200, json: { ok: true, id: 'an-id' } };

type Answer = Parameters<Route['fulfill']>[0];
export type Visitor = ReturnType<typeof visitorOf>;

export function visitorOf(page: Page) {
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const fields = { name: field('Name'), email: field('Email'), message: field('Message') };
  const header = page.getByRole('banner');
  const form = page.locator('#contact-form');
  const sendButton = form.getByRole('button');
  const notifications = page.getByRole('region', { name: /Notifications/ });
  const toast = notifications.getByRole('listitem');

  // Checked in each frame: opening the page is half of most tests, and an `expect` looks again after half a second.
  const expectAlive = () => page.waitForFunction(isAlive);

  async function openStyled(path = '/'): Promise<void> {
    await page.goto(path);
    await page.waitForFunction(isWhole);
  }

  async function fill(message: ContactMessage = MESSAGE): Promise<void> {
    for (const name of ['name', 'email', 'message'] as const) await fields[name].fill(message[name]);
  }

  async function send(message: ContactMessage = MESSAGE): Promise<void> {
    await fill(message);
    await page.getByRole('button', { name: contactForm.button }).click();
  }

  async function answerCall(answer: Answer): Promise<void> {
    await page.route(CALL, (route) => route.fulfill(answer));
  }

  async function sendFor(answer: Answer, message?: ContactMessage): Promise<void> {
    await answerCall(answer);
    await send(message);
  }

  return {
    page,
    nameField: fields.name,
    emailField: fields.email,
    messageField: fields.message,
    sendButton,
    note: sendButton.locator('xpath=following-sibling::small'),
    notifications,
    toast,
    form,
    receipt: page.locator(`#${SENT_ANCHOR}`),
    header,
    menuButton: header.getByRole('button'),
    menu: page.locator('#mobile-menu'),
    toTop: page.getByRole('link', { name: scrollToTop.label }),
    problem: (title: string) => page.getByRole('checkbox', { name: title, exact: true }),

    expectAlive,
    openStyled,
    fill,
    send,
    answerCall,
    sendFor,

    async open(path?: string): Promise<void> {
      // A message sent as fast as tests type is held as spam.
      await page.addInitScript(() => {
        Object.defineProperty(Event.prototype, 'timeStamp', { get: () => 20_000, configurable: true });
      });
      await openStyled(path);
      await expectAlive();
    },

    async reload(): Promise<void> {
      await page.reload();
      await expectAlive();
    },

    /** Waits for the last thing that the page fetches by itself. */
    expectTypeface: () => page.waitForFunction(hasTypeface),

    async expectForm(message: ContactMessage): Promise<void> {
      for (const name of ['name', 'email', 'message'] as const)
        await expect(fields[name]).toHaveValue(message[name]);
    },

    async sendWell(message?: ContactMessage): Promise<void> {
      await sendFor(STORED, message);
      await expect(toast).toContainText('Success!');
    },

    /** Holds back matching requests until `release`; `count` is how many came. */
    async holdBack(url: string) {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      let count = 0;
      await page.route(url, async (route) => {
        count += 1;
        await released;
        await route.fallback();
      });
      return { release, count: () => count };
    },

    /** It may have closed by itself. */
    async closeToast(): Promise<void> {
      await toast.getByRole('button').evaluateAll((all: HTMLButtonElement[]) => all[0]?.click());
      await expect(toast).toHaveCount(0);
    },

    /** How far things have moved by themselves since the page was opened, as the browser counts it. */
    async shifts(): Promise<number> {
      return page.evaluate(async () => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        // A shift is reported after the frame that shows it.
        for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
        observer.disconnect();
        return sum;
      });
    },

    /** Scrolls at once, again if the end of an earlier scroll came in between, and returns when the page has had time to react. */
    async scrollTo(y: number): Promise<void> {
      await expect.poll(() => page.evaluate(jump, y)).toBe(y);
    },

    /** Checks one page at each size, since opening it takes far longer than the check. */
    async eachSize(sizes: readonly Size[], check: (width: number, height: number) => Promise<void>) {
      for (const size of sizes)
        await test.step(size, async () => {
          const [width = 0, height = 0] = size.split('×').map(Number);
          await page.setViewportSize({ width, height });
          await check(width, height);
        });
    },
  };
}

export type Size = `${number}×${number}`;

// These run in the page, in any browser.

/** The fourth island is empty until the first toast. */
export const isAlive = () => document.querySelectorAll('[data-island][data-alive]').length === 3;

/** The sections show one at a time, the footer last; until then each is there without a picture, see after-first-paint.ts. */
export const isWhole = () =>
  document.querySelector('footer')?.checkVisibility({ opacityProperty: true }) === true;

export const hasTypeface = () =>
  ['Archivo', 'Archivo Wide'].every((own) =>
    [...document.fonts].some((face) => face.family.replaceAll('"', '') === own && face.status === 'loaded'),
  );

/** The drawing's: whether they run, when they end, in ms from their start, and what they change. */
export const animations = () =>
  document.getAnimations().flatMap(({ effect, playState }) => {
    if (!(effect instanceof KeyframeEffect) || !effect.target?.closest('.hp')) return [];
    const times = ['offset', 'easing', 'composite', 'computedOffset'];
    const changed = effect.getKeyframes().flatMap((frame) => Object.keys(frame));
    return {
      isRunning: playState === 'running',
      end: Number(effect.getComputedTiming().endTime),
      changes: changed
        .filter((name) => !times.includes(name))
        .map((name) => `${effect.target?.tagName} ${name}`),
    };
  });

export async function jump(top: number): Promise<number> {
  scrollTo({ top, behavior: 'instant' });
  // A scroll is noticed in the next frame, its observers are notified in that frame.
  for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
  return scrollY;
}

/** The number of sheets in a printed page. */
export const sheetsIn = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length;

export const linksIn = (part: Locator) =>
  part
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]));

/** The messages of one sender, whom no other test uses. */
export const rowsFrom = ({ databaseFile }: Pick<Site, 'databaseFile'>, email: string) =>
  storedRows(databaseFile, `email = '${email}'`);

/** Clicks a link. Returns every scroll position on the way, once the page has come to rest. */
export async function followLink(link: Locator): Promise<number[]> {
  const page = link.page();
  await expect(link).toBeInViewport();
  const arrival = page.evaluate(() => {
    const { promise, resolve } = Promise.withResolvers<number[]>();
    const positions: number[] = [];
    const watch = () => {
      addEventListener('scroll', () => positions.push(scrollY));
      addEventListener('scrollend', () => resolve(positions), { once: true });
    };
    addEventListener('click', watch, { once: true, capture: true });
    return promise;
  });
  // A click would scroll even to a link in a sticky header.
  await link.click({ scroll: 'none' });
  return arrival;
}

/** All of an element is inside the window, and nothing lies over it. */
export async function expectUncovered(element: Locator): Promise<void> {
  // 0.99 means all of it: rotated corners are rounded.
  await expect(element).toBeInViewport({ ratio: 0.99 });
  // Near the corner that the header would cover first.
  await element.click({ trial: true, scroll: 'none', position: { x: 8, y: 8 } });
}
