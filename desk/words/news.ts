import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readOwn, readParts, valueAt } from '../../build/owners-words.ts';
import { PROJECT_ROOT, type Settings } from '../../settings/settings.ts';
import { inWords, leaves, nameOf } from './differences.ts';

export const isNewer = (one = '', other = ''): boolean =>
  one.localeCompare(other, 'en', { numeric: true }) > 0;

/** What's new in another version, in the words of its changelog, and what of it concerns her words and settings. */
export async function newsOf(folder: string, since: string, { wordsDir }: Settings): Promise<string> {
  const changes = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
    .split(/^(?=## )/m)
    .filter((part) => isNewer(/^## ([\d.]+)/.exec(part)?.[1], since));
  const [before, after] = [await readParts(), await readParts(join(folder, 'site/content'))];
  const { own } = await readOwn(wordsDir);
  const texts = leaves(own).flatMap(({ path }) => {
    const [old, now] = [before, after].map((parts) =>
      valueAt(parts.get(String(path[0]))?.ours, path.slice(1)),
    );
    return isDeepStrictEqual(old, now) ? [] : [`  – ${nameOf(after, own, path)}: ${inWords(now)}\n`];
  });
  const settingsIn = (root: string) =>
    readFileSync(join(root, '.env.example'), 'utf8').match(/^[A-Z_]+(?==)/gm) ?? [];
  const old = new Set<string>(settingsIn(PROJECT_ROOT));
  const settings = settingsIn(folder).filter((name) => !old.has(name));
  return [
    changes.join(''),
    texts.length > 0 && `You’ve changed these texts, and so has this version. Yours stay:\n${texts.join('')}`,
    settings.length > 0 && `New settings, explained in .env.example: ${settings.join(', ')}`,
  ]
    .flatMap((part) => (part ? `\n${part.trim()}\n` : []))
    .join('');
}
