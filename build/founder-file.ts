import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './vite.ts';

/** Where the owner's words and photo are. */
export const CONTENT = 'site/content';

/** The files that the owner means as a photo: any `founder.…` beside founder.ts, whatever its format. */
export async function founderFiles(folder: string = join(ROOT, CONTENT)): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^founder\.(?!ts$)[^.]+$/i.test(name)).sort();
}
