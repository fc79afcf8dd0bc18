import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './vite.ts';

/** The page's sources, for messages that name a file and line. */
export async function siteSources(): Promise<{ path: string; text: string }[]> {
  const files = (await readdir(join(ROOT, 'site'), { recursive: true })).filter((name) =>
    /(?<!\.test)\.tsx?$/.test(name),
  );
  return Promise.all(
    files.sort().map(async (name) => ({
      path: `site/${name.replaceAll('\\', '/')}`,
      text: await readFile(join(ROOT, 'site', name), 'utf8'),
    })),
  );
}
