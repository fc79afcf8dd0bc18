import { expect, type Page } from '@playwright/test';
import { test } from '../support/site.ts';
import { MOVING, openPage, toast } from './visitor.ts';

test.use(MOVING);

type Held = { nodes: number; listeners: number };

/** Elements and listeners still held after garbage collection. */
async function held(page: Page): Promise<Held> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  await session.detach();
  return { nodes, listeners: jsEventListeners };
}

/** One collection may not free everything, but a leak never goes away. */
async function expectBack(page: Page, before: Held, most: Held): Promise<void> {
  await expect
    .poll(async () => {
      const after = await held(page);
      const nodes = after.nodes - before.nodes;
      const listeners = after.listeners - before.listeners;
      return nodes < most.nodes && listeners < most.listeners
        ? 'back'
        : `${nodes} nodes, ${listeners} listeners`;
    })
    .toBe('back');
}

test('opening the menu a hundred times leaks nothing', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openPage(page);
  const toggle = (times: number) =>
    page.evaluate(async (count) => {
      const menu = document.querySelector<HTMLElement>('#mobile-menu');
      for (let i = 0; i < count; i += 1) {
        menu?.showPopover();
        await new Promise(requestAnimationFrame);
        menu?.hidePopover();
        await new Promise(requestAnimationFrame);
      }
    }, times);
  await toggle(10);
  const before = await held(page);
  await toggle(100);
  await expectBack(page, before, { nodes: 50, listeners: 10 });
});

test('fifty toasts leak nothing', async ({ page }) => {
  await openPage(page);
  await page.route('**/functions/v1/**', (route) => route.fulfill({ json: { ok: true, id: 'x' } }));
  const send = async (times: number) => {
    for (let i = 0; i < times; i += 1) {
      const answered = page.waitForResponse('**/functions/v1/**');
      await page.evaluate(() => {
        const form = document.querySelector<HTMLFormElement>('#contact-form');
        for (const name of ['name', 'email', 'message']) {
          const field = form?.elements.namedItem(name);
          if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)
            field.value = 'a@b.ca';
        }
        form?.requestSubmit();
      });
      await answered;
      await expect(page.locator('#contact-form')).toHaveAttribute('data-status', 'sent');
    }
  };
  // By then their code is there, and so is whatever it makes once.
  await send(20);
  await expect(toast(page)).toBeVisible();
  const before = await held(page);
  await send(50);
  await expectBack(page, before, { nodes: 100, listeners: 10 });
});
