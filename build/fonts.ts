import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { createFontStack } from '@capsizecss/core';
import arial from '@capsizecss/metrics/arial';
import arialBold from '@capsizecss/metrics/arial/700';
import { fromBuffer } from '@capsizecss/unpack';
import { create } from 'fontkitten';
import subsetFont from 'subset-font';
import { type EmittedFile, hashed } from './files.ts';

/** The whole typeface, with its weight and its width axis. */
export const FONT_SOURCE = createRequire(import.meta.url).resolve(
  '@fontsource-variable/archivo/files/archivo-latin-standard-normal.woff2',
);

/** What an owner may type into the content without a change here: ASCII, French, and common punctuation. */
const ALWAYS = `${String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i))}éèêëàâçîïôûùüÉÈÊÀÇ‘’“”–—…·×©`;

interface Cut {
  family: string;
  axes: { wght: number | { min: number; max: number }; wdth: number };
  weight: string;
  fallback: typeof arial;
  localNames: string;
}

const cuts: Cut[] = [
  {
    family: 'Archivo',
    axes: { wght: { min: 400, max: 700 }, wdth: 100 },
    weight: '400 700',
    fallback: arial,
    localNames: 'local("Arial"), local("Liberation Sans"), local("Helvetica Neue")',
  },
  {
    family: 'Archivo Wide',
    axes: { wght: 800, wdth: 125 },
    weight: '800',
    fallback: arialBold,
    localNames: 'local("Arial Bold"), local("Arial-BoldMT"), local("Liberation Sans Bold")',
  },
];

export interface Fonts {
  files: EmittedFile[];
  /** URLs in the order in which the page needs them. */
  preload: string[];
  /** `@font-face` rules of both cuts, for a stylesheet in the same folder as the files. */
  faces: string;
  /** Those of the metric-matched system fonts that stand in until then. */
  fallbackFaces: string;
  /** Characters that the page uses and the family does not have. */
  missing: string[];
}

/**
 * Subsets Archivo to the characters that the page uses (and those an owner is likely to type next).
 *
 * @param text every character that the page shows, in any order
 */
export async function buildFonts(text: string): Promise<Fonts> {
  const bytes = await readFile(FONT_SOURCE);
  const font = create(bytes);
  if (font.isCollection) throw new Error(`${FONT_SOURCE} holds several fonts; one was expected`);
  const wanted = [...new Set(ALWAYS + text)].filter((character) => character >= ' ');
  const missing = wanted.filter((character) => !font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0));

  const built = await Promise.all(
    cuts.map(async (cut) => {
      const subset = await subsetFont(bytes, wanted.join(''), {
        targetFormat: 'woff2',
        variationAxes: cut.axes,
      });
      const file = hashed(`assets/${cut.family.toLowerCase().replace(' ', '-')}.woff2`, subset);
      const metrics = await fromBuffer(subset);
      const face = `@font-face{font-family:"${cut.family}";src:url(${basename(file.path)});font-weight:${cut.weight};font-display:swap}`;
      return { file, face, fallbackFace: fallbackFace(cut, metrics) };
    }),
  );
  return {
    files: built.map(({ file }) => file),
    preload: built.map(({ file }) => `/${file.path}`),
    faces: built.map(({ face }) => face).join(''),
    fallbackFaces: built.map(({ fallbackFace }) => fallbackFace).join(''),
    missing,
  };
}

/** A system font stretched to the same measures, so that nothing moves when the real one arrives. */
function fallbackFace(cut: Cut, metrics: Awaited<ReturnType<typeof fromBuffer>>): string {
  const { fontFaces } = createFontStack([{ ...metrics, familyName: cut.family }, cut.fallback], {
    fontFaceFormat: 'styleObject',
  });
  const face = fontFaces[0]?.['@font-face'];
  if (!face) throw new Error(`No fallback measures for ${cut.family}`);
  const rules = Object.entries(face)
    .filter(([name]) => name.endsWith('Override') || name === 'sizeAdjust')
    .map(
      ([name, value]) =>
        `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${String(value).replace(/(\.\d\d)\d+/, '$1')}`,
    );
  return `@font-face{font-family:"${cut.family} Fallback";src:${cut.localNames};font-weight:${cut.weight};${rules.join(';')}}`;
}
