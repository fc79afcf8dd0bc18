import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './vite.ts';

type Tokens = Record<string, string>;

/** Every custom property that tokens.first.css and tokens.css declare, by name, for each theme. */
export async function readTokens(): Promise<{ light: Tokens; dark: Tokens }> {
  const light: Tokens = {};
  const dark: Tokens = {};
  for (const name of ['tokens.first.css', 'tokens.css']) {
    const css = await readFile(join(ROOT, 'site/styles', name), 'utf8');
    const [first = '', second = ''] = css.split('@media');
    Object.assign(light, tokensIn(first));
    Object.assign(dark, tokensIn(second));
  }
  return { light, dark: { ...light, ...dark } };
}

/** The custom properties in `css`, by name. */
export function tokensIn(css: string): Tokens {
  return Object.fromEntries(
    [...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]),
  );
}
