import { join } from 'node:path';
import { build } from '../build/build.ts';
import { isStale } from '../build/stale.ts';
import { ROOT } from '../build/vite.ts';
import { readSettings } from '../server/settings.ts';

/** The site that the browser tests use: built apart, on the defaults, whatever the owner's own settings are. */
export const TEST_SITE = join(ROOT, 'node_modules/.cache/site-under-test');

export async function buildTestSite(): Promise<void> {
  const settings = readSettings({});
  if (await isStale(settings, TEST_SITE)) await build(settings, TEST_SITE);
}
