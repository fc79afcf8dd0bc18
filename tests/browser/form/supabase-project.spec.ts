import { expect } from '@playwright/test';
import { listen } from '../../../server/http/listen.ts';
import { loadStaticFiles } from '../../../server/http/static.ts';
import { openPostgres } from '../../../server/messages/postgres.ts';
import { runSql, startPostgres } from '../../support/database/postgres-server.ts';
import { freePort } from '../../support/network/free-port.ts';
import { buildSite, siteFolder } from '../../support/site/test-site.ts';
import { KEY, startEdgeFunction } from '../../support/supabase/edge-process.ts';
import { EMPTY, MESSAGE, test, visitorOf } from '../visitor.ts';

const SITE = siteFolder('on-supabase');

const opened: { close: () => Promise<void> }[] = [];
test.afterAll(async () => {
  for (const one of opened.reverse()) await one.close();
});

test('a page on a static host sends to a Supabase project', async ({ browser, site, visitor }) => {
  // A site is built and a database is started.
  test.slow();
  const postgres = await startPostgres();
  opened.push(postgres);
  const database = `${postgres.url}/postgres`;
  await (await openPostgres(database)).close();
  const port = await freePort();
  const SITE_URL = `http://127.0.0.1:${port}`;
  const project = await startEdgeFunction({
    SUPABASE_DB_URL: database,
    SITE_URL,
    ALLOWED_ORIGINS: SITE_URL,
    SMTP_URL: site.mailbox.url,
  });
  opened.push(project);
  await buildSite(SITE, {
    SITE_URL,
    VITE_SUPABASE_URL: project.projectUrl,
    VITE_SUPABASE_ANON_KEY: KEY,
  });
  // All that it does besides is to send what `_headers` says.
  const nothingElse = () => new Response(null, { status: 404 });
  opened.push(await listen(nothingElse, { host: '127.0.0.1', port }, loadStaticFiles(SITE)));
  const stored = () => runSql(database, 'select message from contact_message order by id');

  await visitor.open(SITE_URL);
  await visitor.send({ ...MESSAGE, message: 'Across origins.' });
  await visitor.expectForm(EMPTY);
  expect(await stored()).toContainEqual({ message: 'Across origins.' });

  const scriptless = await browser.newPage({ javaScriptEnabled: false });
  await scriptless.goto(SITE_URL);
  await visitorOf(scriptless).send({ ...MESSAGE, message: 'Without scripts.' });
  await expect(scriptless).toHaveURL(`${SITE_URL}/#message-sent`);
  expect(await stored()).toContainEqual({ message: 'Without scripts.' });
  await scriptless.close();
});
