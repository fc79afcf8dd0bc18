import { expect, type Page } from '@playwright/test';
import { test } from './site.ts';
import { answerCall, openPage, PHONE, STORED, send, toast } from './visitor.ts';

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

test.describe('with a mouse', () => {
  async function drag(page: Page, by: number): Promise<void> {
    const { x, y } = await showToast(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + by, y, { steps: 10 });
    await page.mouse.up();
  }

  test('a swipe to the right by 51 px closes a toast', async ({ page }) => {
    await drag(page, 51);
    await expect(toast(page)).toHaveCount(0);
  });

  test('a swipe to the right by 49 px does not', async ({ page }) => {
    await drag(page, 49);
    await expect(toast(page)).toHaveAttribute('data-swipe', 'cancel');
    await expect(toast(page)).toHaveAttribute('data-state', 'open');
  });

  test('a swipe to the left does not', async ({ page }) => {
    await drag(page, -80);
    await expect(toast(page)).toHaveAttribute('data-state', 'open');
    await expect(toast(page)).not.toHaveAttribute('data-swipe', 'end');
  });

  test('a toast follows the pointer that swipes it', async ({ page }) => {
    const { x, y } = await showToast(page);
    const before = await toast(page).boundingBox();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y, { steps: 6 });
    await expect.poll(async () => (await toast(page).boundingBox())?.x).toBe((before?.x ?? 0) + 30);
    await page.mouse.up();
  });
});

test.describe('with a finger', () => {
  test.use({ viewport: PHONE, hasTouch: true });

  async function swipe(page: Page, by: number): Promise<void> {
    const { x, y } = await showToast(page);
    const touches = await page.context().newCDPSession(page);
    await touches.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    for (let way = 1; way <= 10; way += 1) {
      const at = { x: x + (by * way) / 10, y };
      await touches.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [at] });
    }
    await touches.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  test('a swipe to the right closes a toast', async ({ page }) => {
    await swipe(page, 90);
    await expect(toast(page)).toHaveCount(0);
  });

  test('a short swipe does not', async ({ page }) => {
    await swipe(page, 40);
    await expect(toast(page)).toHaveAttribute('data-state', 'open');
    await expect(toast(page)).not.toHaveAttribute('data-swipe', 'end');
  });
});
