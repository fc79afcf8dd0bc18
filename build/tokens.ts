import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './vite.ts';

type Tokens = Record<string, string>;

/** The custom properties of tokens.css by name, as they are written there, in either theme. */
export async function readTokens(): Promise<{ light: Tokens; dark: Tokens }> {
  const [first = '', second = ''] = (await readFile(join(ROOT, 'site/styles/tokens.css'), 'utf8')).split(
    '@media',
  );
  const light = tokensIn(first);
  return { light, dark: { ...light, ...tokensIn(second) } };
}

function tokensIn(css: string): Tokens {
  return Object.fromEntries(
    [...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]),
  );
}
