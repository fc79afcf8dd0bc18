import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../../../server/http/listen.ts';
import { loadStaticFiles } from '../../../server/http/static.ts';
import { createLog } from '../../../server/log.ts';
import { openService } from '../../../server/service.ts';
import { readSettings } from '../../../settings/settings.ts';
import { buildTestSite, TEST_SITE } from './test-site.ts';

/** The site on its defaults, on a free loopback port, with its own database and mailbox, which end with it. */
export async function serveTestSite(): Promise<{ origin: string; close(): Promise<void> }> {
  await buildTestSite();
  return serveSite(TEST_SITE, {});
}

/** A site built with these settings. */
export async function serveSite(
  site: string,
  env: Record<string, string>,
): Promise<{ origin: string; reload(): void; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'site-'));
  const settings = readSettings({
    DATABASE_URL: `file:${join(folder, 'contact.db')}`,
    MAIL_DIR: join(folder, 'mail'),
    HOST: '127.0.0.1',
    ...env,
  });
  const pages = loadStaticFiles(site);
  const service = await openService(settings, { log: createLog('silent'), pages });
  const listening = await listen(service.app.fetch, { host: settings.host, port: 0 }, pages);
  return {
    origin: `http://127.0.0.1:${listening.port}`,
    /** Serves what was published since. */
    reload: pages.reload,
    async close() {
      await listening.close();
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
