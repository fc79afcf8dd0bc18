import { expect } from '@playwright/test';
import { hero } from '../../../site/content/hero.ts';
import type { openDeskInCopy } from '../../support/desk/open-desk-page.ts';
import type { Tab } from './tab.ts';

/** Signs in, and opens the page of words. */
export async function openWords(
  tab: Tab,
  { link, address }: Awaited<ReturnType<typeof openDeskInCopy>>,
): Promise<void> {
  // Wide enough for the page to be shown at its own size
  await tab.resize(1900, 1000);
  await tab.open(link);
  await expect.poll(() => tab.run(() => document.querySelector('button') !== null)).toBe(true);
  await tab.click('button');
  await expect.poll(() => tab.run(() => location.pathname)).toBe('/desk');
  await tab.open(`${address}/words`);
  await expect.poll(() => headline(tab), { timeout: 60_000 }).toBe(hero.headline);
}

/** In the preview. */
export const headline = (tab: Tab) =>
  tab.run(() => document.querySelector('iframe')?.contentDocument?.querySelector('h1')?.textContent ?? '');

/** Clicks the headline, and chooses all of it. */
export async function chooseHeadline(tab: Tab): Promise<void> {
  const choose = async () => {
    const [x, y] = await tab.run(() => {
      const frame = document.querySelector('iframe');
      const words = frame?.contentDocument?.querySelector('h1')?.getBoundingClientRect();
      if (!frame || !words) throw new Error('there is no headline');
      const { left, top } = frame.getBoundingClientRect();
      return [Math.round(left + words.left + 40), Math.round(top + words.top + 20)] as const;
    });
    await tab.press(x, y);
    return tab.run(() => {
      const page = document.querySelector('iframe')?.contentDocument;
      const words = page?.querySelector('h1');
      if (words) page?.getSelection()?.selectAllChildren(words);
      return words !== undefined && page?.activeElement === words;
    });
  };
  await expect.poll(choose).toBe(true);
}
