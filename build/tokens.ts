import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { readOwn, valueAt } from './owners-words.ts';

type Tokens = Record<string, string>;

const STYLES = join(PROJECT_ROOT, 'site/styles');

/** Whether a file, by Vite's id for it, declares tokens. */
export const hasTokens = (id: string): boolean =>
  /\/site\/styles\/(tokens|tokens\.first|print)\.css/.test(id);

/** A file that declares tokens, with the owner's colours in place of ours. */
export async function tokensCss(file: string, wordsDir: string): Promise<string> {
  const { own } = await readOwn(wordsDir);
  return (await readFile(file, 'utf8')).replace(
    /(--([\w-]+): )(#[\da-f]{6})(?=(?:[\da-f]{2})?;)/g,
    (all, start: string, name: string, ours: string) => {
      const kind = /^signal(?!-ink)/.test(name) ? 'signal' : 'lines';
      const hers = valueAt(own, ['colours', kind]);
      return typeof hers === 'string' && !/^danger/.test(name) ? start + asLightAs(ours, hers) : all;
    },
  );
}

/** How much red, green and blue light a colour is, 0 to 1. */
const lights = (hex: string): number[] =>
  [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });

/** A colour's relative luminance, 0 to 1, as WCAG 2.2 defines it. */
export function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = lights(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Her colour with white or black mixed in until it's as light as ours, so that each contrast stays as it is. */
function asLightAs(ours: string, hers: string): string {
  const [wanted, given] = [luminance(ours), luminance(hers)];
  const mixed = lights(hers).map((part) =>
    wanted > given ? part + ((1 - part) * (wanted - given)) / (1 - given) : (part * wanted) / given,
  );
  const parts = mixed.map((part) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055));
  return `#${parts
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/**
 * Every custom property that tokens.first.css and tokens.css declare, by name, for each theme; and for more contrast.
 *
 * @param wordsDir of the owner, whose colours may stand in for ours
 */
export async function readTokens(wordsDir: string): Promise<{ light: Tokens; dark: Tokens; more: Tokens }> {
  const light: Tokens = {};
  const dark: Tokens = {};
  const more: Tokens = {};
  const themes: Record<string, Tokens> = {
    'prefers-color-scheme: dark': dark,
    'prefers-contrast: more': more,
  };
  for (const name of ['tokens.first.css', 'tokens.css']) {
    const css = await tokensCss(join(STYLES, name), wordsDir);
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
