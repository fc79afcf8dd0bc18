import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { create } from 'fontkitten';
import subsetFont from 'subset-font';
import { type EmittedFile, hashed } from './emitted-files.ts';

/** The full typeface, with its weight and width axes. */
export const FONT_SOURCE = createRequire(import.meta.url).resolve(
  '@fontsource-variable/archivo/files/archivo-latin-standard-normal.woff2',
);

const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));

/** What visitors may type, on top of the page's own text and ASCII: French, and common punctuation. */
const TYPED = 'éèêëàâçîïôûùüÉÈÊÀÇ‘’“”–—…·×©';

/**
 * What browsers turn on by themselves, and the even digits that prices ask for. Without the typeface's fractions, whose
 * glyphs no style asks for, the two files are 2.6 kB smaller.
 */
const FEATURES = ['ccmp', 'kern', 'liga', 'locl', 'mark', 'mkmk', 'rvrn', 'tnum'];

interface Cut {
  family: string;
  /** Characters to include on top of the page's own. */
  also: string;
  axes: { wght: number | { min: number; max: number }; wdth: number };
  weight: string;
  /** The system fonts to show first, and for which weights. One family for each scale; the tokens name them in order of likeness. */
  fallbacks: { family: string; weight: string; scale: number; localNames: string[] }[];
}

/** Archivo's own, in units of an em: the tables `hhea` and `OS/2` of its font file. */
const ASCENT = 0.878;
const DESCENT = 0.21;

/*
 * A fallback's scale is how much wider Archivo's letters are than its own on average, each letter weighted by how often it
 * occurs in Latin text: 0.440 em for Archivo at 400, 0.464 at 650 and 0.618 for the wide cut, measured with Capsize
 * (@capsizecss/unpack 4.0.1) in the font file; 0.446 for Arial, 0.480 for Arial Bold, 0.558 for Arial Black, 0.574 for Verdana
 * Bold (@capsizecss/metrics). DejaVu Sans has Verdana's. Two are a bit smaller than that, since a word that wraps would move
 * everything below it.
 */
const SCALES = { regular: 0.9721, bold: 0.9667, wideBlack: 1.1073, wideBold: 1.0762, wideOther: 1.2231 };

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
      { family: 'Archivo Fallback', weight: '400 500', scale: SCALES.regular, localNames: REGULAR },
      { family: 'Archivo Fallback', weight: '501 700', scale: SCALES.bold, localNames: BOLD },
    ],
  },
  {
    family: 'Archivo Wide',
    also: '',
    axes: { wght: 800, wdth: 125 },
    weight: '800',
    // Wide and heavy wherever the system has such a font: Windows, macOS, iOS, most of Linux.
    fallbacks: [
      { family: 'Wide Black', weight: '800', scale: SCALES.wideBlack, localNames: ['Arial Black'] },
      {
        family: 'Wide Bold',
        weight: '800',
        scale: SCALES.wideBold,
        localNames: ['Verdana Bold', 'DejaVu Sans Bold'],
      },
      { family: 'Wide Other', weight: '800', scale: SCALES.wideOther, localNames: BOLD },
    ],
  },
];

export interface Fonts {
  /** The font for most of the text comes first. */
  files: EmittedFile[];
  /** `@font-face` rules for both cuts, for a style sheet in the same folder as the files. */
  faces: string;
  /** Characters that the page uses but the typeface doesn't have. */
  missing: string[];
}

/**
 * Subsets Archivo to what visitors may type and the page uses.
 *
 * @param letters what the page shows beyond ASCII, each once, in any order
 */
export async function buildFonts(letters: string): Promise<Fonts> {
  const bytes = await readFile(FONT_SOURCE);
  const font = create(bytes);
  if (font.isCollection) throw new Error(`${FONT_SOURCE} holds several fonts; one was expected`);
  const missing = [...letters].filter(
    (character) => !font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0),
  );

  const built = await Promise.all(
    cuts.map(async (cut) => {
      const subset = await subsetFont(bytes, ASCII + cut.also + letters, {
        targetFormat: 'woff2',
        variationAxes: cut.axes,
        keepFeatures: FEATURES,
      });
      const file = hashed(`assets/${cut.family.toLowerCase().replace(' ', '-')}.woff2`, subset);
      const face = `@font-face{font-family:"${cut.family}";src:url(${basename(file.path)});font-weight:${cut.weight};font-display:swap}`;
      return { file, face };
    }),
  );
  return {
    files: built.map(({ file }) => file),
    faces: built.map(({ face }) => face).join(''),
    missing,
  };
}

/** A system font scaled to the same metrics, so that nothing moves when the real font loads. */
function fallbackFace({ family, weight, scale, localNames }: Cut['fallbacks'][number]): string {
  // A whole one is 0.4 px of the largest headline at most.
  const percent = (share: number, digits = 0) => `${(100 * share).toFixed(digits)}%`;
  const sources = localNames.map((name) => `local("${name}")`).join();
  return `@font-face{font-family:"${family}";src:${sources};font-weight:${weight};ascent-override:${percent(ASCENT / scale)};descent-override:${percent(DESCENT / scale)};line-gap-override:0%;size-adjust:${percent(scale, 2)}}`;
}

/** `@font-face` rules for the metric-matched system fonts that are shown until the files have loaded. */
export const fallbackFaces = cuts.flatMap(({ fallbacks }) => fallbacks.map(fallbackFace)).join('');
