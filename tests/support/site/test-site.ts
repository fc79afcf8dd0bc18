import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram, isPublished, publish } from '../../../publish/publish.ts';
import { listen } from '../../../server/http/listen.ts';
import { loadStaticFiles } from '../../../server/http/static.ts';
import { createLog } from '../../../server/log.ts';
import { openService } from '../../../server/service.ts';
import { PROJECT_ROOT, readSettings } from '../../../settings/settings.ts';

/** The site for browser tests: built separately, with the defaults, whatever the owner's own words and settings are. */
export const TEST_SITE = join(PROJECT_ROOT, 'node_modules/.cache/site-under-test');

/** Also Playwright's global setup, so that it can run on its own. */
export default async function buildTestSite(): Promise<void> {
  await buildSite(TEST_SITE, {});
  await buildSite(ONLINE_SITE, { SITE_URL: PUBLIC_ADDRESS });
}

export const siteFolder = (name: string): string => `${TEST_SITE}-${name}`;

/** The same site as it would be online, with its address in many places. */
export const ONLINE_SITE = siteFolder('online');
export const PUBLIC_ADDRESS = 'https://www.blueprint-operations.com';

export async function buildSite(folder: string, env: Record<string, string>): Promise<void> {
  // It's empty: tests look for the words that came with the project.
  const settings = readSettings({ WORDS_DIR: join(PROJECT_ROOT, 'tests/no-words'), ...env });
  await ensureProgram();
  if (await isPublished(settings, folder)) return;
  // Tests weigh its files, so none may be left from earlier builds.
  await rm(folder, { recursive: true, force: true });
  await publish(settings, folder);
}

/** A built site, on a free loopback port, with a database and mailbox of its own, which end with it. */
export async function serveSite(site: string, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'site-'));
  const databaseFile = join(folder, 'contact.db');
  const settings = readSettings({
    DATABASE_URL: `file:${databaseFile}`,
    MAIL_DIR: join(folder, 'mail'),
    HOST: '127.0.0.1',
    ...env,
  });
  const pages = loadStaticFiles(site);
  const service = await openService(settings, { log: createLog('silent'), pages });
  const listening = await listen(service.app.fetch, { host: settings.host, port: 0 }, pages);
  return {
    origin: `http://127.0.0.1:${listening.port}`,
    databaseFile,
    reload: pages.reload,
    async close() {
      await listening.close();
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
