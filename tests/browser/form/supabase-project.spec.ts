import { expect } from '@playwright/test';
import { type Listening, listen } from '../../../server/http/listen.ts';
import { loadStaticFiles } from '../../../server/http/static.ts';
import { openPostgres } from '../../../server/messages/postgres.ts';
import { runSql, startPostgres } from '../../support/database/postgres-server.ts';
import { freePort } from '../../support/network/free-port.ts';
import { test } from '../../support/site/browser-site.ts';
import { buildSite, siteFolder } from '../../support/site/test-site.ts';
import { type EdgeProcess, startEdgeFunction } from '../../support/supabase/edge-process.ts';
import {
  EMPTY,
  expectForm,
  fillForm,
  MESSAGE,
  messageField,
  openPage,
  send,
  sendButton,
} from '../visitor.ts';

/** The page on a static host, and the function under Deno on another: a Supabase project. */

const SITE = siteFolder('on-supabase');
const KEY = 'sb_publishable_of_this_project';

let host: Listening;
let home: string;
let project: EdgeProcess;
let database: string;
let closePostgres: () => Promise<void>;

test.describe.configure({ mode: 'default' });

test.beforeAll(async ({ site }) => {
  // A site is built and a database is started.
  test.setTimeout(120_000);
  const postgres = await startPostgres();
  closePostgres = postgres.close;
  database = `${postgres.url}/postgres`;
  await (await openPostgres(database)).close();
  const port = await freePort();
  const SITE_URL = `http://127.0.0.1:${port}`;
  home = `${SITE_URL}/`;
  project = await startEdgeFunction({
    SUPABASE_DB_URL: database,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: KEY }),
    SITE_URL,
    ALLOWED_ORIGINS: SITE_URL,
    CONTACT_EMAIL: 'owner@example.com',
    SMTP_URL: site.mailbox.url,
    SWEEP_SECRET: 'a-secret-for-the-sweep-of-this-test',
  });
  await buildSite(SITE, {
    SITE_URL,
    VITE_SUPABASE_URL: project.projectUrl,
    VITE_SUPABASE_ANON_KEY: KEY,
  });
  // All that it does besides is to send what `_headers` says.
  const nothingElse = () => new Response(null, { status: 404 });
  host = await listen(nothingElse, { host: '127.0.0.1', port }, loadStaticFiles(SITE));
});

test.afterAll(async () => {
  await project.close();
  await Promise.all([host.close(), closePostgres()]);
});

const stored = () => runSql(database, 'select message from contact_message order by id');

test('a message goes to the project on another origin, and is stored and mailed', async ({ page, site }) => {
  await openPage(page, home);
  await send(page, { ...MESSAGE, message: 'Across origins.' });
  await expectForm(page, EMPTY);
  expect(await stored()).toContainEqual({ message: 'Across origins.' });
  await expect
    .poll(() => site.mailbox.received.map(({ parsed }) => parsed.text ?? ''))
    .toContainEqual(expect.stringContaining('Across origins.'));
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the project gives a refused form back, and it can be sent from there', async ({
    page,
    expectFault,
  }) => {
    expectFault(/status of 422/);
    await page.goto(home);
    const message = { ...MESSAGE, message: `<b>${'y'.repeat(10_000)}` };
    await fillForm(page, message);
    await sendButton(page).click();
    await expect(page).toHaveURL(`${project.projectUrl}/functions/v1/send-contact-email`);
    await expectForm(page, message);
    await messageField(page).fill('Shortened.');
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect(page).toHaveURL(`${home}#message-sent`);
    expect(await stored()).toContainEqual({ message: 'Shortened.' });
  });
});
