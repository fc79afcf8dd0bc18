import { expect, type Page } from '@playwright/test';
import { notifications as words } from '../../../site/content/contact-form.ts';
import { test } from '../../support/site/browser-site.ts';
import {
  answerCall,
  MOVING,
  messageField,
  notifications,
  openPage,
  STORED,
  send,
  sendButton,
  sendWell,
  toast,
} from '../visitor.ts';

// A page opened earlier keeps something of the stopped clock.
test.use({ ...MOVING, reuseContext: false });

async function showError(page: Page): Promise<void> {
  await answerCall(page, { status: 200, json: { error: 'Not today.' } });
  await send(page);
  await expect(toast(page)).toContainText('Not today.');
}

/** A toast that's about to leave is marked right away, before its exit animation. */
const expectStays = (page: Page) => expect(toast(page)).toHaveAttribute('data-state', 'open');
const expectGone = (page: Page) => expect(toast(page)).toHaveCount(0);

test('a toast stays for 5 seconds while it can be seen, in a region that names its keyboard shortcut', async ({
  page,
}) => {
  await page.clock.install({ time: new Date('2030-01-01T12:00:00Z') });
  await openPage(page);
  // From here on, time passes only as it's told to.
  await page.clock.pauseAt(new Date('2030-01-01T13:00:00Z'));
  async function expectGoneAfter(rest: number): Promise<void> {
    await page.clock.runFor(rest - 100);
    await expectStays(page);
    await page.clock.runFor(100);
    await expectGone(page);
  }
  await sendWell(page);
  await expect(notifications(page)).toHaveAccessibleName('Notifications (F8)');
  await expectGoneAfter(5000);

  for (const [attention, attend, leave] of [
    ['the pointer is on it', () => toast(page).hover(), () => page.mouse.move(10, 400)],
    ['the focus is in it', () => toast(page).getByRole('button').focus(), () => messageField(page).focus()],
  ] as const) {
    await test.step(`it pauses while ${attention}, then runs for the rest of its time`, async () => {
      await sendWell(page);
      await page.clock.runFor(3000);
      await attend();
      await page.clock.runFor(60_000);
      await expectStays(page);
      await leave();
      await expectGoneAfter(2000);
    });
  }

  await test.step('a newer one replaces the older one, with its full time, and isn’t paused because the pointer was on that', async () => {
    await showError(page);
    await page.clock.runFor(4000);
    await toast(page).hover();
    await messageField(page).focus();
    await answerCall(page, STORED);
    await sendButton(page).evaluate((button: HTMLButtonElement) => button.click());
    await expect(toast(page)).toContainText('Success!');
    await expect(page.getByText('Not today.')).toHaveCount(0);
    await page.mouse.move(10, 400);
    await expectGoneAfter(5000);
  });

  await test.step('one that arrives while the window isn’t active waits until it is', async () => {
    await page.evaluate(() => {
      document.hasFocus = () => false;
    });
    await sendWell(page);
    await page.clock.runFor(60_000);
    await expectStays(page);
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expectGoneAfter(5000);
  });
});

test('success and error look different, F8, Escape and a button close them, and the focus stays where it was', async ({
  page,
}) => {
  const looks = () =>
    toast(page).evaluate((node) => [
      getComputedStyle(node).backgroundColor,
      getComputedStyle(node).borderColor,
    ]);
  await openPage(page);
  await showError(page);
  const error = await looks();

  await messageField(page).focus();
  await page.keyboard.press('F8');
  await page.keyboard.press('Tab');
  await expect(toast(page)).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(toast(page).getByRole('button', { name: words.close })).toBeFocused();
  await page.keyboard.press('Escape');
  await expectGone(page);
  await expect(messageField(page)).toBeFocused();

  await sendWell(page);
  await expect(sendButton(page)).toBeFocused();
  const success = await looks();
  expect(success[0]).not.toBe(error[0]);
  expect(success[1]).not.toBe(error[1]);
  await toast(page).getByRole('button', { name: words.close }).click();
  await expectGone(page);
});

test('a toast follows what swipes it, and closes at 51 px to the right, unless the finger turns back', async ({
  page,
  context,
}) => {
  const screen = await context.newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
    screen.send('Input.dispatchTouchEvent', { type, touchPoints });
  await openPage(page);
  await sendWell(page);
  // It's in by now, and the pointer keeps it.
  await toast(page).hover();
  const { x: left, y: top, height } = (await toast(page).boundingBox()) ?? { x: 0, y: 0, height: 0 };
  // Left of its close button.
  const [x, y] = [Math.round(left + 60), Math.round(top + height / 2)];

  async function drag(by: number): Promise<void> {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + by, y, { steps: 10 });
  }
  await drag(30);
  await expect.poll(async () => (await toast(page).boundingBox())?.x).toBe(left + 30);
  await page.mouse.up();
  for (const by of [-80, 49]) {
    await drag(by);
    await page.mouse.up();
    await expectStays(page);
    await expect(toast(page)).not.toHaveAttribute('data-swipe', 'end');
  }
  await drag(51);
  await page.mouse.up();
  await expectGone(page);

  async function swipe(...stops: number[]): Promise<void> {
    await touch('touchStart', { x, y });
    for (const by of stops) await touch('touchMove', { x: x + by, y });
    await touch('touchEnd');
  }
  await sendWell(page);
  await toast(page).hover();
  await swipe(20, 60, 90, 40);
  await expectStays(page);
  await swipe(20, 40, 60, 80);
  await expectGone(page);
});
