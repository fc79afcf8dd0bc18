import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { hero } from '../../site/content/hero.ts';
import { openDeskPage } from '../support/desk/open-desk-page.ts';
import { copyProject } from '../support/site/copy-project.ts';
import { NoBrowserError } from '../support/site/find-browser.ts';
import { launchFirefox } from './engines/firefox.ts';
import type { Browser, Launch, Tab } from './engines/tab.ts';
import { launchWebKit } from './engines/webkit.ts';

/** What the owner does with her words, in the engines that words.spec.ts doesn't use; with the desk killed meanwhile. */

const ENTER = '\ue007';
const ENGINES: Record<string, Launch> = { Firefox: launchFirefox, WebKit: launchWebKit };

const test = base.extend<{ copy: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from this pattern what a fixture needs
  copy: async ({}, use) => {
    const copy = copyProject();
    await use(copy);
    await rm(copy, { recursive: true, force: true });
  },
});

/** Skips an engine that isn't here. `npm test` says so at its end. */
async function launched(launch: Launch): Promise<Browser> {
  try {
    return await launch();
  } catch (error) {
    test.skip(error instanceof NoBrowserError, String(error));
    throw error;
  }
}

async function openWords(tab: Tab, copy: string) {
  const desk = await openDeskPage(copy, {}, copy);
  await tab.open(desk.link);
  await tab.open(`${desk.origin}/words`);
  await expect.poll(() => headline(tab), { timeout: 60_000 }).not.toBe('');
  return desk;
}

/** On the page of the preview. */
const headline = (tab: Tab) =>
  tab.run(() => document.querySelector('iframe')?.contentDocument?.querySelector('h1')?.textContent ?? '');

/** Clicks the headline, wherever the frame has it, and leaves the box with all its text chosen. */
async function chooseHeadline(tab: Tab): Promise<void> {
  const [x, y] = await tab.run(() => {
    const frame = document.querySelector('iframe');
    const words = frame?.contentDocument?.querySelector('h1')?.getBoundingClientRect();
    if (!frame || !words) throw new Error('there is no headline');
    const { left, top, width } = frame.getBoundingClientRect();
    const scale = width / frame.offsetWidth;
    return [
      Math.round(left + (words.left + 40) * scale),
      Math.round(top + (words.top + 20) * scale),
    ] as const;
  });
  await tab.press(x, y);
  const choose = () =>
    tab.run(() => {
      const box = document.querySelector<HTMLTextAreaElement>('.slip textarea');
      box?.select();
      return box !== null && document.activeElement === box;
    });
  await expect.poll(choose).toBe(true);
}

for (const [name, launch] of Object.entries(ENGINES)) {
  test(`in ${name}, words are clicked, changed and undone, and a killed desk has all that it showed`, async ({
    copy,
  }) => {
    const { tab, close } = await launched(launch);
    try {
      await tab.resize(1900, 1000);
      const first = await openWords(tab, copy);
      await chooseHeadline(tab);
      await tab.type(`Plus d’élan${ENTER}`);
      await expect.poll(() => headline(tab)).toBe('Plus d’élan');
      await chooseHeadline(tab);
      await tab.type(`Never shown${ENTER}`);
      await first.kill();
      const kept = JSON.parse(await readFile(join(copy, 'mine/words.json'), 'utf8')).hero.headline;
      expect(['Plus d’élan', 'Never shown']).toContain(kept);

      const second = await openWords(tab, copy);
      expect(await headline(tab)).toBe(kept);
      for (let steps = kept === 'Never shown' ? 2 : 1; steps > 0; steps -= 1) {
        const before = await headline(tab);
        await tab.click('.tools button');
        await expect.poll(() => headline(tab)).not.toBe(before);
      }
      expect(await headline(tab)).toBe(hero.headline);
      await second.close();
    } finally {
      await close();
    }
  });
}
