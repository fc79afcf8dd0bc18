import { expect } from '@playwright/test';
import { listen } from '../../../server/http/listen.ts';
import { loadStaticFiles } from '../../../server/http/static.ts';
import { openPostgres } from '../../../server/messages/postgres.ts';
import { parsePostgresUrl } from '../../../settings/server-url.ts';
import { runSql, startPostgres } from '../../support/database/postgres-server.ts';
import { closing } from '../../support/network/closing.ts';
import { freePort } from '../../support/network/free-port.ts';
import { buildSite, siteFolder } from '../../support/site/test-site.ts';
import { KEY, startEdgeFunction } from '../../support/supabase/edge-process.ts';
import { EMPTY, MESSAGE, test, visitorOf } from '../visitor.ts';

const SITE = siteFolder('on-supabase');

test('a page on a static host sends to a Supabase project', async ({ browser, site, visitor }) => {
  // It builds a site and starts a database.
  test.slow();
  await using postgres = closing(await startPostgres());
  const database = `${postgres.url}/postgres`;
  await (await openPostgres(parsePostgresUrl(database))).close();
  const port = await freePort();
  const SITE_URL = `http://127.0.0.1:${port}`;
  const env = { SUPABASE_DB_URL: database, SITE_URL, ALLOWED_ORIGINS: SITE_URL };
  await using project = closing(await startEdgeFunction({ ...env, SMTP_URL: site.mailbox.url }));
  await buildSite(SITE, {
    SITE_URL,
    VITE_SUPABASE_URL: project.projectUrl,
    VITE_SUPABASE_ANON_KEY: KEY,
  });
  // All it does besides is send what `_headers` says.
  const nothingElse = () => new Response(null, { status: 404 });
  const at = { host: '127.0.0.1', port };
  await using _ = closing(await listen(nothingElse, at, loadStaticFiles(SITE)));
  const stored = () => runSql(database, 'select message from contact_message order by id');

  await visitor.open(SITE_URL);
  await visitor.send({ ...MESSAGE, message: 'Across origins.' });
  await visitor.expectForm(EMPTY);
  expect(await stored()).toContainEqual({ message: 'Across origins.' });

  await using scriptless = await browser.newPage({ javaScriptEnabled: false });
  await scriptless.goto(SITE_URL);
  await visitorOf(scriptless).send({ ...MESSAGE, message: 'Without scripts.' });
  await expect(scriptless).toHaveURL(`${SITE_URL}/#message-sent`);
  expect(await stored()).toContainEqual({ message: 'Without scripts.' });
});
