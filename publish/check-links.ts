import { join } from 'node:path';
import { PROJECT_ROOT, shortPath } from '../settings/settings.ts';
import { siteSources } from './site-sources.ts';
import { contentFile, readOwn, WORDS_FILE } from './words.ts';

/**
 * @param html the rendered page
 * @param wordsDir the owner's words
 * @throws an Error that lists every link to a part that the page doesn't have, for the owner
 */
export async function checkLinks(html: string, wordsDir: string): Promise<void> {
  const found = (pattern: RegExp) => [...new Set([...html.matchAll(pattern)].map(([, id = '']) => id))];
  const ids = new Set(found(/ id="([^"]+)"/g));
  const dead = found(/ href="#([^"]+)"/g).filter((id) => id !== 'top' && !ids.has(id));
  if (dead.length === 0) return;
  const places: string[] = [];
  const own = { path: shortPath(join(wordsDir, WORDS_FILE)), text: (await readOwn(wordsDir)).text };
  for (const { path, text } of [...(await siteSources()), own]) {
    // Files of words write ids without `#`; in other files, an id without it isn't a link.
    const mark = contentFile(join(PROJECT_ROOT, path)) || !path.startsWith('site/') ? '' : '#';
    for (const [at, line] of text.split('\n').entries()) {
      const leads = dead.some((id) =>
        [`'${mark}${id}'`, `"${mark}${id}"`].some((link) => line.includes(link)),
      );
      if (leads) places.push(`  ${path}, line ${at + 1}: ${line.trim()}`);
    }
  }
  const parts = found(/<section[^>]* id="([^"]+)"/g).join(', ');
  throw new Error(
    `These links lead to parts that the page doesn’t have:\n\n${places.join('\n')}\n\nTake each of them out, or give it the id of a part that’s there: ${parts}.`,
  );
}
