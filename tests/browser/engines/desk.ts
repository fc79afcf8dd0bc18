import { expect } from '@playwright/test';
import { hero } from '../../../site/content/hero.ts';
import { openDeskInCopy } from '../../support/desk/open-desk-page.ts';
import { closing } from '../../support/network/closing.ts';
import type { Tab } from './tab.ts';

/** The owner types a headline, moves a question, publishes both, and takes the headline back. @param enter that key, if keys can be pressed */
export async function changeWords(tab: Tab, enter = ''): Promise<void> {
  await using desk = closing(await openDeskInCopy());
  const said = () => tab.text('.strip');
  // Wide enough to show the page at its own size
  await tab.resize(1900, 1000);
  await tab.open(desk.link);
  await expect.poll(() => tab.run(() => document.querySelector('button') !== null)).toBe(true);
  await tab.click('button');
  await expect.poll(() => tab.run(() => location.pathname)).toBe('/desk');
  await tab.open(`${desk.address}/words`);
  await expect.poll(() => headline(tab), { timeout: 60_000 }).toBe(hero.headline);

  await chooseHeadline(tab);
  await tab.type('Plus');
  await expect.poll(said).toContain('Kept');
  await expect.poll(() => undone(tab)).toBe(hero.headline);
  await chooseHeadline(tab);
  await tab.type(`Plus d’élan${enter}`);
  await expect.poll(() => headline(tab)).toBe('Plus d’élan');
  const place = () =>
    tab.run(() => document.querySelector('iframe')?.contentDocument?.activeElement?.className);
  if (enter) {
    await tab.type('\uE004');
    expect(await place(), 'the Tab key goes on from there').toBe('lead');
  }
  await tab.click('.tools [value=all]');
  await tab.click('.panel [name=show][value=questions]');
  await tab.click('.panel [name=arrange]:not([disabled])');
  await expect.poll(() => tab.text('.tools [value=publish]')).toBe('Publish (2)');
  await tab.click('.tools [value=publish]');
  await tab.click('.panel [name=publish]');
  await expect.poll(said).toContain('Published');
  expect(await (await fetch(desk.origin)).text()).toContain('Plus d’élan');
  await chooseHeadline(tab);
  await tab.click('.strip [name=ours]');
  await expect.poll(() => headline(tab)).toBe(hero.headline);
}

const headline = (tab: Tab) =>
  tab.run(() => document.querySelector('iframe')?.contentDocument?.querySelector('h1')?.textContent ?? '');

async function undone(tab: Tab): Promise<string> {
  await tab.run(() => document.querySelector('iframe')?.contentDocument?.execCommand('undo'));
  return headline(tab);
}

async function chooseHeadline(tab: Tab): Promise<void> {
  const choose = async () => {
    const [x, y] = await tab.run(() => {
      const frame = document.querySelector('iframe');
      // The page goes along with what she does beside it.
      frame?.contentWindow?.scrollTo({ top: 0, behavior: 'instant' });
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
