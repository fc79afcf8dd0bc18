import { expect, type Page } from '@playwright/test';
import { outcomes, notifications as words } from '../../../site/content/contact-form.ts';
import { filled } from '../../../site/ui/words.ts';
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
  toast,
} from '../visitor.ts';

test.use(MOVING);

// A page opened earlier keeps something of the stopped clock.
test.use({ reuseContext: false });

/** From here on time stands still, and passes only when a test says so. */
async function openPageWithStoppedClock(page: Page): Promise<void> {
  await page.clock.install({ time: new Date('2030-01-01T12:00:00Z') });
  await openPage(page);
  await page.clock.pauseAt(new Date('2030-01-01T13:00:00Z'));
}

async function showSuccess(page: Page): Promise<void> {
  await answerCall(page, STORED);
  await send(page);
  await expect(toast(page)).toContainText('Success!');
  await expect(toast(page)).toHaveAttribute('data-state', 'open');
}

async function showError(page: Page): Promise<void> {
  await answerCall(page, { status: 200, json: { error: 'Not today.' } });
  await send(page);
  await expect(toast(page)).toContainText('Not today.');
}

/** A toast that's about to leave is marked right away, before its exit animation. */
const expectStays = (page: Page) => expect(toast(page)).toHaveAttribute('data-state', 'open');
const expectGone = (page: Page) => expect(toast(page)).toHaveCount(0);

test('a toast stays for 5 seconds while it can be seen, and is announced', async ({ page }) => {
  await openPageWithStoppedClock(page);
  async function expectGoneAfter(rest: number): Promise<void> {
    await page.clock.runFor(rest - 100);
    await expectStays(page);
    await page.clock.runFor(100);
    await expectGone(page);
  }

  await test.step('success, announced in a region that names its keyboard shortcut', async () => {
    await showSuccess(page);
    await page.clock.runFor(100);
    const announcement = page.getByRole('status').filter({ hasText: 'Success!' });
    await expect(announcement).toHaveText(
      `${words.label} ${outcomes.sent.title} ${filled(outcomes).sent.description}`,
    );
    await expect(announcement).toHaveAttribute('aria-live', 'assertive');
    await expect(notifications(page)).toHaveAccessibleName('Notifications (F8)');
    await expectGoneAfter(4900);
  });

  await test.step('it pauses while the pointer is on it, then runs for the rest of its time', async () => {
    await showSuccess(page);
    await page.clock.runFor(3000);
    await toast(page).hover();
    await page.clock.runFor(60_000);
    await expectStays(page);
    await page.mouse.move(10, 400);
    await expectGoneAfter(2000);
  });

  await test.step('it pauses while the focus is in it', async () => {
    await showSuccess(page);
    await page.clock.runFor(3000);
    await toast(page).getByRole('button').focus();
    await page.clock.runFor(60_000);
    await expectStays(page);
    await messageField(page).focus();
    await expectGoneAfter(2000);
  });

  await test.step('a newer one replaces the older one, with its full time', async () => {
    await showError(page);
    await page.clock.runFor(4000);
    await showSuccess(page);
    await expect(toast(page)).toHaveCount(1);
    await expect(page.getByText('Not today.')).toHaveCount(0);
    await expectGoneAfter(5000);
  });

  await test.step('a newer one isn’t paused because the pointer was on the older one', async () => {
    await showError(page);
    await toast(page).hover();
    await messageField(page).focus();
    await answerCall(page, STORED);
    await sendButton(page).evaluate((button: HTMLButtonElement) => button.click());
    await expect(toast(page)).toContainText('Success!');
    await page.mouse.move(10, 400);
    await page.clock.runFor(5000);
    await expectGone(page);
  });

  await test.step('one that arrives while the window isn’t active waits until it is', async () => {
    await page.evaluate(() => {
      document.hasFocus = () => false;
    });
    await showSuccess(page);
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
  await expect(toast(page)).toHaveAttribute('data-variant', 'destructive');
  const error = await looks();

  await messageField(page).focus();
  await page.keyboard.press('F8');
  const focused = await notifications(page).evaluate((region) => region.contains(document.activeElement));
  expect(focused).toBe(true);
  await page.keyboard.press('Tab');
  await expect(toast(page)).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(toast(page).getByRole('button', { name: words.close })).toBeFocused();
  await page.keyboard.press('Escape');
  await expectGone(page);
  await expect(messageField(page)).toBeFocused();

  await showSuccess(page);
  await expect(sendButton(page)).toBeFocused();
  await expect(toast(page)).toHaveAttribute('data-variant', 'default');
  const success = await looks();
  expect(success[0]).not.toBe(error[0]);
  expect(success[1]).not.toBe(error[1]);
  await toast(page).getByRole('button', { name: words.close }).click();
  await expectGone(page);
});

/** Where it rests once it's in, left of its close button. */
async function restingPlace(page: Page): Promise<{ x: number; y: number }> {
  await toast(page).hover();
  const box = await toast(page).boundingBox();
  if (!box) throw new Error('The toast has no box');
  return { x: Math.round(box.x + 60), y: Math.round(box.y + box.height / 2) };
}

test('a toast follows the mouse that swipes it, and closes at 51 px to the right', async ({ page }) => {
  await openPage(page);
  await showSuccess(page);
  const { x, y } = await restingPlace(page);
  async function drag(by: number): Promise<void> {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + by, y, { steps: 10 });
  }
  const before = await toast(page).boundingBox();
  await drag(30);
  await expect.poll(async () => (await toast(page).boundingBox())?.x).toBe((before?.x ?? 0) + 30);
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
});

test.describe('on a touchscreen', () => {
  test.use({ hasTouch: true });

  test('a finger swipes a toast away, and one that turns back doesn’t', async ({ page, context }) => {
    await openPage(page);
    await showSuccess(page);
    const { x, y } = await restingPlace(page);
    const screen = await context.newCDPSession(page);
    async function swipe(...stops: number[]): Promise<void> {
      for (const [at, by] of [0, ...stops].entries())
        await screen.send('Input.dispatchTouchEvent', {
          type: at === 0 ? 'touchStart' : 'touchMove',
          touchPoints: [{ x: x + by, y }],
        });
      await screen.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    }
    await swipe(20, 60, 90, 40);
    await expectStays(page);
    await swipe(20, 40, 60, 80);
    await expectGone(page);
  });
});
