import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './vite.ts';

/** Where the owner's text and photo are. */
export const CONTENT = 'site/content';

/** The owner's photo: any `founder.…` next to founder.ts, in any format. More than one is a mistake. */
export async function founderFiles(folder: string = join(ROOT, CONTENT)): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^founder\.(?!ts$)[^.]+$/i.test(name)).sort();
}
