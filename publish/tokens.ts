import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../settings/settings.ts';

type Tokens = Record<string, string>;

const MEDIA = /@media (?:screen and )?\(/;

/** Every custom property that tokens.first.css and tokens.css declare, by name, for each theme; and for more contrast. */
export async function readTokens(): Promise<{ light: Tokens; dark: Tokens; more: Tokens }> {
  const read = (name: string) => readFile(join(PROJECT_ROOT, 'site/styles', name), 'utf8');
  const sheets = await Promise.all(['tokens.first.css', 'tokens.css'].map(read));
  const light = tokensIn(sheets.map((css) => css.split(MEDIA, 1)[0]).join(''));
  const blocks = sheets.flatMap((css) => css.split(MEDIA).slice(1));
  const within = (condition: string) =>
    tokensIn(blocks.filter((block) => block.startsWith(condition)).join(''));
  const dark = { ...light, ...within('prefers-color-scheme: dark') };
  return { light, dark, more: within('prefers-contrast: more') };
}

/** The custom properties in `css`, by name. */
export function tokensIn(css: string): Tokens {
  return Object.fromEntries(
    [...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]),
  );
}
