import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { DAY } from '../contract/time.ts';

/**
 * In the built site: which of its files only pages of earlier builds have, and since when, in milliseconds since 1970.
 * Files that start with _ aren't served.
 */
export const EARLIER = '_earlier.json';

const KEPT_MS = 30 * DAY;

/** What an open page may still fetch. Not pictures: a photo that was taken off the page is gone. */
const ASKED_FOR = /\.(js|css|svg|woff2)(\.(br|gz))?$/;

/**
 * Brings files from the site that was built before into the next one, so that a page that's still open somewhere finds its
 * scripts. All have a hash in their path, so none is in the way of another.
 *
 * @param now milliseconds since 1970
 */
export async function keepEarlierFiles(before: string, next: string, now: number): Promise<void> {
  const noted = await readNoted(join(before, EARLIER));
  const remaining: Record<string, number> = {};
  const entries = await readdir(join(before, 'assets'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  for (const entry of entries) {
    const path = relative(before, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (!entry.isFile() || !ASKED_FOR.test(path) || existsSync(join(next, path))) continue;
    const at = noted[path];
    // A time to come was noted by a clock that ran ahead.
    const since = typeof at === 'number' ? Math.min(at, now) : now;
    if (now - since >= KEPT_MS) continue;
    await mkdir(dirname(join(next, path)), { recursive: true });
    await copyFile(join(before, path), join(next, path));
    remaining[path] = since;
  }
  await writeFile(join(next, EARLIER), JSON.stringify(remaining));
}

/** Without a list that can be read, they're kept for another while. */
async function readNoted(file: string): Promise<Record<string, unknown>> {
  try {
    return Object(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return {};
  }
}
