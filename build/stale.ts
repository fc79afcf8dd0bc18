import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import { handlersOf } from './handlers.ts';
import { HISTORY_FILE, ownFiles } from './owners-words.ts';
import { ROOT } from './vite.ts';

/** The settings that change the page. */
type PageSettings = Pick<
  Settings,
  | 'contactEmail'
  | 'siteUrl'
  | 'supabaseUrl'
  | 'supabaseAnonKey'
  | 'retentionDays'
  | 'wordsDir'
  | 'mail'
  | 'database'
>;

/** Where a build writes its fingerprint. Files that start with _ aren't served. */
export const STAMP = '_made-from';

/** Beside it: the owner's words that the page was built with. */
export const BUILT_WORDS = '_words.json';

export const DIST = join(ROOT, 'dist');

const SOURCES = ['site', 'contract', 'build', 'settings', 'package-lock.json', 'tsconfig.json'];

/** A hash of everything the site depends on: sources, content, dependencies and settings. */
export async function fingerprint(settings: PageSettings): Promise<string> {
  const hash = createHash('sha256');
  const own = (await ownFiles(settings.wordsDir)).filter((name) => name !== HISTORY_FILE);
  const sources = (await Promise.all(SOURCES.map(filesUnder))).flat();
  for (const [folder, paths] of [
    [ROOT, sources],
    [settings.wordsDir, own],
  ] as const) {
    for (const path of paths.toSorted())
      hash
        .update(`${path}\0`)
        .update(await readFile(join(folder, path)))
        .update('\0');
  }
  const { contactEmail, siteUrl, supabaseUrl, supabaseAnonKey, retentionDays } = settings;
  hash.update(
    JSON.stringify([
      contactEmail,
      siteUrl,
      supabaseUrl,
      supabaseAnonKey,
      retentionDays,
      handlersOf(settings),
    ]),
  );
  return hash.digest('hex');
}

/** Whether the site in `folder` is missing or out of date. */
export async function isStale(settings: PageSettings, folder: string = DIST): Promise<boolean> {
  const made = await readFile(join(folder, STAMP), 'utf8').catch(() => '');
  return made !== (await fingerprint(settings));
}

async function filesUnder(path: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, path), { recursive: true, withFileTypes: true }).catch(
    ({ code }: NodeJS.ErrnoException) => code,
  );
  if (!Array.isArray(entries)) return entries === 'ENOENT' ? [] : [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}
