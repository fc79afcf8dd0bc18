import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { openSqlite } from '../../server/messages/open.ts';
import { replyHours } from '../../site/content/business.ts';
import { openDeskPage } from '../support/desk/open-desk-page.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/mail/smtp-server.ts';
import { copyProject } from '../support/site/copy-project.ts';

const PASSWORD = 'h#u/n:t@e%r2';
const ENV = `# Mine\nCONTACT_EMAIL=ana@example.org # as on the page\n\nUNKNOWN=stays\nHOST=localhost\n`;

type Desk = Awaited<ReturnType<typeof openDesk>>;

/** The desk in a copy of the project, with a .env of its own. */
async function openDesk(text = ENV, env: Record<string, string> = {}) {
  const folder = copyProject();
  const file = join(folder, '.env');
  await writeFile(file, text);
  await (await openSqlite(join(folder, 'contact.db'))).close();
  const page = await openDeskPage(folder, env, folder);
  return {
    ...page,
    read: () => readFile(file, 'utf8'),
    write: (changed: string) => writeFile(file, changed),
    mode: async () => (await stat(file)).mode & 0o777,
    async close() {
      await page.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const test = base.extend<{ desk: Desk; smtp: TestSmtpServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from this pattern what a fixture needs
  desk: async ({}, use) => {
    const desk = await openDesk();
    await use(desk);
    await desk.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above
  smtp: async ({}, use) => {
    const smtp = await startSmtpServer({
      authOptional: false,
      onAuth: ({ username, password }, _session, callback) =>
        username === 'ana@example.org' && password === PASSWORD
          ? callback(null, { user: username })
          : callback(Object.assign(new Error('wrong'), { responseCode: 535 })),
    });
    await use(smtp);
    await smtp.close();
  },
});

test.use({ javaScriptEnabled: false });

/** Every page that the browser got, for secrets that mustn't be in one. */
function keepHtml(page: Page): Promise<string>[] {
  const all: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.headers()['content-type']?.includes('html') && response.status() !== 303)
      all.push(response.text().catch(() => ''));
  });
  return all;
}

async function openSettings(page: Page, desk: Desk): Promise<void> {
  await page.goto(desk.link);
  await page.getByRole('link', { name: 'Settings' }).click();
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();

test('an address is changed, and .env keeps its comments, its unknown lines and its order', async ({
  page,
  desk,
}) => {
  await openSettings(page, desk);
  await page.getByLabel('Your e-mail address').fill('new@example.org');
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await page.getByLabel('Days that messages are kept').fill('365');
  await save(page);
  await expect(page.getByRole('status')).toContainText('Saved.');
  await expect(page.getByLabel('Your e-mail address')).toHaveValue('new@example.org');
  await expect(page.getByRole('contentinfo'), 'the desk itself has it at once').toContainText('Berlin time');
  expect(await desk.read()).toBe(
    `${ENV.replace('ana@', 'new@')}TIME_ZONE=Europe/Berlin\nRETENTION_DAYS=365\n`,
  );
  expect(await desk.mode()).toBe(0o600);

  await test.step('a change by somebody else meanwhile is shown beside hers, and neither is lost', async () => {
    await desk.write((await desk.read()).replace('new@', 'editor@'));
    await page.getByLabel('Your e-mail address').fill('browser@example.org');
    await save(page);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing is saved yet.');
    await expect(page.getByLabel('Your e-mail address')).toHaveValue('browser@example.org');
    await expect(page.getByText('Now in .env: editor@example.org')).toBeVisible();
    expect(await desk.read()).toContain('editor@');
    await save(page);
    await expect(page.getByRole('status')).toContainText('Saved.');
    expect(await desk.read()).toContain('browser@');
  });
});

test('of several wrong values nothing is written, each is said at its field, and what was typed stays', async ({
  page,
  desk,
}) => {
  await openSettings(page, desk);
  const longer = String(replyHours + 12);
  await page.getByLabel('Reply within').fill(longer);
  await save(page);
  await expect(page.getByRole('status')).toContainText('Saved.');
  await expect(page.getByLabel('Reply within')).toHaveValue(longer);

  await page.getByLabel('Days that messages are kept').fill('30');
  const wrong = page.locator('[aria-invalid=true]');
  for (const mistakes of [
    [
      ['Your e-mail address', 'nobody', 'ana@example.org', /^A whole e-mail address is needed/],
      ['Web address', 'www.example.com', '', /^A whole address with https/],
    ],
    [['Reply within', '24,5', '24', /^This must be a whole number/]],
  ] as const) {
    for (const [label, typed] of mistakes) await page.getByLabel(label).fill(typed);
    await save(page);
    await expect(wrong).toHaveCount(mistakes.length);
    for (const [label, typed, right, said] of mistakes) {
      await expect(page.getByLabel(label)).toHaveValue(typed);
      await expect(page.getByLabel(label)).toHaveAccessibleDescription(said);
      await page.getByLabel(label).fill(right);
    }
  }
  await expect(page.getByLabel('Days that messages are kept')).toHaveValue('30');
  expect(await desk.read(), 'all or nothing').toBe(ENV);
});

test('a provider, an address and a password with any signs are mail settings; the password never comes back', async ({
  page,
  desk,
}) => {
  const pages = keepHtml(page);
  await openSettings(page, desk);
  await expect(page.getByLabel('App password')).toBeHidden();
  await page.getByLabel('Provider').selectOption({ label: 'Gmail' });
  await page.getByLabel('Address that you log in with').fill('ana@gmail.com');
  await page.getByLabel('App password').fill(PASSWORD);
  await page.getByLabel('Web address').fill('wrong');
  await save(page);
  await expect(page.getByLabel('App password'), 'not even after a mistake').toHaveValue('');
  await page.getByLabel('App password').fill(PASSWORD);
  await page.getByLabel('Web address').fill('');
  await save(page);
  await expect(page.getByRole('status')).toContainText('Saved.');
  const written = 'ana%40gmail.com:h%23u%2Fn%3At%40e%25r2@';
  expect(await desk.read()).toContain(`SMTP_URL=smtps://${written}smtp.gmail.com:465\n`);
  await expect(page.getByLabel('Provider')).toHaveValue('Gmail');
  const before = await desk.read();
  await save(page);
  await expect(page.getByRole('status')).toHaveText('Nothing was changed.');
  await page.getByLabel('Address that you log in with').fill('other@gmail.com');
  await save(page);
  await expect(page.getByLabel('App password')).toHaveAccessibleDescription(/^Type the password again/);
  expect(await desk.read()).toBe(before);
  for (const html of await Promise.all(pages)) {
    expect(html).not.toContain(PASSWORD);
    expect(html).not.toContain('h%23u');
    expect(html).not.toContain('h#amp;');
  }
});

test('a test mail goes through what was just typed, and a wrong password is said', async ({
  page,
  desk,
  smtp,
}) => {
  await openSettings(page, desk);
  await page.getByLabel('Provider').selectOption({ label: 'Another server' });
  await page.getByLabel('Server', { exact: true }).fill('127.0.0.1');
  await page.getByLabel('Port').fill(String(smtp.port));
  await page.getByLabel('Address that you log in with').fill('ana@example.org');
  await page.getByLabel('App password').fill('wrong');
  const test = page.getByRole('button', { name: 'Save and send me a test mail' });
  await test.click();
  await expect(page.getByText('refuses the user name or password')).toBeVisible();
  await page.getByLabel('App password').fill(PASSWORD);
  await test.click();
  await expect(page.getByText('took it for ana@example.org')).toBeVisible();
  expect(smtp.received.map(({ to }) => to)).toEqual([['ana@example.org']]);
});

test('what the environment sets can’t be changed here', async ({ page }) => {
  const desk = await openDesk(ENV, {
    SMTP_URL: `smtps://ana:hunter2@smtp.example.com:465`,
    REMINDERS: 'off',
  });
  try {
    const pages = keepHtml(page);
    await openSettings(page, desk);
    for (const label of ['Provider', 'App password', 'Reminders'])
      await expect(page.getByLabel(label)).toBeDisabled();
    await expect(page.getByText('set outside of .env').first()).toBeVisible();
    await page.getByLabel('Days that messages are kept').fill('365');
    await save(page);
    expect(await desk.read()).toBe(`${ENV}RETENTION_DAYS=365\n`);
    for (const html of await Promise.all(pages)) expect(html).not.toContain('hunter2');
  } finally {
    await desk.close();
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in ${colorScheme} colours`, () => {
    test.use({ colorScheme, javaScriptEnabled: true });

    test('the page fits from 320 to 1440 pixels, and has no accessibility findings', async ({
      page,
      desk,
    }) => {
      await openSettings(page, desk);
      await page.getByLabel('Provider').selectOption({ label: 'Another server' });
      await page.getByLabel('Your e-mail address').fill('nobody');
      for (const state of ['typed', 'refused']) {
        if (state === 'refused') await save(page);
        for (const width of [320, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
          const low = await page
            .locator('main :is(button, input:not([type=hidden]), select)')
            .evaluateAll((all) => all.filter((each) => each.getBoundingClientRect().height < 44).length);
          expect(low, 'targets lower than 44 pixels').toBe(0);
        }
        const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
        expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => [id, html]))).toEqual([]);
      }
    });
  });
}
