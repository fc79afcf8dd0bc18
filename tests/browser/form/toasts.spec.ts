import { expect } from '@playwright/test';
import { notifications as words } from '../../../site/content/contact-form.ts';
import { MOVING, STORED, test, type Visitor } from '../visitor.ts';

// A page opened earlier keeps traces of the stopped clock.
test.use({ ...MOVING, reuseContext: false });

async function showError(visitor: Visitor): Promise<void> {
  await visitor.sendFor({ status: 200, json: { error: 'Not today.' } });
  await expect(visitor.toast).toContainText('Not today.');
}

/** A toast that's about to leave is marked so right away, before its exit animation. */
const expectStays = ({ toast }: Visitor) => expect(toast).toHaveAttribute('data-state', 'open');
const expectGone = ({ toast }: Visitor) => expect(toast).toHaveCount(0);

test('a toast stays for 5 seconds while it can be seen', async ({ page, visitor }) => {
  const { toast, messageField } = visitor;
  await page.clock.install({ time: new Date('2030-01-01T12:00:00Z') });
  await visitor.open();
  await page.clock.pauseAt(new Date('2030-01-01T13:00:00Z'));
  async function expectGoneAfter(rest: number): Promise<void> {
    await page.clock.runFor(rest - 100);
    await expectStays(visitor);
    await page.clock.runFor(100);
    await expectGone(visitor);
  }
  await visitor.sendWell();
  await expect(visitor.notifications).toHaveAccessibleName('Notifications (F8)');
  await expectGoneAfter(5000);

  for (const [attention, attend, leave] of [
    ['the pointer is on it', () => toast.hover(), () => page.mouse.move(10, 400)],
    ['the focus is in it', () => toast.getByRole('button').focus(), () => messageField.focus()],
  ] as const) {
    await test.step(`it pauses while ${attention}, then runs out the rest of its time`, async () => {
      await visitor.sendWell();
      await page.clock.runFor(3000);
      await attend();
      await page.clock.runFor(60_000);
      await expectStays(visitor);
      await leave();
      await expectGoneAfter(2000);
    });
  }

  await test.step('a newer one replaces the older one, with its full time, and isn’t paused by a pointer on the old one', async () => {
    await showError(visitor);
    await page.clock.runFor(4000);
    await visitor.toast.hover();
    await visitor.messageField.focus();
    await visitor.answerCall(STORED);
    await visitor.sendButton.evaluate((button: HTMLButtonElement) => button.click());
    await expect(visitor.toast).toContainText('Success!');
    await expect(page.getByText('Not today.')).toHaveCount(0);
    await page.mouse.move(10, 400);
    await expectGoneAfter(5000);
  });
});

test('success and error look different, and are closed by key or button', async ({ page, visitor }) => {
  const ground = () => visitor.toast.evaluate((node) => getComputedStyle(node).backgroundColor);
  await visitor.open();
  // However slow the machine, it doesn't close by itself.
  await page.clock.pauseAt(new Date('2030-01-01T13:00:00Z'));
  await showError(visitor);
  const error = await ground();

  await visitor.messageField.focus();
  await page.keyboard.press('F8');
  await page.keyboard.press('Tab');
  await expect(visitor.toast).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(visitor.toast.getByRole('button', { name: words.close })).toBeFocused();
  await page.keyboard.press('Escape');
  await expectGone(visitor);
  await expect(visitor.messageField).toBeFocused();

  await visitor.sendWell();
  await expect(page.locator('#message-sent'), 'what the window shows').toBeFocused();
  expect(await ground()).not.toBe(error);
  await visitor.toast.getByRole('button', { name: words.close }).click();
  await expectGone(visitor);
});

test('a swiped toast follows, and closes at 51 px to the right', async ({ context, page, visitor }) => {
  const screen = await context.newCDPSession(page);
  await visitor.open();
  await page.clock.pauseAt(new Date('2030-01-01T13:00:00Z'));
  await visitor.sendWell();
  // It's fully in then.
  await visitor.toast.hover();
  const { x: left, y: top, height } = (await visitor.toast.boundingBox()) ?? { x: 0, y: 0, height: 0 };
  // Left of its close button.
  const [x, y] = [Math.round(left + 60), Math.round(top + height / 2)];

  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...by: number[]) =>
    screen.send('Input.dispatchTouchEvent', { type, touchPoints: by.map((dx) => ({ x: x + dx, y })) });
  for (const stops of [
    [-40, -80],
    [20, 49],
    [20, 60, 90, 40],
    [20, 51],
  ]) {
    await expectStays(visitor);
    await expect(visitor.toast).not.toHaveAttribute('data-swipe', 'end');
    await touch('touchStart', 0);
    for (const by of stops) await touch('touchMove', by);
    const shown = left + Math.max(0, stops.at(-1) ?? 0);
    await expect.poll(async () => (await visitor.toast.boundingBox())?.x).toBe(shown);
    await touch('touchEnd');
  }
  await expectGone(visitor);
});
