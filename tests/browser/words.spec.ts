import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type Page, type Route } from '@playwright/test';
import sharp from 'sharp';
import { recordOf } from '../../publish/publish.ts';
import { founder } from '../../site/content/founder.ts';
import { hero } from '../../site/content/hero.ts';
import { packages } from '../../site/content/packages.ts';
import { questions } from '../../site/content/questions.ts';
import { price } from '../../site/ui/words.ts';
import { cookieFor, openDeskInCopy } from '../support/desk/open-desk-page.ts';
import { PHONE, visitorOf } from './visitor.ts';

/** A desk in a copy of the project, with its words as they came, on its page of words. */
const test = base.extend<{ editor: Editor }, { desk: Desk }>({
  // One for many tests, since its start takes longer than most of them.
  desk: [
    async ({ browserName: _ }, use) => {
      const desk = await openDeskInCopy();
      await use({ ...desk, cookie: await cookieFor(desk.link) });
      await desk.close();
    },
    { scope: 'worker' },
  ],
  editor: async ({ desk, context, page }, use) => {
    await rm(join(desk.copy, 'mine'), { recursive: true, force: true });
    // What another test published isn't this one's change.
    await rm(await recordOf(join(desk.copy, 'dist')), { force: true });
    const [name = '', value = ''] = desk.cookie.split('=');
    await context.addCookies([{ name, value, url: desk.address }]);
    const editor = editorOn(page, desk);
    await editor.open();
    await use(editor);
    // What's kept late, or as the page is left, would get into the next test's words.
    await page.route('**/draft/**', (route) => route.abort());
    for (const request of await page.requests()) await request.response();
    await page.goto('about:blank');
  },
});

// Wide enough to show the page at its own size beside the panel, so that Playwright can click into it.
test.use({ viewport: { width: 1900, height: 1000 } });

const KEPT = 'Kept in your draft';
const SAVES = '**/draft/save*';
const QUESTIONS = questions.items.map(({ question }) => question);

type Desk = Awaited<ReturnType<typeof openDeskInCopy>> & { cookie: string };
type Editor = ReturnType<typeof editorOn>;

function editorOn(page: Page, { address, copy }: Pick<Desk, 'address' | 'copy'>) {
  const site = page.frameLocator('iframe');
  const h1 = site.locator('h1');
  const panel = page.getByRole('region', { name: 'Beside the page' });
  const strip = page.getByRole('group', { name: 'What you’re typing in' });
  const toPublish = page.getByRole('button', { name: /^Publish( \(|$)/ });

  const button = (name: string | RegExp) =>
    panel.getByRole('button', { name, exact: typeof name === 'string' }).first();

  async function choose(field = h1): Promise<void> {
    await field.click();
    await page.keyboard.press('ControlOrMeta+A');
  }

  return {
    site,
    h1,
    asked: site.locator('[aria-labelledby="questions-heading"] summary'),
    panel,
    strip,
    status: strip.getByRole('status'),
    toPublish,
    button,
    choose,
    address: `${address}/words`,

    async open(): Promise<void> {
      await page.goto(`${address}/words`);
      await expect(h1).toHaveText(hero.headline);
    },

    async type(text: string, field = h1): Promise<void> {
      await choose(field);
      await page.keyboard.insertText(text);
      await page.keyboard.press('Enter');
    },

    expectKept: () => expect(strip).toContainText(KEPT),

    async openPart(name: string | RegExp): Promise<void> {
      await page.getByRole('button', { name: 'All words', exact: true }).click();
      await button(name).click();
    },

    async publish(said = 'Published.'): Promise<void> {
      await toPublish.click();
      await button('Publish now').click();
      await expect(strip).toContainText(said);
    },

    async published(part: string): Promise<unknown> {
      const own = JSON.parse(await readFile(join(copy, 'mine/words.json'), 'utf8').catch(() => '{}'));
      return own[part];
    },
  };
}

test('a sentence typed on the page is hers until published', async ({ page, editor, desk }) => {
  await editor.h1.click({ position: { x: 2, y: 20 } });
  await page.keyboard.type('We ');
  await page.keyboard.press('Enter');
  const typed = `We ${hero.headline}`;
  await expect(editor.h1).toHaveText(typed);
  await editor.expectKept();

  await editor.h1.click();
  await page.keyboard.type(' Not this');
  await page.keyboard.press('Escape');
  await expect(editor.h1).toHaveText(typed);

  await page.reload();
  await expect(editor.h1, 'leaving loses nothing').toHaveText(typed);
  expect(await editor.published('hero'), 'visitors see nothing of it').toBeUndefined();

  await editor.toPublish.click();
  await expect(editor.panel.locator('del')).toHaveText(hero.headline);
  await expect(editor.panel.locator('ins')).toHaveText(typed);
  await editor.publish();
  expect(await editor.published('hero')).toEqual({ headline: typed });
  expect(await readFile(join(desk.copy, 'dist/index.html'), 'utf8')).toContain(typed);

  const steps = editor.panel.locator('details');
  await expect(steps.first().locator('summary')).toContainText('Headline');
  await steps.first().locator('summary').click();
  await expect(steps.first().locator('ins')).toHaveText(typed);
  await steps.first().getByRole('button', { name: 'Undo' }).click();
  await expect(editor.h1).toHaveText(hero.headline);
  expect(await editor.published('hero'), 'in her draft').toEqual({ headline: typed });
  page.once('dialog', (dialog) => dialog.accept());
  await editor.button('Throw the draft away').click();
  await expect(editor.h1).toHaveText(typed);
  await expect(editor.strip.locator('b'), 'it’s said of all of it').toBeEmpty();
});

test('whatever is pasted is plain text of one line', async ({ page, editor }) => {
  for (const [html, text, shown, said = KEPT] of [
    ['<p class="MsoNormal"><b>Lean</b>&nbsp;work</p>', 'Lean\vwork\r\n\r\nfor\u2028all', 'Lean work for all'],
    ['<img src=x onerror=alert(1)>', '<b>not</b> bold', '<b>not</b> bold'],
    ['', 'נתקע? נתקן', 'נתקע? נתקן'],
    ['', 'Fixed 👷🏽‍♀️', 'Fixed 👷🏽‍♀️'],
    ['<img src="photo.png">', '', 'Fixed 👷🏽‍♀️', 'Headline'],
    ['', 'x'.repeat(100_001), 'Fixed 👷🏽‍♀️', 'Headline: what you pasted is too long'],
    ['', 'Prêt ? « Oui »', 'Prêt\u00a0? «\u00a0Oui\u00a0»'],
  ] as const) {
    await editor.choose();
    await editor.h1.evaluate(
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
    await expect(editor.strip).toContainText(said);
    await expect.poll(() => editor.h1.textContent()).toBe(shown);
    await expect(editor.h1.locator('*')).toHaveCount(0);
    await expect(editor.h1).toHaveAttribute('translate', 'no');
  }
});

test('what can’t be published stays marked, and is undone or named', async ({ page, editor, desk }) => {
  await editor.choose();
  await page.keyboard.press('Delete');
  await page.keyboard.press('Enter');
  await expect(editor.h1).toHaveAttribute('aria-invalid', 'true');
  await expect(editor.status).toHaveText('This is empty.');
  await page.reload();
  await expect(editor.h1).toHaveText('');
  await expect(editor.h1).toHaveAttribute('data-why', 'This is empty.');
  await editor.publish('Published, except for what stays in your draft.');
  await editor.toPublish.click();
  await expect(editor.panel).toContainText('Top of the page: Headline Stays in your draft');
  await editor.h1.focus();
  await editor.strip.getByRole('button', { name: 'Undo' }).click();
  await expect(editor.h1).toHaveText(hero.headline);
  await expect(editor.h1).not.toHaveAttribute('aria-invalid');

  await writeFile(join(desk.copy, 'mine/words.json'), '{"hero": {"hedline": "By hand"}}');
  await editor.type('Not yet');
  await editor.expectKept();
  await editor.publish('hedline');
  await writeFile(join(desk.copy, 'mine/words.json'), '{"hero": {"facts": "By hand"}}');
  await page.reload();
  await expect(editor.status).toContainText('line 1: hero → facts must be a list');
});

test('a text’s outcome is reported under its name, wherever she is by then', async ({ page, editor }) => {
  // Its first text has the focus.
  await editor.openPart('Packages and prices');
  await editor.button(/^Remove: The Automation/).click();
  await editor.expectKept();
  await expect(editor.strip.locator('b')).toHaveText('Packages');

  await editor.panel.locator('summary').first().click();
  await editor.choose(editor.panel.locator('[id="packages.items.0.price"]'));
  await page.keyboard.insertText('a lot');
  await page.keyboard.press('Tab');
  await expect(editor.status).toContainText('Price: This must be a whole number');
});

test('what she goes to is in view, and a page that she picks isn’t covered', async ({ page, editor }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await editor.openPart('Packages and prices');
  await expect(editor.site.locator('#blueprint-journey h2 + p')).toBeInViewport({ ratio: 1 });
  await editor.button('Add to “Packages”').click();
  await expect(editor.site.locator('#blueprint-journey h3').nth(3)).toBeInViewport();
  await editor.button('Close').click();
  await editor.asked.first().click();
  await editor.strip.getByRole('button', { name: /^Arrange/ }).click();
  await expect(editor.panel.locator('summary').first()).toBeFocused();
  await expect(page.locator('iframe'), 'all of its width').toBeInViewport({ ratio: 0.99 });

  await page.setViewportSize(PHONE);
  await page.getByRole('combobox', { name: 'Page' }).selectOption('Terms');
  await expect(editor.h1).toHaveText('Terms and conditions');
  await expect(editor.panel).toBeHidden();
  await editor.openPart(/^Terms/);
  await editor.h1.focus();
  await expect(editor.panel, 'over what has the focus').toBeHidden();
});

test('texts have the room that visitors see, those with unbroken phrases, too', async ({ page, editor }) => {
  const [heading, story] = [
    editor.site.locator('#founder-heading'),
    editor.site.locator('#about-founder p').nth(1),
  ];
  const [, written = ''] = founder.bio;
  await editor.type('One person. One plan.', heading);
  await expect(heading.locator('span')).toHaveText(['One person.', 'One plan.']);
  await expect(story.locator('span')).not.toHaveCount(0);
  await story.click();
  await page.keyboard.type('Not this');
  await page.keyboard.press('Escape');
  await expect(story).toHaveText(written);

  const heights = (texts: Element[]) => texts.map((text) => text.getBoundingClientRect().height);
  const texts = editor.site.locator('main [data-words]');
  const typed = await texts.evaluateAll(heights);
  await editor.site.locator('[contenteditable]').evaluateAll((fields) => {
    for (const field of fields) field.removeAttribute('contenteditable');
  });
  expect(typed).toEqual(await texts.evaluateAll(heights));
});

test('an input method composes and undo goes back as in any field', async ({ page, context, editor }) => {
  await editor.choose();
  const keyboard = await context.newCDPSession(page);
  const composed = { selectionStart: 3, selectionEnd: 3 };
  await keyboard.send('Input.imeSetComposition', { text: 'にほん', ...composed });
  await expect(editor.toPublish, 'it’s kept, and the page is shown anew').toHaveText('Publish (1)');
  // These keys choose among the method's suggestions.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await keyboard.send('Input.imeSetComposition', { text: '日本', selectionStart: 2, selectionEnd: 2 });
  await keyboard.send('Input.insertText', { text: '日本' });
  await expect(editor.h1).toBeFocused();
  await expect(editor.h1).toHaveText('日本');
  // Safari reports only by this number that a key ended a composition.
  await editor.h1.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
  await expect(editor.h1).toBeFocused();

  await editor.expectKept();
  await expect
    .poll(async () => {
      await page.keyboard.press('ControlOrMeta+Z');
      return editor.h1.textContent();
    })
    .toBe(hero.headline);
  await expect(editor.toPublish).toHaveText('Publish');
});

async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

test('the last text typed while the desk is slow or failing is kept', async ({ page, editor }) => {
  const values: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/draft/save')) values.push(request.postDataJSON().value);
  });
  const saves = await visitorOf(page).holdBack(SAVES);
  await editor.choose();
  await page.keyboard.insertText('One');
  await expect.poll(() => values).toEqual(['One']);
  await page.keyboard.insertText(' more');
  await page.keyboard.press('Enter');
  saves.release();
  await editor.expectKept();
  await editor.type('Two');
  await expect.poll(() => values).toEqual(['One', 'One more', 'Two']);
  await editor.expectKept();

  let isLost = true;
  await page.route(SAVES, (route) => (isLost ? loseAnswer(route) : route.fallback()));
  await editor.type('Three');
  await expect(editor.strip).toContainText('will be sent again');
  isLost = false;
  await editor.type('Four');
  await editor.expectKept();
  await page.reload();
  await expect(editor.h1).toHaveText('Four');
  await expect(editor.h1, 'that isn’t another device’s').not.toHaveAttribute('aria-invalid');
});

test('what’s typed last stays on the page, even if its save overtakes another', async ({ page, editor }) => {
  const first = Promise.withResolvers<void>();
  const holdBack = (route: Route) => first.promise.then(() => route.fallback());
  await page.route(SAVES, holdBack, { times: 1 });
  await editor.choose();
  const isSent = page.waitForRequest(SAVES);
  await page.keyboard.insertText('One');
  await isSent;
  await page.keyboard.insertText(' more');
  const isTaken = page.waitForResponse(SAVES);
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  await isTaken;
  first.resolve();
  await editor.expectKept();
  await expect(editor.h1).toHaveText('One more');
  await page.reload();
  await expect(editor.h1).toHaveText('One more');
  await expect(editor.h1).not.toHaveAttribute('aria-invalid');
});

test('a text that’s changed back while the desk is slow is kept as it is by then', async ({
  page,
  editor,
}) => {
  const saves = await visitorOf(page).holdBack(SAVES);
  await editor.choose();
  await page.keyboard.insertText('One more');
  await expect.poll(saves.count).toBe(1);
  await page.keyboard.press('Backspace');
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  await expect.poll(saves.count).toBe(2);
  await page.keyboard.insertText('e');
  saves.release();
  await expect.poll(saves.count).toBe(3);
  await expect(async () => {
    await page.reload();
    await expect(editor.h1).toHaveText('One more', { timeout: 2000 });
  }).toPass();
});

// Phones don't fire the first, and overloaded machines may not fire the others.
for (const unsaid of [['beforeunload'], ['pagehide', 'visibilitychange']])
  test(`what’s typed right before she leaves a slow desk is kept, without ${unsaid[0]}`, async ({
    page,
    desk,
    editor,
  }) => {
    await page.addInitScript((names) => {
      for (const name of names)
        addEventListener(name, (event) => event.stopImmediatePropagation(), { capture: true });
    }, unsaid);
    await editor.open();
    await editor.choose();
    desk.freeze();
    const first = page.waitForRequest(SAVES);
    await page.keyboard.insertText('One');
    await first;
    await page.keyboard.insertText(' more');
    await page.goto('about:blank');
    desk.thaw();
    // On its own connection, it may arrive a little after the page that asks for the draft.
    await expect(async () => {
      await page.goto(editor.address);
      await expect(editor.h1).toHaveText('One more', { timeout: 2000 });
    }).toPass();
    await expect(editor.h1).not.toHaveAttribute('aria-invalid');
  });

test('what the desk can’t take yet stays typed, and is kept later', async ({ page, desk, editor }) => {
  const context = page.context();
  const signIn = async () => {
    const tab = await context.newPage();
    await tab.goto(await desk.newLink());
    await tab.getByRole('button').click();
  };
  const madeRoom = new AbortController();
  const refuse = async (route: Route) => {
    if (madeRoom.signal.aborted) return route.fallback();
    const state = await route.fetch({ url: `${editor.address}/draft/state`, method: 'GET' });
    await route.fulfill({ json: { ...(await state.json()), error: 'No room' } });
  };
  for (const [cutOff, goOn, said] of [
    [() => context.setOffline(true), () => context.setOffline(false), 'sent again'],
    [() => context.clearCookies(), signIn, 'Sign in again'],
    [() => page.route('**/save*', refuse), () => madeRoom.abort(), 'No room'],
    [() => desk.freeze(), () => desk.thaw(), 'hasn’t answered yet'],
  ] as const) {
    await cutOff();
    await editor.type(said);
    await expect(editor.strip).toContainText(said);
    await expect(editor.h1).toHaveText(said);
    await editor.h1.click();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    await (await asked).dismiss();
    await goOn();
    await editor.expectKept();
    await page.reload();
    await expect(editor.h1).toHaveText(`${said}!`);
  }
});

test('a press isn’t lost if what’s around it changes before it ends', async ({ page, editor }) => {
  const [, second = '', ...others] = QUESTIONS;
  await editor.openPart(/^Questions/);
  const saves = await visitorOf(page).holdBack(SAVES);
  await editor.choose(editor.asked.first());
  await page.keyboard.insertText('Mine');
  await editor.button(/^Move down/).hover();
  await page.mouse.down();
  await expect.poll(saves.count).toBe(1);
  const isAnswered = page.waitForResponse(SAVES);
  saves.release();
  await (await isAnswered).finished();
  for (let frame = 0; frame < 5; frame += 1) await page.evaluate(() => new Promise(requestAnimationFrame));
  await page.mouse.up();
  await expect(editor.asked).toHaveText([second, 'Mine', ...others]);
});

test('nothing is claimed about a button before its answer', async ({ page, editor }) => {
  await editor.type('Mine');
  await expect(editor.toPublish).toHaveText('Publish (1)');
  await editor.toPublish.click();
  await page.route('**/draft/publish*', loseAnswer, { times: 1 });
  await editor.button('Publish now').click();
  await expect(editor.status).toHaveText(/may have been done: check once/);
  await expect(editor.status).toHaveText(/^The desk is answering again/);
  await expect(editor.panel).toContainText('Nothing in your draft');
  expect(await editor.published('hero')).toEqual({ headline: 'Mine' });

  await editor.type('Mine too');
  await expect(editor.toPublish).toHaveText('Publish (1)');
  await page.route(SAVES, (route) => route.fulfill({ status: 502 }));
  await editor.type('Mine at last');
  await expect(editor.strip).toContainText('will be sent again');
  await editor.publish('isn’t in your draft yet');
  expect(await editor.published('hero'), 'not without what she typed last').toEqual({ headline: 'Mine' });
  await page.unroute(SAVES);
  await expect(editor.status).toHaveText(/Kept in your draft/);
  await editor.button('Publish now').click();
  await expect(editor.panel).toContainText('Nothing in your draft');
  expect(await editor.published('hero')).toEqual({ headline: 'Mine at last' });
});

test('a click sends nothing, and opens what’s put together, and numbers', async ({ page, editor }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(editor.address)) sent.push(request.url());
  });
  await editor.site.locator('header').getByText('Packages', { exact: true }).first().click();
  await expect(editor.panel.or(editor.strip).first()).toBeVisible();
  await expect(editor.h1).toHaveText(hero.headline);
  await editor.site.getByText('Reply within', { exact: false }).first().click();
  await expect(editor.panel.getByRole('textbox').filter({ hasText: '{reply}' }).first()).toBeVisible();
  await editor.button('Change what {reply} says').click();
  await expect(editor.panel.getByRole('textbox', { name: 'Reply within' })).toBeFocused();
  await editor.button('Close').click();

  await editor.site.locator('#blueprint-journey b').nth(1).click();
  const effort = editor.panel.getByRole('textbox', { name: /Effort/ });
  await expect(effort.first()).toBeFocused();

  const [{ price: first = 0 } = {}] = packages.items;
  await editor.site.locator('#blueprint-journey').getByText(price(first)).first().click();
  const field = editor.panel.getByRole('textbox', { name: /Price/ }).first();
  await expect(field).toHaveText(String(first));
  await editor.type('1,999', field);
  await expect(editor.site.getByText('$1,999').first()).toBeVisible();
  expect(sent).toEqual([]);
});

test('whatever is pressed, the focus stays where she is', async ({ page, editor }) => {
  await editor.type('Mine');
  await editor.h1.click();
  await editor.strip.getByRole('button', { name: 'Back to the original' }).click();
  await expect(editor.h1).toBeFocused();
  await editor.type('Mine');
  await editor.toPublish.click();
  await editor.button(/^Undo:/).click();
  await expect(editor.panel.getByRole('heading', { name: 'Publish' })).toBeFocused();
  await page.keyboard.press('Escape');
  const step = editor.site.locator('#process-overview label').first();
  await expect(step, 'what Enter opens is a button').toHaveRole('button');
  await step.press('Enter');
  await editor.button('Close').click();
  await expect(step).toBeFocused();
});

test('a second press moves the same entry; a page that isn’t ready says why', async ({ page, editor }) => {
  await editor.openPart(/^Questions/);
  const down = editor.button(/^Move down/);
  const box = await down.boundingBox();
  for (const at of [1, 2]) {
    await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
    await expect(editor.asked.nth(at)).toHaveText(QUESTIONS[0] ?? '');
  }
  await page.getByLabel('Page', { exact: true }).selectOption('Terms');
  await editor.strip.getByRole('button', { name: 'Show to visitors' }).click();
  await expect(editor.status).toContainText('until these are filled in');
});

test('lists are arranged by keyboard, and no package has to be popular', async ({ page, editor }) => {
  const press = async (name: string | RegExp) => {
    await editor.button(name).focus();
    await page.keyboard.press('Enter');
  };
  await page.getByRole('button', { name: 'All words' }).focus();
  await page.keyboard.press('Enter');
  await press(/^Questions/);
  await press(/^Add to/);
  await expect(editor.asked).toHaveCount(QUESTIONS.length + 1);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('Is it new?');
  await page.keyboard.press('Enter');
  await expect(editor.asked.last()).toHaveText('Is it new?');
  await expect(editor.asked.last()).toBeInViewport();
  await press('Move up: Is it new?');
  await expect(editor.asked.nth(QUESTIONS.length - 1)).toHaveText('Is it new?');
  await editor.expectKept();
  await press('Remove: Is it new?');
  await expect(editor.asked).toHaveText(QUESTIONS);
  await expect(editor.button(/^Put it back/)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(editor.asked.nth(QUESTIONS.length - 1)).toHaveText('Is it new?');
  await press('Remove: Is it new?');
  await expect(editor.asked).toHaveText(QUESTIONS);
  // Text typed elsewhere in the list right before stays.
  await editor.choose(editor.asked.first());
  await page.keyboard.type('Is it old?');
  await editor.button(/^Put it back/).click();
  await expect(editor.asked.nth(QUESTIONS.length - 1)).toHaveText('Is it new?');
  await expect(editor.asked.first()).toHaveText('Is it old?');

  await press(/^← All words/);
  await press(/^Packages/);
  await press(/^Add to/);
  await expect(editor.site.locator('#blueprint-journey article')).toHaveCount(packages.items.length + 1);
  const popular = editor.panel.getByRole('checkbox', { name: /popular/i });
  const label = editor.site.getByText(packages.popularLabel, { exact: true });
  await expect(label).toHaveCount(1);
  const was = packages.items.findIndex((one) => one.popular);
  await editor.panel.locator('summary', { hasText: packages.items[was]?.title ?? '' }).focus();
  await page.keyboard.press('Enter');
  const box = popular.locator('visible=true').first();
  await box.focus();
  const saves = await visitorOf(page).holdBack(SAVES);
  await page.keyboard.press('Space');
  await expect.poll(saves.count).toBe(1);
  await expect(box, 'while it’s being kept').not.toBeChecked();
  saves.release();
  await expect(label).toHaveCount(0);
  // Even if a whole list differs, she sees what differs in an entry.
  await editor.toPublish.click();
  const title = packages.items[was]?.title ?? '';
  await expect(editor.panel.locator('del', { hasText: title })).toContainText(`${title} (Most popular: yes)`);
  await expect(editor.panel.locator('ins', { hasText: title })).toContainText(`${title} (Most popular: no)`);
});

test('a new entry takes its question and its answer in one go', async ({ page, editor }) => {
  await editor.openPart(/^Questions/);
  await editor.button(/^Add to/).click();
  await expect(editor.status).toContainText('New: a copy');
  for (const [text, then] of [
    ['Is it new?', 'Tab'],
    ['It is.', 'Enter'],
  ] as const) {
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(text);
    await page.keyboard.press(then);
  }
  await editor.toPublish.click();
  await expect(editor.panel.locator('ins')).toContainText('It is.');
  await editor.publish();
  expect(await editor.published('questions')).toMatchObject({
    items: expect.arrayContaining([{ question: 'Is it new?', answer: 'It is.' }]),
  });
});

test('a list without entries takes new ones, and leaves no heading', async ({ editor }) => {
  await editor.openPart(/^Questions/);
  for (const question of QUESTIONS) {
    await editor.button(`Remove: ${question}`).click();
    await expect(editor.asked.getByText(question)).toHaveCount(0);
  }
  await expect(editor.site.getByText(questions.heading)).toHaveCount(0);
  await editor.button(/^Add to/).click();
  await expect(editor.asked).toHaveText(QUESTIONS.at(-1) ?? '');
});

test('if she types elsewhere while an entry is added, she stays there', async ({ page, editor }) => {
  await editor.openPart(/^Questions/);
  const saves = await visitorOf(page).holdBack(SAVES);
  await editor.button(/^Add to/).click();
  await expect.poll(saves.count).toBe(1);
  await editor.asked.first().click();
  saves.release();
  await expect(editor.status).toContainText('New: a copy');
  await expect(editor.asked.first()).toBeFocused();
});

test('a step isn’t undone where another entry is by now', async ({ editor }) => {
  const [first, second] = questions.items;
  await editor.openPart(/^Questions/);
  await editor.panel.locator('summary', { hasText: first?.question ?? '' }).click();
  const texts = editor.panel.locator('details[open]').getByRole('textbox');
  await texts.last().fill(second?.answer ?? '');
  await editor.expectKept();
  await editor.publish();
  await editor.openPart(/^Questions/);
  await editor.button(`Move down: ${first?.question}`).click();
  await expect(editor.asked.nth(1)).toHaveText(first?.question ?? '');
  await editor.publish();
  const step = editor.panel.locator('details').last();
  await step.locator('summary').click();
  await step.getByRole('button', { name: 'Undo' }).click();
  await expect(editor.status).toContainText('Changed again since, so it stays');
});

test('what moved in a list is seen, and what Getting ready leads to is open', async ({ page, editor }) => {
  const [before, last] = QUESTIONS.slice(-2);
  await editor.openPart(/^Questions/);
  await editor.button(`Move up: ${last}`).click();
  await editor.expectKept();
  await editor.toPublish.click();
  await expect(editor.panel.locator('del')).toHaveText(`${before} · ${last}`);
  await expect(editor.panel.locator('ins')).toHaveText(`${last} · ${before}`);
  await editor.button(/^Undo: /).click();
  await expect(editor.status).toContainText('your draft is empty');

  await page.goto('about:blank');
  await page.goto(`${editor.address}#founder.name`);
  await expect(editor.panel.getByRole('textbox', { name: /Your name/ })).toBeFocused();
});

test('an entry isn’t moved while a text in it isn’t kept', async ({ page, editor }) => {
  const move = (title = '') => editor.button(`Move down: ${title}`).click();
  await editor.openPart(/^Questions/);
  await page.route(SAVES, (route) => route.abort());
  const saves = await visitorOf(page).holdBack(SAVES);
  await editor.type('Is it old?', editor.asked.first());
  await move(QUESTIONS[0]);
  saves.release();
  await expect(editor.strip).toContainText('isn’t in your draft yet');
  await page.unroute(SAVES);
  await editor.expectKept();
  await expect(editor.asked.first()).toHaveText('Is it old?');
  await move('Is it old?');
  await expect(editor.asked.nth(1)).toHaveText('Is it old?');
  await expect(editor.asked.nth(0)).toHaveText(QUESTIONS[1] ?? '');
});

test('what’s typed in an entry on its way elsewhere overwrites nothing there', async ({ page, editor }) => {
  const [, second, third] = questions.items;
  await editor.openPart(/^Questions/);
  const saves = await visitorOf(page).holdBack(SAVES);
  await editor.button(`Move down: ${second?.question}`).click();
  await expect.poll(saves.count).toBe(1);
  await editor.site.locator('[data-words="questions.items.1.answer"]').click();
  for (const more of ['Always.', 'Ever.']) {
    await page.keyboard.type(more);
    saves.release();
    await expect(editor.status).toContainText('another entry is in this place');
    const isKept = page.waitForResponse(SAVES);
    await page.keyboard.type('!');
    await (await isKept).finished();
  }
  await editor.strip.getByRole('button', { name: 'Undo' }).click();
  await editor.expectKept();
  await editor.publish();
  expect(await editor.published('questions')).toMatchObject({ items: { 1: third, 2: second } });
});

test('leaving asks about what she pressed that waits for its turn', async ({ page, editor }) => {
  await editor.openPart(/^Questions/);
  const saves = await visitorOf(page).holdBack(SAVES);
  await editor.type('Mine');
  await editor.button(`Remove: ${QUESTIONS[0]}`).click();
  await expect.poll(saves.count).toBe(1);
  const asked = page.waitForEvent('dialog');
  await page.evaluate(() => setTimeout(() => location.reload()));
  await (await asked).dismiss();
  saves.release();
  await expect(editor.asked).toHaveText(QUESTIONS.slice(1));

  await editor.publish();
  await editor.panel.locator('summary').first().click();
  await editor.choose();
  await page.keyboard.insertText('Newer');
  await editor.button(/^Undo in my draft/).click();
  await expect(editor.status, 'what’s undone doesn’t include it').toContainText('so it stays');
  await expect(editor.h1).toHaveText('Newer');
});

test('the sections of a long policy are arranged, too', async ({ editor, desk }) => {
  const paragraphs = Array(10).fill('I keep what you send me for as long as it takes. '.repeat(20));
  const sections = ['One', 'Two', 'Three', 'Four'].map((heading) => ({ heading, paragraphs }));
  await mkdir(join(desk.copy, 'mine'), { recursive: true });
  await writeFile(join(desk.copy, 'mine/words.json'), JSON.stringify({ privacy: { sections } }));
  await editor.open();
  await editor.openPart('Privacy policy');
  await editor.button('Move down: One').click();
  await expect(editor.button(/^Move up/)).toHaveAccessibleName('Move up: Two');
});

test('all words, even hidden ones, are found and typed beside the page', async ({ page, editor }) => {
  await page.getByRole('button', { name: 'All words' }).click();
  await page.getByRole('searchbox', { name: 'Find words' }).fill("FIX what's slówing");
  await editor.button(/Headline/).click();
  await editor.type('Found', editor.panel.getByRole('textbox', { name: /Headline/ }));
  await expect(editor.h1).toHaveText('Found');
  await page.getByRole('combobox', { name: 'Page' }).selectOption('Page not found');
  await editor.type('Nothing here.');
  await editor.expectKept();
  await page.getByRole('combobox', { name: 'Page' }).selectOption('Message not sent');
  await editor.type('Still here.', editor.site.locator('.lead'));
  await expect(editor.site.locator('body')).not.toContainText('%%');
});

test('of two devices in the same words, the second is asked', async ({ page, context, desk, editor }) => {
  const tab = await context.newPage();
  const other = editorOn(tab, desk);
  await other.open();
  await other.h1.click();
  await editor.type('From the desktop');
  await editor.expectKept();

  await other.type('From the phone');
  await expect(other.strip).toContainText('changed to “From the desktop”');
  await expect(other.h1).toHaveText('From the phone');
  await tab.route(SAVES, (route) => route.abort());
  const isLost = tab.waitForEvent('requestfailed');
  await other.type('From the phone, at last');
  await isLost;
  await other.strip.getByRole('button', { name: 'Keep mine' }).click();
  await tab.unroute(SAVES);
  await other.expectKept();
  // As when she comes back to it.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect(editor.h1).toHaveText('From the phone, at last');

  await editor.h1.click();
  await other.type('From the phone again');
  await other.expectKept();
  await editor.type('From the desktop again');
  await editor.strip.getByRole('button', { name: 'Use that one' }).click();
  await expect(editor.h1).toHaveText('From the phone again');
});

test('a double click counts once, and what’s pressed too early is refused', async ({ page, editor }) => {
  await editor.type('Mine');
  await editor.expectKept();
  await editor.toPublish.click();
  await editor.button('Publish now').dblclick();
  await expect(editor.strip).toContainText('Published.');
  await expect(editor.panel).toContainText('Nothing in your draft');
  await expect(editor.strip, 'still').toContainText('Published.');
  expect(await editor.published('hero')).toEqual({ headline: 'Mine' });

  const [first = '', ...others] = QUESTIONS;
  await editor.openPart(/^Questions/);
  const saves = await visitorOf(page).holdBack(SAVES);
  await editor.button(`Remove: ${first}`).click();
  await expect.poll(saves.count).toBe(1);
  await editor.button(`Remove: ${others[0]}`).click();
  await expect(editor.strip).toContainText('Still busy');
  saves.release();
  await expect(editor.asked).toHaveText(others);
  await editor.button(`Remove: ${others[0]}`).dblclick();
  await expect(editor.asked).toHaveText(others.slice(1));
  await editor.button(/^Put it back/).click();
  await expect(editor.asked).toHaveText(others);
});

test('a photo is turned, made small and bare, or refused', async ({ page, editor, desk }) => {
  const [photo, unread] = [join(desk.copy, 'holiday.jpg'), join(desk.copy, 'photo.heic')];
  await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#884422' } })
    .jpeg()
    .withExif({ IFD0: { Make: 'A camera' }, IFD3: { GPSLatitude: '43/1 39/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toFile(photo);
  await writeFile(unread, 'ftypheic');
  const upload = await visitorOf(page).holdBack('**/draft/photo*');
  await editor.h1.drop({ files: photo });
  await expect(editor.strip).toContainText('Uploading');
  upload.release();
  await expect(editor.strip).toContainText('in your draft');
  await expect(editor.site.locator('#about-founder img')).toHaveAttribute('src', /photos/);
  await editor.publish();
  const { width, height, exif } = await sharp(join(desk.copy, 'mine/founder.jpg')).metadata();
  expect([width, height, exif]).toEqual([1500, 2000, undefined]);

  await editor.site.locator('#about-founder img').first().click();
  await expect(editor.panel.getByLabel('Your photo', { exact: true })).toBeFocused();
  await editor.panel.getByLabel('Your photo', { exact: true }).setInputFiles(unread);
  for (const told of [editor.strip, editor.panel]) await expect(told).toContainText('JPEG');
});

/** In the frame, headings and links are fields, and it has its own landmarks. */
const OTHERS_IN_FRAME = ['aria-allowed-role', 'heading-order', 'landmark-unique'];

for (const [colorScheme, viewport] of [
  ['light', PHONE],
  ['dark', { width: 1280, height: 800 }],
] as const)
  test(`axe finds no barrier at ${viewport.width} pixels, ${colorScheme}`, async ({ page, editor }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await editor.type('x'.repeat(61));
    await expect(editor.h1).toHaveAttribute('aria-invalid', 'true');
    for (const show of [editor.toPublish, page.getByRole('button', { name: 'All words' }).first()]) {
      await show.click();
      const { violations } = await new AxeBuilder({ page }).disableRules(OTHERS_IN_FRAME).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
  });
