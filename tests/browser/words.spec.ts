import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import {
  test as base,
  expect,
  type FrameLocator,
  type Locator,
  type Page,
  type Request,
  type Route,
} from '@playwright/test';
import sharp from 'sharp';
import { PUBLISHED } from '../../publish/publish.ts';
import { founder } from '../../site/content/founder.ts';
import { hero } from '../../site/content/hero.ts';
import { packages } from '../../site/content/packages.ts';
import { questions } from '../../site/content/questions.ts';
import { price } from '../../site/ui/words.ts';
import { cookieFor, openDeskInCopy } from '../support/desk/open-desk-page.ts';
import { PHONE, visitorOf } from './visitor.ts';

/** A desk in a copy of the project, with its words as they came, on its page of words. */
const test = base.extend<
  { copy: string; words: string; site: FrameLocator },
  { desk: Awaited<ReturnType<typeof openDeskInCopy>> & { cookie: string } }
>({
  // One for many tests, since its start takes longer than most of them.
  desk: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from this pattern what a fixture needs
    async ({}, use) => {
      const desk = await openDeskInCopy();
      await use({ ...desk, cookie: await cookieFor(desk.link) });
      await desk.close();
    },
    { scope: 'worker' },
  ],
  copy: async ({ desk }, use) => {
    await rm(join(desk.copy, 'mine'), { recursive: true, force: true });
    // What another test published isn't a change of this one.
    await rm(join(desk.copy, 'dist', PUBLISHED), { force: true });
    await use(desk.copy);
  },
  words: async ({ copy: _, desk, context, page }, use) => {
    const [name = '', value = ''] = desk.cookie.split('=');
    await context.addCookies([{ name, value, url: desk.address }]);
    const onTheirWay = new Set<Request>();
    page.on('request', (request) => void onTheirWay.add(request));
    page.on('requestfinished', (request) => void onTheirWay.delete(request));
    page.on('requestfailed', (request) => void onTheirWay.delete(request));
    await page.goto(`${desk.address}/words`);
    await use(`${desk.address}/words`);
    // What's kept late, or as the page is left, would come into the words of the next test.
    await page.route('**/draft/**', (route) => route.abort());
    await expect.poll(() => onTheirWay.size).toBe(0);
    await page.goto('about:blank');
  },
  site: async ({ words: _, page }, use) => {
    const site = page.frameLocator('iframe');
    await expect(headline(site)).toHaveText(hero.headline);
    await use(site);
  },
});

// Wide enough for the page to be shown at its own size beside the panel, where Playwright can click into it.
test.use({ viewport: { width: 1900, height: 1000 } });

const headline = (site: FrameLocator) => site.locator('h1');
const asked = (site: FrameLocator) => site.locator('[aria-labelledby="questions-heading"] summary');
const panel = (page: Page) => page.getByRole('region', { name: 'Beside the page' });
/** In the panel. */
const button = (page: Page, name: string | RegExp) =>
  panel(page)
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first();
const strip = (page: Page) => page.getByRole('group', { name: 'What you’re typing in' });
const status = (page: Page) => strip(page).getByRole('status');
const toPublish = (page: Page) => page.getByRole('button', { name: /^Publish( \(|$)/ });
const KEPT = 'Kept in your draft';

/** For the next text to replace all of it. */
async function choose(page: Page, field: Locator): Promise<void> {
  await field.click();
  await page.keyboard.press('ControlOrMeta+A');
}

async function type(page: Page, field: Locator, text: string): Promise<void> {
  await choose(page, field);
  await page.keyboard.insertText(text);
  await page.keyboard.press('Enter');
}

/** What a part of the page has in her published words. */
async function published(copy: string, part: string): Promise<unknown> {
  const own = JSON.parse(await readFile(join(copy, 'mine/words.json'), 'utf8').catch(() => '{}'));
  return own[part];
}

/** Opens a part of the page's words beside it. */
async function openPart(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: 'All words', exact: true }).click();
  await button(page, name).click();
}

async function publish(page: Page): Promise<void> {
  await toPublish(page).click();
  await button(page, 'Publish now').click();
  await expect(strip(page)).toContainText('Published.');
}

test('a sentence typed on the page is hers until published, and taken back', async ({ page, site, copy }) => {
  const h1 = headline(site);
  await h1.click({ position: { x: 2, y: 20 } });
  await page.keyboard.type('We ');
  await page.keyboard.press('Enter');
  const typed = `We ${hero.headline}`;
  await expect(h1).toHaveText(typed);
  await expect(strip(page)).toContainText(KEPT);

  await h1.click();
  await page.keyboard.type(' Not this');
  await page.keyboard.press('Escape');
  await expect(h1).toHaveText(typed);

  await page.reload();
  await expect(h1, 'leaving loses nothing').toHaveText(typed);
  expect(await published(copy, 'hero'), 'visitors see nothing of it').toBeUndefined();

  await toPublish(page).click();
  await expect(panel(page).locator('del')).toHaveText(hero.headline);
  await expect(panel(page).locator('ins')).toHaveText(typed);
  await publish(page);
  expect(await published(copy, 'hero')).toEqual({ headline: typed });
  expect(await readFile(join(copy, 'dist/index.html'), 'utf8')).toContain(typed);

  const steps = panel(page).locator('details');
  await steps.first().locator('summary').click();
  await expect(steps.first().locator('ins')).toHaveText(typed);
  await steps.first().getByRole('button', { name: 'Take back' }).click();
  await expect(h1).toHaveText(hero.headline);
  expect(await published(copy, 'hero'), 'in her draft').toEqual({ headline: typed });
  page.once('dialog', (dialog) => dialog.accept());
  await button(page, 'Throw the draft away').click();
  await expect(h1).toHaveText(typed);
});

test('whatever is pasted is plain text of one line', async ({ page, site }) => {
  const h1 = headline(site);
  for (const [html, text, shown, said = KEPT] of [
    ['<p class="MsoNormal"><b>Lean</b>&nbsp;work</p>', 'Lean work\r\n\r\nfor all', 'Lean work for all'],
    ['<img src=x onerror=alert(1)>', '<b>not</b> bold', '<b>not</b> bold'],
    ['', 'נתקע? נתקן', 'נתקע? נתקן'],
    ['', 'Fixed 👷🏽‍♀️', 'Fixed 👷🏽‍♀️'],
    ['', 'x'.repeat(100_001), 'Fixed 👷🏽‍♀️', 'Headline: what you pasted is too long'],
  ] as const) {
    await choose(page, h1);
    await h1.evaluate(
      (element, [asHtml, asText]) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/html', asHtml);
        clipboardData.setData('text/plain', asText);
        const bubbles = true;
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles, cancelable: bubbles }));
      },
      [html, text] as const,
    );
    await page.keyboard.press('Enter');
    await expect(strip(page)).toContainText(said);
    await expect(h1).toHaveText(shown);
    await expect(h1.locator('*')).toHaveCount(0);
  }
});

test('a text that the page can’t have stays, marked, and goes back to ours', async ({ page, site, copy }) => {
  const h1 = headline(site);
  for (const [typed, why] of [
    ['x'.repeat(3_000), /60 characters/],
    ['', /./],
  ] as const) {
    await choose(page, h1);
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(typed);
    await page.keyboard.press('Enter');
    await expect(h1).toHaveAttribute('aria-invalid', 'true');
    await expect(status(page)).toHaveText(why);
    await page.reload();
    await expect(h1).toHaveText(typed);
    await expect(h1).toHaveAttribute('data-why', why);
    await toPublish(page).click();
    await expect(panel(page)).toContainText('Stays in your draft.');
    const answered = page.waitForResponse(/draft\/publish/);
    await button(page, 'Publish now').click();
    await answered;
    expect(await published(copy, 'hero')).toBeUndefined();
    await h1.focus();
    await strip(page).getByRole('button', { name: 'Take back' }).click();
    await expect(h1).toHaveText(hero.headline);
    await expect(h1).not.toHaveAttribute('aria-invalid');
  }
});

test('texts have the room that visitors see, those with unbroken phrases, too', async ({ page, site }) => {
  const [heading, story] = [site.locator('#founder-heading'), site.locator('#about-founder p').nth(1)];
  const [, written = ''] = founder.bio;
  await type(page, heading, 'One person. One plan.');
  await expect(heading.locator('span')).toHaveText(['One person.', 'One plan.']);
  await expect(story.locator('span')).not.toHaveCount(0);
  await story.click();
  await page.keyboard.type('Not this');
  await page.keyboard.press('Escape');
  await expect(story).toHaveText(written);

  const heights = (texts: Element[]) => texts.map((text) => text.getBoundingClientRect().height);
  const texts = site.locator('main [data-words]');
  const typed = await texts.evaluateAll(heights);
  await site.locator('[contenteditable]').evaluateAll((fields) => {
    for (const field of fields) field.removeAttribute('contenteditable');
  });
  expect(typed).toEqual(await texts.evaluateAll(heights));
});

test('an input method composes and undo goes back as in any field', async ({ page, site, context }) => {
  const h1 = headline(site);
  await choose(page, h1);
  const keyboard = await context.newCDPSession(page);
  const composed = { selectionStart: 3, selectionEnd: 3 };
  await keyboard.send('Input.imeSetComposition', { text: 'にほん', ...composed });
  await expect(toPublish(page), 'it’s kept, and the page is shown anew').toHaveText('Publish (1)');
  // These choose among what the method suggests.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await keyboard.send('Input.imeSetComposition', { text: '日本', selectionStart: 2, selectionEnd: 2 });
  await keyboard.send('Input.insertText', { text: '日本' });
  await expect(h1).toBeFocused();
  await expect(h1).toHaveText('日本');
  // Safari says only by this number that a key ended a composition.
  await h1.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
  await expect(h1).toBeFocused();

  await expect(strip(page)).toContainText(KEPT);
  await expect
    .poll(async () => {
      await page.keyboard.press('ControlOrMeta+Z');
      return h1.textContent();
    })
    .toBe(hero.headline);
  await expect(toPublish(page)).toHaveText('Publish');
});

for (const [how, end] of [
  ['late', (route: Route) => route.fallback()],
  ['never', (route: Route) => route.abort()],
] as const)
  test(`what’s typed while the desk answers ${how} is kept, and nothing older`, async ({ page, site }) => {
    await page.clock.install();
    await page.reload();
    await expect(headline(site)).toHaveText(hero.headline);
    const values: unknown[] = [];
    const isOver = Promise.withResolvers<void>();
    await page.route('**/draft/save*', async (route) => {
      if (values.push(route.request().postDataJSON().value) > 1) return route.fallback();
      await isOver.promise;
      await end(route);
    });
    await choose(page, headline(site));
    await page.keyboard.insertText('One');
    await page.clock.fastForward(1_000);
    await expect.poll(() => values).toEqual(['One']);
    await page.keyboard.insertText(' more');
    await page.keyboard.press('Enter');
    isOver.resolve();
    await expect(strip(page)).toContainText(KEPT);
    await page.clock.fastForward(10_000);
    await type(page, headline(site), 'Two');
    await expect.poll(() => values).toEqual(['One', 'One more', 'Two']);
    await expect(strip(page)).toContainText(KEPT);
    await page.reload();
    await expect(headline(site)).toHaveText('Two');
    await expect(headline(site)).not.toHaveAttribute('aria-invalid');
  });

test('what’s typed right before she leaves a slow desk is kept', async ({ words, context, desk }) => {
  const open = async () => {
    const tab = await context.newPage();
    await tab.goto(words);
    return { tab, h1: headline(tab.frameLocator('iframe')) };
  };
  const { tab, h1 } = await open();
  await choose(tab, h1);
  desk.freeze();
  const first = tab.waitForRequest('**/draft/save*');
  await tab.keyboard.insertText('One');
  await first;
  await tab.keyboard.insertText(' more');
  await tab.close({ runBeforeUnload: true });
  desk.thaw();
  const later = await open();
  await expect(later.h1).toHaveText('One more');
  await expect(later.h1).not.toHaveAttribute('aria-invalid');
});

test('what the desk can’t take yet stays typed, and is kept later', async ({ page, site, context }) => {
  const h1 = headline(site);
  const cookies = await context.cookies();
  for (const [cutOff, goOn, said] of [
    [() => context.setOffline(true), () => context.setOffline(false), 'is tried again'],
    [() => context.clearCookies(), () => context.addCookies(cookies), 'Sign in again'],
  ] as const) {
    await cutOff();
    await type(page, h1, said);
    await expect(strip(page)).toContainText(said);
    await expect(h1).toHaveText(said);
    await h1.click();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    await (await asked).dismiss();
    await goOn();
    await expect(strip(page)).toContainText(KEPT);
    await page.reload();
    await expect(h1).toHaveText(`${said}!`);
  }
});

test('nothing is claimed of a button before its answer', async ({ page, site, copy, context }) => {
  const isUnknown = () => expect(status(page)).toHaveText(/isn’t known: look again/);
  const isBack = () => expect(status(page)).toHaveText(/^The desk answers again/);
  await type(page, headline(site), 'Mine');
  await expect(toPublish(page)).toHaveText('Publish (1)');
  await toPublish(page).click();
  const loseAnswer = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  await page.route('**/draft/publish*', loseAnswer, { times: 1 });
  await button(page, 'Publish now').click();
  await isUnknown();
  await isBack();
  await expect(panel(page)).toContainText('Visitors see all words');
  expect(await published(copy, 'hero')).toEqual({ headline: 'Mine' });

  await type(page, headline(site), 'Mine too');
  await expect(toPublish(page)).toHaveText('Publish (1)');
  await page.route('**/draft/save*', (route) => route.abort());
  await type(page, headline(site), 'Mine at last');
  await toPublish(page).click();
  await button(page, 'Publish now').click();
  await expect(status(page)).toHaveText(/isn’t kept yet/);
  expect(await published(copy, 'hero'), 'not without what she typed last').toEqual({ headline: 'Mine' });
  await page.unroute('**/draft/save*');
  await expect(status(page)).toHaveText(/Kept in your draft/);
  await button(page, 'Publish now').click();
  await expect(panel(page)).toContainText('Visitors see all words');
  expect(await published(copy, 'hero')).toEqual({ headline: 'Mine at last' });

  await panel(page).locator('summary').first().click();
  const back = button(page, /^Take back/);
  await context.setOffline(true);
  await back.click();
  await isUnknown();
  await context.setOffline(false);
  await isBack();
  await expect(headline(site)).toHaveText('Mine at last');
  await page.route('**/draft/save*', (route) => route.fulfill({ status: 502 }), { times: 1 });
  await back.click();
  await isUnknown();
  await isBack();
});

test('a click sends nothing, and opens what’s put together, and numbers', async ({ page, site, words }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(words)) sent.push(request.url());
  });
  await site.locator('header').getByText('Packages', { exact: true }).first().click();
  await expect(panel(page).or(strip(page)).first()).toBeVisible();
  await expect(headline(site)).toHaveText(hero.headline);
  await site.getByText('Reply within', { exact: false }).first().click();
  await expect(panel(page).getByRole('textbox').filter({ hasText: '{reply}' }).first()).toBeVisible();
  await button(page, 'Change what {reply} says').click();
  await expect(panel(page).getByRole('textbox', { name: 'Reply within' })).toBeFocused();
  await button(page, 'Close').click();

  await site.locator('#blueprint-journey b').nth(1).click();
  const effort = panel(page).getByRole('textbox', { name: /Effort/ });
  await expect(effort.first()).toBeFocused();

  const [{ price: first = 0 } = {}] = packages.items;
  await site.locator('#blueprint-journey').getByText(price(first)).first().click();
  const field = panel(page).getByRole('textbox', { name: /Price/ }).first();
  await expect(field).toHaveText(String(first));
  await type(page, field, '1,999');
  await expect(site.getByText('$1,999').first()).toBeVisible();
  await type(page, field, 'cheap');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(status(page)).toContainText('whole number');
  await expect(field).toHaveText('cheap');
  await expect(site.getByText('$1,999').first()).toBeVisible();
  expect(sent).toEqual([]);
});

test('lists are arranged by keyboard, and no package need be most popular', async ({ page, site }) => {
  const ours = questions.items.map(({ question }) => question);
  const press = async (name: string | RegExp) => {
    await button(page, name).focus();
    await page.keyboard.press('Enter');
  };
  await page.getByRole('button', { name: 'All words' }).focus();
  await page.keyboard.press('Enter');
  await press(/^Questions/);
  await press(/^Add to/);
  await expect(asked(site)).toHaveCount(ours.length + 1);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('Is it new?');
  await page.keyboard.press('Enter');
  await expect(asked(site).last()).toHaveText('Is it new?');
  // The page goes along.
  await expect(asked(site).last()).toBeInViewport();
  await press('Move up: Is it new?');
  await expect(asked(site).nth(ours.length - 1)).toHaveText('Is it new?');
  await press('Remove: Is it new?');
  await expect(asked(site)).toHaveText(ours);
  await expect(button(page, 'Put it back')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(asked(site).nth(ours.length - 1)).toHaveText('Is it new?');
  await press('Remove: Is it new?');
  await expect(asked(site)).toHaveText(ours);
  // What's typed elsewhere in the list right before stays.
  await choose(page, asked(site).first());
  await page.keyboard.type('Is it old?');
  await button(page, 'Put it back').click();
  await expect(asked(site).nth(ours.length - 1)).toHaveText('Is it new?');
  await expect(asked(site).first()).toHaveText('Is it old?');

  await press(/^← All words/);
  await press(/^Packages/);
  await press(/^Add to/);
  await expect(site.locator('#blueprint-journey article')).toHaveCount(packages.items.length + 1);
  const popular = panel(page).getByRole('checkbox', { name: /popular/i });
  const label = site.getByText(packages.popularLabel, { exact: true });
  await expect(label).toHaveCount(1);
  const was = packages.items.findIndex((one) => one.popular);
  await panel(page)
    .locator('summary', { hasText: packages.items[was]?.title ?? '' })
    .focus();
  await page.keyboard.press('Enter');
  await popular.locator('visible=true').first().focus();
  await page.keyboard.press('Space');
  await expect(label).toHaveCount(0);
});

test('an entry isn’t moved while a text in it isn’t kept', async ({ page, site }) => {
  const move = (title = '') => button(page, `Move down: ${title}`).click();
  await openPart(page, /^Questions/);
  const cutOff = Promise.withResolvers<void>();
  const abort = async (route: Route) => {
    await cutOff.promise;
    await route.abort();
  };
  await page.route('**/draft/save*', abort, { times: 1 });
  await type(page, asked(site).first(), 'Is it old?');
  await move(questions.items[0]?.question);
  cutOff.resolve();
  await expect(strip(page)).toContainText('isn’t kept yet');
  await expect(strip(page)).toContainText(KEPT);
  await expect(asked(site).first()).toHaveText('Is it old?');
  await move('Is it old?');
  await expect(asked(site).nth(1)).toHaveText('Is it old?');
  await expect(asked(site).nth(0)).toHaveText(questions.items[1]?.question ?? '');
});

test('the sections of a long policy are arranged, too', async ({ page, copy, words }) => {
  const paragraphs = Array(10).fill('I keep what you send me for as long as it takes. '.repeat(20));
  const sections = ['One', 'Two', 'Three', 'Four'].map((heading) => ({ heading, paragraphs }));
  await mkdir(join(copy, 'mine'), { recursive: true });
  await writeFile(join(copy, 'mine/words.json'), JSON.stringify({ privacy: { sections } }));
  await page.goto(words);
  await openPart(page, 'Privacy policy');
  await button(page, 'Move down: One').click();
  await expect(button(page, /^Move up/)).toHaveAccessibleName('Move up: Two');
});

test('all words, also those that don’t show, are found and typed beside it', async ({ page, site }) => {
  await page.getByRole('button', { name: 'All words' }).click();
  await page.getByRole('searchbox', { name: 'Find words' }).fill(hero.headline.slice(0, 12));
  await button(page, /Headline/).click();
  await type(page, panel(page).getByRole('textbox', { name: /Headline/ }), 'Found');
  await expect(headline(site)).toHaveText('Found');
  await page.getByRole('combobox', { name: 'Page' }).selectOption('Page not found');
  await type(page, headline(site), 'Nothing here.');
  await expect(strip(page)).toContainText(KEPT);
});

test('of two devices in the same words, the second is asked', async ({ page, site, words, context }) => {
  const other = await context.newPage();
  await other.goto(words);
  const otherSite = other.frameLocator('iframe');
  await expect(headline(otherSite)).toHaveText(hero.headline);
  await headline(otherSite).click();
  await type(page, headline(site), 'From the desktop');
  await expect(strip(page)).toContainText(KEPT);

  await type(other, headline(otherSite), 'From the phone');
  await expect(headline(otherSite)).toHaveText('From the phone');
  await expect(strip(other)).toContainText('this is now “From the desktop”');
  await expect(headline(otherSite)).toHaveText('From the phone');
  await other.route('**/draft/save*', (route) => route.abort());
  const isLost = other.waitForEvent('requestfailed');
  await type(other, headline(otherSite), 'From the phone, at last');
  await isLost;
  await strip(other).getByRole('button', { name: 'Keep mine' }).click();
  await other.unroute('**/draft/save*');
  await expect(strip(other)).toContainText(KEPT);
  // As when she comes back to it.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect(headline(site)).toHaveText('From the phone, at last');

  await headline(site).click();
  await type(other, headline(otherSite), 'From the phone again');
  await expect(strip(other)).toContainText(KEPT);
  await type(page, headline(site), 'From the desktop again');
  await strip(page).getByRole('button', { name: 'Take that one' }).click();
  await expect(headline(site)).toHaveText('From the phone again');
});

test('a double click counts once, and what’s pressed meanwhile isn’t done', async ({ page, site, copy }) => {
  const h1 = headline(site);
  await type(page, h1, 'Mine');
  await expect(strip(page)).toContainText(KEPT);
  await toPublish(page).click();
  await button(page, 'Publish now').dblclick();
  await expect(strip(page)).toContainText('Published.');
  await expect(panel(page)).toContainText('Visitors see all words');
  await expect(strip(page), 'still').toContainText('Published.');
  expect(await published(copy, 'hero')).toEqual({ headline: 'Mine' });

  const [first = '', ...others] = questions.items.map(({ question }) => question);
  await openPart(page, /^Questions/);
  const saves = await visitorOf(page).holdBack('**/draft/save*');
  await button(page, `Remove: ${first}`).click();
  await expect.poll(saves.count).toBe(1);
  await button(page, `Remove: ${others[0]}`).click();
  saves.release();
  await expect(asked(site)).toHaveText(others);
  await button(page, `Remove: ${others[0]}`).dblclick();
  await expect(asked(site)).toHaveText(others.slice(1));
  await button(page, 'Put it back').click();
  await expect(asked(site)).toHaveText(others);
});

test('a photo is turned, made small and bare, or refused', async ({ page, site, copy, context }) => {
  const [photo, unread] = [join(copy, 'holiday.jpg'), join(copy, 'photo.heic')];
  await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#884422' } })
    .jpeg()
    .withExif({ IFD0: { Make: 'A camera' }, IFD3: { GPSLatitude: '43/1 39/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toFile(photo);
  await writeFile(unread, 'ftypheic');
  await site.locator('h1').evaluate((element) => element.scrollIntoView());
  const drag = await context.newCDPSession(page);
  const data = { items: [], files: [photo], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await drag.send('Input.dispatchDragEvent', { type, x: 900, y: 600, data });
  await expect(strip(page)).toContainText('in your draft');
  await expect(site.locator('#about-founder img')).toHaveAttribute('src', /photos/);
  await publish(page);
  const { width, height, exif } = await sharp(join(copy, 'mine/founder.jpg')).metadata();
  expect([width, height, exif]).toEqual([1500, 2000, undefined]);

  await site.locator('#about-founder img').first().click();
  await expect(panel(page).getByLabel('Your photo', { exact: true })).toBeFocused();
  await panel(page).getByLabel('Your photo', { exact: true }).setInputFiles(unread);
  await expect(strip(page)).toContainText('JPEG');
});

test('what keeps the page from being published is said', async ({ page, site, copy }) => {
  await mkdir(join(copy, 'mine'));
  await writeFile(join(copy, 'mine/words.json'), '{"hero": {"hedline": "By hand"}}');
  await type(page, headline(site), 'Not yet');
  await expect(strip(page)).toContainText(KEPT);
  await toPublish(page).click();
  await button(page, 'Publish now').click();
  await expect(strip(page)).toContainText('hedline');
});

for (const [colorScheme, viewport] of [
  ['light', PHONE],
  ['dark', { width: 1280, height: 800 }],
] as const)
  test(`axe finds no barrier at ${viewport.width} pixels, if it’s ${colorScheme}`, async ({ page, site }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await type(page, headline(site), 'x'.repeat(61));
    await expect(headline(site)).toHaveAttribute('aria-invalid', 'true');
    for (const show of [toPublish(page), page.getByRole('button', { name: 'All words' }).first()]) {
      await show.click();
      // In the frame, headings and links are fields; it has landmarks of its own.
      const builder = new AxeBuilder({ page }).disableRules([
        'aria-allowed-role',
        'heading-order',
        'landmark-unique',
      ]);
      const { violations } = await builder.analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
  });
