import { expect, type Page } from '@playwright/test';
import { test } from '../../support/site/browser-site.ts';
import { answerCall, MOVING, openPage, PHONE, STORED, send, toast } from '../visitor.ts';

test.use(MOVING);

async function showToast(page: Page): Promise<{ x: number; y: number }> {
  await openPage(page);
  await answerCall(page, STORED);
  await send(page);
  await expect(toast(page)).toContainText('Success!');
  // Where it rests once it's in, left of its close button.
  await toast(page).hover();
  const box = await toast(page).boundingBox();
  if (!box) throw new Error('The toast has no box');
  return { x: Math.round(box.x + 60), y: Math.round(box.y + box.height / 2) };
}

test('a toast follows the mouse that swipes it, and closes at 51 px to the right', async ({ page }) => {
  const { x, y } = await showToast(page);
  async function drag(by: number): Promise<void> {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + by, y, { steps: 10 });
  }

  const before = await toast(page).boundingBox();
  await drag(30);
  await expect.poll(async () => (await toast(page).boundingBox())?.x).toBe((before?.x ?? 0) + 30);
  await page.mouse.up();

  await test.step('not to the left', async () => {
    await drag(-80);
    await page.mouse.up();
    await expect(toast(page)).toHaveAttribute('data-state', 'open');
    await expect(toast(page)).not.toHaveAttribute('data-swipe', 'end');
  });

  await test.step('not by 49 px', async () => {
    await drag(49);
    await expect(toast(page)).toHaveAttribute('data-swipe', 'move');
    await page.mouse.up();
    await expect(toast(page)).toHaveAttribute('data-swipe', 'cancel');
    await expect(toast(page)).toHaveAttribute('data-state', 'open');
  });

  await drag(51);
  await page.mouse.up();
  await expect(toast(page)).toHaveCount(0);
});

test.describe('with a finger', () => {
  test.use({ viewport: PHONE, hasTouch: true });

  test('a swipe to the right closes a toast, a short one doesn’t', async ({ page }) => {
    const { x, y } = await showToast(page);
    const touches = await page.context().newCDPSession(page);
    async function swipe(by: number): Promise<void> {
      await touches.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
      for (let way = 1; way <= 10; way += 1) {
        const at = { x: x + (by * way) / 10, y };
        await touches.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [at] });
      }
      await touches.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    }

    await swipe(40);
    await expect(toast(page)).toHaveAttribute('data-swipe', 'cancel');
    await expect(toast(page)).toHaveAttribute('data-state', 'open');
    await swipe(90);
    await expect(toast(page)).toHaveCount(0);
  });
});
