import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { createFontStack } from '@capsizecss/core';
import { fromBuffer } from '@capsizecss/unpack';
import { create } from 'fontkitten';
import subsetFont from 'subset-font';
import { type EmittedFile, hashed } from './files.ts';

/** The full typeface, with its weight and width axes. */
export const FONT_SOURCE = createRequire(import.meta.url).resolve(
  '@fontsource-variable/archivo/files/archivo-latin-standard-normal.woff2',
);

/** What visitors may type, on top of the page's own text: ASCII, French, and common punctuation. */
const TYPED = `${String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i))}éèêëàâçîïôûùüÉÈÊÀÇ‘’“”–—…·×©`;

interface Cut {
  family: string;
  /** Characters to include on top of the page's own. */
  also: string;
  axes: { wght: number | { min: number; max: number }; wdth: number };
  weight: string;
  /**
   * The system fonts to show first, and for which weights. Those of another shape are made a bit narrower than the
   * average letter width calls for, since a word that wraps would move everything below it.
   */
  fallbacks: {
    /** One family for each scale; the tokens name them in order of likeness. */
    family: string;
    weight: string;
    measuredAt: number;
    narrower: number;
    font: typeof ARIAL;
    localNames: string[];
  }[];
}

/** Copied from @capsizecss/metrics, which has 3,000 fonts and takes up 170 MB on disk. */
const ARIAL = {
  familyName: 'Arial',
  ascent: 1854,
  descent: -434,
  lineGap: 67,
  unitsPerEm: 2048,
  xWidthAvg: 913,
};
const ARIAL_BOLD = { ...ARIAL, xWidthAvg: 983 };
/** The widths of these two are weighted by how often each letter occurs, as Capsize does. DejaVu Sans has Verdana's. */
const ARIAL_BLACK = { ...ARIAL, familyName: 'Arial Black', xWidthAvg: 1143 };
const VERDANA_BOLD = { ...ARIAL, familyName: 'Verdana Bold', xWidthAvg: 1176 };

/** Android has Roboto instead of Arial; its letters are about 2% narrower. */
const REGULAR = ['Arial', 'Liberation Sans', 'Roboto'];
const BOLD = ['Arial Bold', 'Arial-BoldMT', 'Liberation Sans Bold', 'Roboto Bold'];

const cuts: Cut[] = [
  {
    family: 'Archivo',
    also: TYPED,
    axes: { wght: { min: 400, max: 700 }, wdth: 100 },
    weight: '400 700',
    fallbacks: [
      {
        family: 'Archivo Fallback',
        weight: '400 500',
        measuredAt: 400,
        narrower: 0.985,
        font: ARIAL,
        localNames: REGULAR,
      },
      {
        family: 'Archivo Fallback',
        weight: '501 700',
        measuredAt: 650,
        narrower: 1,
        font: ARIAL_BOLD,
        localNames: BOLD,
      },
    ],
  },
  {
    family: 'Archivo Wide',
    also: '',
    axes: { wght: 800, wdth: 125 },
    weight: '800',
    // Wide and heavy wherever the system has such a font: Windows, macOS, iOS, most of Linux.
    fallbacks: [
      { family: 'Wide Black', narrower: 1, font: ARIAL_BLACK, localNames: ['Arial Black'] },
      {
        family: 'Wide Bold',
        narrower: 1,
        font: VERDANA_BOLD,
        localNames: ['Verdana Bold', 'DejaVu Sans Bold'],
      },
      { family: 'Wide Other', narrower: 0.95, font: ARIAL_BOLD, localNames: BOLD },
    ].map((fallback) => ({ ...fallback, weight: '800', measuredAt: 800 })),
  },
];

export interface Fonts {
  /** The font for most of the text comes first. */
  files: EmittedFile[];
  /** `@font-face` rules for both cuts, for a style sheet in the same folder as the files. */
  faces: string;
  /** The same for the metric-matched system fonts that are shown until the files have loaded. */
  fallbackFaces: string;
  /** Characters that the page uses but the typeface doesn't have. */
  missing: string[];
}

/**
 * Subsets Archivo to the characters that the page uses and visitors may type.
 *
 * @param text every character that the page shows, in any order
 */
export async function buildFonts(text: string): Promise<Fonts> {
  const bytes = await readFile(FONT_SOURCE);
  const font = create(bytes);
  if (font.isCollection) throw new Error(`${FONT_SOURCE} holds several fonts; one was expected`);
  const missing = printable(text).filter(
    (character) => !font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0),
  );

  const built = await Promise.all(
    cuts.map(async (cut) => {
      const wanted = printable(cut.also + text).join('');
      const subset = await subsetFont(bytes, wanted, {
        targetFormat: 'woff2',
        variationAxes: cut.axes,
      });
      const file = hashed(`assets/${cut.family.toLowerCase().replace(' ', '-')}.woff2`, subset);
      const face = `@font-face{font-family:"${cut.family}";src:url(${basename(file.path)});font-weight:${cut.weight};font-display:swap}`;
      const at = (wght: number) =>
        subsetFont(bytes, wanted, { targetFormat: 'sfnt', variationAxes: { ...cut.axes, wght } });
      const fallbackFaces = await Promise.all(
        cut.fallbacks.map(async (fallback) => {
          const metrics = await fromBuffer(await at(fallback.measuredAt));
          return fallbackFace(fallback, metrics);
        }),
      );
      return { file, face, fallbackFaces };
    }),
  );
  return {
    files: built.map(({ file }) => file),
    faces: built.map(({ face }) => face).join(''),
    fallbackFaces: built.flatMap(({ fallbackFaces }) => fallbackFaces).join(''),
    missing,
  };
}

const printable = (text: string) => [...new Set(text)].filter((character) => character >= ' ');

/** A system font scaled to the same metrics, so that nothing moves when the real font loads. */
function fallbackFace(
  { family, weight, narrower, font, localNames }: Cut['fallbacks'][number],
  metrics: Awaited<ReturnType<typeof fromBuffer>>,
): string {
  // Capsize would use its per-script averages instead of xWidthAvg.
  const { subsets: _, ...rest } = metrics;
  const { fontFaces } = createFontStack(
    [{ ...rest, xWidthAvg: metrics.xWidthAvg * narrower, familyName: family }, font],
    { fontFaceFormat: 'styleObject' },
  );
  const face = fontFaces[0]?.['@font-face'];
  if (!face) throw new Error(`No fallback measures for ${family}`);
  const rules = Object.entries(face)
    .filter(([name]) => name.endsWith('Override') || name === 'sizeAdjust')
    .map(
      ([name, value]) =>
        `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${String(value).replace(/(\.\d\d)\d+/, '$1')}`,
    );
  const sources = localNames.map((name) => `local("${name}")`).join();
  return `@font-face{font-family:"${family}";src:${sources};font-weight:${weight};${rules.join(';')}}`;
}
