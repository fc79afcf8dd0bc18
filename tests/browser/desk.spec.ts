import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { openSqlite } from '../../server/messages/open.ts';
import { markSpam } from '../../server/messages/owner.ts';
import { createStore } from '../../server/messages/store.ts';
import { inLongRun } from '../long.ts';
import { openDeskPage } from '../support/desk/open-desk-page.ts';

type Desk = Awaited<ReturnType<typeof openDesk>>;

/** The desk on its own database, with a message for each of these. */
async function openDesk(messages: { name: string; message: string }[], env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'desk-under-test-'));
  const database = await openSqlite(join(folder, 'contact.db'));
  const store = createStore(database, { mailDomain: 'example.com' });
  const now = Date.now();
  for (const [index, { name, message }] of messages.entries())
    await store.add({ name, message, email: `writer${index}@example.org` }, { now: now - index * 3_600_000 });
  const page = await openDeskPage(folder, env);
  return {
    ...page,
    database,
    async close() {
      await page.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const LONG = 'Jean-Christophe Vandenbroucke-Desrosiers de la Montagne';
const MESSAGES = [
  { name: 'Dana Whitfield', message: 'We run out of the same three things.\n\nCan you look?' },
  { name: 'فاطمة الزهراء', message: 'مرحباً، لدينا متجر صغير.' },
  { name: LONG, message: 'Averylongwordwithoutanyspace'.repeat(30) },
  { name: '王小明', message: '订单处理非常混乱。' },
  { name: 'W'.repeat(200), message: 'One word for a name.' },
  { name: 'Cheap Rank', message: 'Page one!' },
];

const test = base.extend<{ desk: Desk }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from this pattern what a fixture needs
  desk: async ({}, use) => {
    const desk = await openDesk(MESSAGES, { SMTP_URL: 'smtp://127.0.0.1:9' });
    try {
      await use(desk);
    } finally {
      await desk.close();
    }
  },
});

/** As on her computer: nothing of the desk runs in the browser, so nothing may. */
test.use({ javaScriptEnabled: false });

async function expectNoFindings(page: Page): Promise<void> {
  const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  expect(
    violations.flatMap(({ id, nodes }) => nodes.map(({ failureSummary }) => [id, failureSummary])),
  ).toEqual([]);
  expect(passes.length).toBeGreaterThan(5);
}

test('the link opens the inbox and doesn’t stay in the address bar or the history, and messages in every script are found, printed and opened in a spreadsheet', async ({
  page,
  desk,
}) => {
  await page.goto(desk.link);
  await expect(page).toHaveURL(`${desk.origin}/`);
  await expect(page.getByRole('listitem').filter({ hasText: 'Dana' })).toBeVisible();
  await page.goBack();
  expect(page.url()).toBe('about:blank');

  await page.goto(desk.origin);
  await page.getByRole('searchbox').fill('متجر');
  await page.getByRole('button', { name: 'Search' }).click();
  const messages = page.getByRole('main').getByRole('list').getByRole('listitem');
  await expect(messages).toHaveCount(1);
  await expect(messages).toContainText('فاطمة');
  await page.getByRole('navigation', { name: 'Messages' }).getByRole('link', { name: 'spam' }).click();
  await expect(page.getByText('No such message.')).toBeVisible();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await expect(messages).toHaveCount(MESSAGES.length);

  await page.goto(`${desk.origin}/?text=three+things`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export to a spreadsheet' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^messages-\d{4}-\d\d-\d\d\.csv$/);
  const sheet = await readFile(await download.path(), 'utf8');
  expect(sheet).toContain('Dana Whitfield');
  expect(sheet).not.toContain('Cheap Rank');

  await page.getByRole('link', { name: 'Dana' }).click();
  await page.emulateMedia({ media: 'print' });
  for (const text of ['Can you look?', 'writer0@example.org'])
    await expect(page.locator('.words, dd').filter({ hasText: text })).toBeVisible();
  for (const role of ['button', 'textbox', 'navigation', 'link'] as const)
    await expect(page.getByRole(role)).toHaveCount(0);
});

test('a message is read, marked as spam and let in again with the keyboard alone, answered by mail, and erased after it was shown', async ({
  page,
  desk,
}) => {
  await page.goto(desk.link);
  const press = async (name: string) => {
    const target = page.getByRole('link', { name }).or(page.getByRole('button', { name, exact: true }));
    await expect(target).toHaveCount(1);
    for (let tabs = 0; tabs < 40; tabs += 1) {
      if (await target.and(page.locator(':focus')).count()) break;
      await page.keyboard.press('Tab');
    }
    await expect(target).toBeFocused();
    await page.keyboard.press('Enter');
  };
  const status = page.getByRole('status');
  const heading = page.getByRole('heading', { level: 1 });
  await press('Cheap Rank');
  await expect(heading).toHaveText('Cheap Rank');
  await press('Spam');
  await expect(status).toHaveText('The message of Cheap Rank is marked as spam.');
  await page.reload();
  await expect(status, 'shown once, and a reload does nothing more').toBeEmpty();
  await press('Not spam');
  await expect(status).toContainText('is queued');

  await page.goto(desk.origin);
  await page.getByRole('link', { name: 'Dana' }).click();
  await expect(page.getByRole('link', { name: 'Answer', exact: true })).toHaveAttribute(
    'href',
    /^mailto:writer0@example\.org\?subject=.+&body=Hi%20Dana%20Whitfield.+We%20run%20out/,
  );
  await page.getByRole('button', { name: 'I’ve answered' }).click();
  await expect(status).toHaveText(/^The message of Dana Whitfield is answered/);
  await page.getByRole('link', { name: '← Inbox' }).click();
  await expect(heading).toHaveText(`${MESSAGES.length - 1} messages wait for your answer.`);
  await page.goBack();
  await page.getByRole('button', { name: 'Not answered after all' }).click();
  await expect(status).toContainText('no longer marked as answered');

  await page.goto(desk.origin);
  await page.getByRole('link', { name: '王小明' }).click();
  await page.getByRole('link', { name: 'Erase all from this address' }).click();
  await expect(heading).toHaveText('Erase 1 message for good?');
  await expect(page.getByRole('main').getByRole('listitem')).toContainText('订单');
  await page.getByRole('button', { name: 'Erase for good' }).click();
  await expect(status).toContainText('Erased 1 message.');
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(MESSAGES.length - 1);
});

test('the inbox says who, what, from where, when, and how much time is left; orange is what needs her', async ({
  page,
  desk,
}) => {
  const { db } = desk.database;
  const late = Date.now() - 27 * 3_600_000;
  await db
    .updateTable('contact_message')
    .set({ received_at: late })
    .where('name', '=', 'Cheap Rank')
    .execute();
  const refused = { state: 'set_aside', last_error: 'refused smtp-550' } as const;
  await db.updateTable('contact_message').set(refused).where('name', '=', '王小明').execute();
  await page.goto(desk.link);
  const row = (name: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: name });
  await expect(row('Dana')).toContainText('We run out of the same three things. Can you look?');
  await expect(row('Dana')).toContainText('writer0@example.org');
  await expect(row('Dana')).toContainText(/(23 h left|24 h left).*(today|yesterday), \d+:\d\d [ap]\.m\./);
  await expect(row('Cheap Rank')).toContainText('3 h over');
  await expect(row('王小明')).toContainText('not mailed');
  const orange = page.locator('main :is(.is-late, .needs-her, .d-hot)');
  const inRows = page.locator('.messages :is(.is-late, .needs-her)');
  await expect(inRows).toHaveCount(2);
  await page.goto(`${desk.origin}/?text=Dana`);
  await expect(inRows).toHaveCount(0);
  await db.updateTable('contact_message').set({ state: 'sent', received_at: Date.now() }).execute();
  await page.goto(`${desk.origin}/`);
  await expect(orange).toHaveCount(0);
});

test('the doctor’s findings come with their advice, and another page can neither frame the desk nor post to it, though the browser is let in', async ({
  page,
  desk,
}) => {
  await page.goto(desk.link);
  await page.getByRole('link', { name: 'Doctor' }).click();
  await expect(page.getByRole('heading', { name: 'Mail out' })).toBeVisible();
  await expect(page.getByText('owner@example.com is an example; nothing reaches you there.')).toBeVisible();
  await expect(page.getByText('Set CONTACT_EMAIL to your own address.')).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('searchbox'), 'not the page that looks').toBeVisible();

  const path = await page.getByRole('link', { name: 'Cheap Rank' }).getAttribute('href');
  const strange = createServer((_, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><iframe src="${desk.origin}/"></iframe>
      <form method="post" action="${desk.origin}${path}/spam"><button>A present</button></form>`);
  });
  await new Promise<void>((resolve) => strange.listen(0, '127.0.0.1', resolve));
  try {
    await page.goto(`http://127.0.0.1:${(strange.address() as AddressInfo).port}/`);
    await expect(page.frameLocator('iframe').getByText('Dana')).toHaveCount(0);
    await page.getByRole('button').click();
    await expect(page.getByRole('heading')).toHaveText('The desk doesn’t open from other pages.');
  } finally {
    strange.close();
    strange.closeAllConnections();
  }
  await page.goto(`${desk.origin}/?view=spam`);
  await expect(page.getByText('No such message.')).toBeVisible();
});

// Its colours don't depend on the width.
for (const [colorScheme, checked] of [
  ['light', 320],
  ['dark', 1280],
] as const) {
  test.describe(`in ${colorScheme} colours`, () => {
    test.use({ colorScheme, javaScriptEnabled: true });

    test('every page fits 320 pixels and a desktop, without accessibility findings', async ({
      page,
      desk,
    }) => {
      await page.goto(desk.link);
      const spam = await page.getByRole('link', { name: 'Cheap Rank' }).getAttribute('href');
      await markSpam(desk.database, spam?.split('/').at(-1) ?? '', Date.now());
      const message = await page.getByRole('link', { name: LONG.slice(0, 12) }).getAttribute('href');
      const word = await page.getByRole('link', { name: 'WWW' }).getAttribute('href');
      const paths = ['/', '/?text=nowhere', message, word, spam, `/erase?who=${message?.split('/').at(-1)}`];
      for (const path of [...paths, '/doctor/findings', '/nowhere', '/enter/again']) {
        await page.goto(`${desk.origin}${path}`);
        for (const width of [320, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await page.evaluate(() => document.documentElement.scrollWidth), `${path}`).toBe(width);
          const low = await page
            .locator('main :is(button, input:not([type=hidden]), summary), nav a, .button, .messages a')
            .evaluateAll((all) => all.filter((each) => each.getBoundingClientRect().height < 44).length);
          expect(low, `targets lower than 44 pixels on ${path}`).toBe(0);
          if (inLongRun(true, width === checked)) await expectNoFindings(page);
        }
      }
    });
  });
}
