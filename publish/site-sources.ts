import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../settings/settings.ts';

/** The page's sources, for messages that name a file and line. */
export async function siteSources(): Promise<{ path: string; text: string }[]> {
  const files = (await readdir(join(PROJECT_ROOT, 'site'), { recursive: true })).filter((name) =>
    /(?<!\.test)\.tsx?$/.test(name),
  );
  return Promise.all(
    files.sort().map(async (name) => ({
      path: `site/${name.replaceAll('\\', '/')}`,
      text: await readFile(join(PROJECT_ROOT, 'site', name), 'utf8'),
    })),
  );
}
