import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import type { Files } from './folder.ts';

const inPackage = (path: string) =>
  createRequire(import.meta.url).resolve(`@fontsource-variable/archivo/${path}`);

/** The full typeface, with its weight and width axes. */
export const FONT_SOURCE = inPackage('files/archivo-latin-standard-normal.woff2');
export const FONT_LICENCE = inPackage('LICENSE');

const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));

/** What visitors may type, on top of the page's own words and ASCII: French, common punctuation, and a space in prices. */
const TYPED = 'éèêëàâçîïôûùüÉÈÊÀÇ‘’“”–—…·×©\u202f';

/** What browsers turn on by themselves, and prices' even digits. Fractions, which no style asks for, would take 2.6 kB more. */
const FEATURES = ['ccmp', 'kern', 'liga', 'locl', 'mark', 'mkmk', 'rvrn', 'tnum'];

/** The font for most of the text comes first. What's shown until they have loaded: site/styles/fallback-fonts.first.css. */
const CUTS = [
  { family: 'Archivo', also: TYPED, axes: { wght: { min: 400, max: 700 }, wdth: 100 }, weight: '400 700' },
  { family: 'Archivo Wide', also: '', axes: { wght: 800, wdth: 125 }, weight: '800' },
];

/** @param seal tells these letters from others */
export const fontPaths = (seal: string): string[] =>
  CUTS.map(({ family }) => `assets/${family.toLowerCase().replace(' ', '-')}-${seal}.woff2`);

/** `@font-face` rules for both cuts, for a style sheet in the same folder as the files. */
export const fontFaces = (paths: readonly string[]): string =>
  CUTS.map(
    ({ family, weight }, at) =>
      `@font-face{font-family:"${family}";src:url(${basename(paths[at] ?? '')});font-weight:${weight};font-display:swap}`,
  ).join('');

/** @param letters what the page's words have beyond ASCII, each once, in any order */
export async function makeFonts(letters: string, paths: readonly string[]): Promise<Files> {
  // Only now, since it takes memory.
  const { default: subsetFont } = await import('subset-font');
  const font = await readFile(FONT_SOURCE);
  const made = CUTS.map(async ({ also, axes }, at) => {
    const options = { targetFormat: 'woff2', variationAxes: axes, keepFeatures: FEATURES } as const;
    return [paths[at] ?? '', await subsetFont(font, ASCII + also + letters, options)] as const;
  });
  return Object.fromEntries(await Promise.all(made));
}
