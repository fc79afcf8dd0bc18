import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { openDeskInCopy } from '../support/desk/open-desk-page.ts';
import { startSmtpServer } from '../support/mail/smtp-server.ts';
import { PHONE } from './visitor.ts';

const PASSWORD = 'h#u/n:t@e%r2 d2';
const ENV = `# Mine\nCONTACT_EMAIL=ana@example.org # as on the page\n\nUNKNOWN=stays\nHOST=localhost\n`;

test.use({ javaScriptEnabled: false, viewport: PHONE });

let desk: Awaited<ReturnType<typeof openDeskInCopy>>;
test.beforeEach(async ({ page }) => {
  desk = await openDeskInCopy(ENV);
  await page.goto(desk.link);
  await page.getByRole('button').click();
  await page.waitForURL(/desk$/);
  await page.goto(`${desk.address}/settings`);
});
test.afterEach(() => desk.close());

const read = () => readFile(join(desk.copy, '.env'), 'utf8');
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
const status = (page: Page) => page.getByRole('status');
const startedAnew = (times = 1) => expect.poll(desk.starts).toBe(times + 1);

test('what is changed is written, and the rest of .env stays', async ({ context, page }) => {
  const other = await context.newPage();
  await other.goto(`${desk.address}/settings`);
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await save(page);
  await expect(status(page)).toContainText('Saved.');
  await startedAnew();
  await page.reload();
  await expect(page.getByRole('contentinfo')).toContainText('Berlin time');
  await other.getByLabel('Days that messages are kept').fill('365');
  await save(other);
  await expect(status(other)).toContainText('Saved.');
  await startedAnew(2);
  expect(await read()).toBe(`${ENV}TIME_ZONE=Europe/Berlin\nRETENTION_DAYS=365\n`);
});

test('mail settings count once tested, come back, and show no password', async ({ page }) => {
  const smtp = await startSmtpServer({
    authOptional: false,
    onAuth: ({ username, password }, _session, callback) =>
      /^(ana|office)@example\.org$/.test(username ?? '') && password === PASSWORD
        ? callback(null, { user: username })
        : callback(Object.assign(new Error('wrong'), { responseCode: 535 })),
  });
  const pages: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.headers()['content-type']?.includes('html') && response.status() !== 303)
      pages.push(response.text().catch(() => ''));
  });
  await page.getByRole('button', { name: 'Save and send a test email' }).click();
  await expect(page.getByLabel('Provider')).toHaveAccessibleDescription(/^Choose one first/);
  await expect(page.getByLabel('App password')).toBeHidden();
  await page.getByLabel('Provider').selectOption({ label: 'Another server' });
  await page.getByLabel('Server', { exact: true }).fill('127.0.0.1');
  const port = page.getByLabel('Port');
  await port.fill(String(smtp.port));
  const login = page.getByLabel('Address that you log in with');
  const password = page.getByLabel('App password');
  await login.fill('ana@example.org');
  await password.fill('wrong');
  await save(page);
  await expect(page.getByText('accept the address or password')).toBeVisible();
  expect(await read()).toBe(ENV);
  await port.fill('9');
  await password.fill(PASSWORD);
  await save(page);
  const server = page.getByLabel('Server', { exact: true });
  await expect(server, 'which is in view').toBeFocused();
  await expect(server).toHaveAccessibleDescription(/^127\.0\.0\.1 on port 9: .*can’t be reached/);
  await port.fill(String(smtp.port));
  await password.fill(PASSWORD);
  await save(page);
  await expect(status(page)).toContainText(/accepted a test email/i);
  expect(smtp.received.map(({ to }) => to)).toEqual([['ana@example.org']]);
  await startedAnew();
  const first = await read();
  expect(first).toContain(
    `SMTP_URL=smtp://ana%40example.org:h%23u%2Fn%3At%40e%25r2%20d2@127.0.0.1:${smtp.port}\n`,
  );

  await login.fill('office@example.org\u200B');
  await save(page);
  await expect(password).toHaveAccessibleDescription(/^Type the password again/);
  await password.fill(` ${PASSWORD.replace(' ', '\u00A0')} `);
  await save(page);
  await expect(status(page)).toContainText(/accepted a test email/i);
  expect(await read()).not.toBe(first);
  await startedAnew(2);
  await page.getByLabel('Days that messages are kept').press('Enter');
  await expect(status(page), 'Enter saves').toHaveText('Nothing was changed.');
  await page.getByRole('button', { name: 'Bring back 127.0.0.1, as ana@example.org' }).click();
  await expect(login).toHaveValue('ana@example.org');
  expect(await read()).toBe(first);
  await startedAnew(3);
  for (const html of await Promise.all(pages)) expect(html).not.toMatch(/h#u|h%23u|h#amp;/);
  await smtp.close();
});
