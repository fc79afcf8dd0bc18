import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../settings/settings.ts';

type Tokens = Record<string, string>;

/** Every custom property that tokens.first.css and tokens.css declare, by name, for each theme; and for more contrast. */
export async function readTokens(): Promise<{ light: Tokens; dark: Tokens; more: Tokens }> {
  const light: Tokens = {};
  const dark: Tokens = {};
  const more: Tokens = {};
  const themes: Record<string, Tokens> = {
    'prefers-color-scheme: dark': dark,
    'prefers-contrast: more': more,
  };
  for (const name of ['tokens.first.css', 'tokens.css']) {
    const css = await readFile(join(PROJECT_ROOT, 'site/styles', name), 'utf8');
    const [usual = '', ...blocks] = css.split(/@media (?:screen and )?\(/);
    Object.assign(light, tokensIn(usual));
    for (const block of blocks) {
      const [condition = ''] = block.split(')', 1);
      Object.assign(themes[condition] ?? {}, tokensIn(block));
    }
  }
  return { light, dark: { ...light, ...dark }, more };
}

/** The custom properties in `css`, by name. */
export function tokensIn(css: string): Tokens {
  return Object.fromEntries(
    [...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]),
  );
}
