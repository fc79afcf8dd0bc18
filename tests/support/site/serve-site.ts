import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../../../server/http/listen.ts';
import { loadStaticFiles } from '../../../server/http/static.ts';
import { createLog } from '../../../server/log.ts';
import { openService } from '../../../server/service.ts';
import { readSettings } from '../../../settings/settings.ts';

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
    /** Serves what was published since. */
    reload: pages.reload,
    async close() {
      await listening.close();
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
