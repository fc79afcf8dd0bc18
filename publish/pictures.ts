import { readFile } from 'node:fs/promises';
import { create } from 'fontkitten';
import sharp from 'sharp';
import subsetFont from 'subset-font';
import type { Files } from './folder.ts';
import { FONT_SOURCE } from './fonts.ts';
import type { Program } from './program.ts';

/** Search engines show 48 px; browsers that ask for this file make it smaller. */
const ICO_SIZE = 48;

/** The icons that browsers ask for on their own, from the SVG logo. On phones, they need a background. */
export async function buildIcons(mark: string, background: string): Promise<Files> {
  const draw = (size: number, margin: number) => {
    const inner = size - 2 * margin;
    return sharp(Buffer.from(mark), { density: (72 * inner) / 32 })
      .resize(inner, inner)
      .extend({ top: margin, bottom: margin, left: margin, right: margin, background: '#00000000' })
      .png();
  };
  return {
    'favicon.ico': toIco(await draw(ICO_SIZE, 0).toBuffer()),
    'apple-touch-icon.png': await draw(180, 22).flatten({ background }).toBuffer(),
  };
}

/** An .ico file of one picture: a 6-byte header, a 16-byte entry, then the PNG. */
function toIco(png: Buffer): Buffer {
  const head = Buffer.from([0, 0, 1, 0, 1, 0, ICO_SIZE, ICO_SIZE, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

/** What the picture shows: the hero's drawing and the logo, as SVG, and texts, of whose facts the first three. */
export type Shared = Record<'plan' | 'mark' | 'headline' | 'name', string> & { facts: readonly string[] };

/** Cuts of the typeface, for headlines and for the small lines below them. */
const WIDE = { wght: 800, wdth: 125 };
const PLAIN = { wght: 600, wdth: 100 };

/** The preview picture for links to the page, 1200 by 630. */
export async function makeSharePicture(
  { plan, mark, ...words }: Shared,
  { sharePicture, light }: Pick<Program, 'sharePicture' | 'light'>,
  path: string,
): Promise<Files> {
  const colour = (name: string) => {
    const value = light[name];
    if (!value) throw new Error(`tokens.first.css has no ${name}, which the share picture uses`);
    return value;
  };
  const facts = words.facts.slice(0, 3);
  const [headline, name, ...small] = await Promise.all([
    fitted(words.headline, { width: 496, third: 428, height: 250, largest: 61 }),
    fitted(words.name, { width: 400, height: 27, largest: 26 }),
    ...facts.map((fact) => fitted(fact, { width: 470, height: 23, largest: 22 }, PLAIN)),
  ]);
  const rows = small.map(
    (fact, row) => `<g transform="translate(0 ${(3 - facts.length + row) * 36 + 494})">
<path fill="none" stroke="${colour('--line')}" stroke-width="2" d="M65-13h12v12h-12z"/><g transform="translate(92 0)">${fact}</g></g>`,
  );
  const grid = `<path d="M0 0H40M0 0V40" fill="none" stroke="${colour('--grid')}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630">
<style>${sharePicture}</style>
<pattern id="grid" width="40" height="40" patternUnits="userSpaceOnUse">${grid}</pattern>
<path fill="${colour('--ground')}" d="M0 0h1200v630H0z"/>
<path fill="${colour('--sheet')}" d="M24 24h1152v582H24z"/>
<path fill="url(#grid)" stroke="${colour('--rule')}" d="M24 24h1152v582H24z"/>
<g transform="translate(488 84) scale(${684 / 864})">${plan}</g>
<g transform="translate(64 64) scale(${44 / 32})">${mark}</g>
<g fill="${colour('--ink')}"><g transform="translate(124 95)">${name}</g>
<g transform="translate(62 232)">${headline}</g></g>
<g fill="${colour('--ink-quiet')}">${rows.join('')}</g>
</svg>`;
  return { [path]: await sharp(Buffer.from(svg)).png().toBuffer() };
}

/** Line height, relative to the type size. */
const LEADING = 1.02;

/** In pixels, like everything here; `largest` is the type size if there's room, `third` that of the third line. */
type Box = Record<'width' | 'height' | 'largest', number> & { third?: number };

/** A sentence broken into the lines that fill its box best. As outlines, since librsvg doesn't load web fonts. */
async function fitted(sentence: string, box: Box, cut = WIDE): Promise<string> {
  // With the space, since a font can't be empty, and the typeface may lack all of the sentence's letters.
  const subset = await subsetFont(await readFile(FONT_SOURCE), `${sentence} `, {
    // Compressed, it would take ten times as long.
    targetFormat: 'truetype',
    variationAxes: cut,
  });
  // For a glyph without outlines, such as a space, fontkitten reads ten bytes that needn't be there.
  const font = create(Buffer.concat([subset, Buffer.alloc(10)]));
  if (font.isCollection) throw new Error('The typeface holds several fonts; one was expected');
  const ems = (text: string) =>
    font.glyphsForString(text).reduce((sum, { advanceWidth }) => sum + advanceWidth, 0) / font.unitsPerEm;
  const sizeOf = (texts: string[]) => {
    const sizes = texts.map((text, line) => ((line === 2 && box.third) || box.width) / ems(text));
    return Math.min(box.largest, box.height / (texts.length * LEADING), ...sizes);
  };
  const best = Array.from({ length: sentence.length }, (_, at) => lines(sentence, at + 1)).reduce(
    // At the same size, the fewest lines
    (one, other) => (sizeOf(other) >= sizeOf(one) ? other : one),
  );
  const scale = sizeOf(best) / font.unitsPerEm;
  const paths = best.flatMap((text, line) => {
    let x = 0;
    return font.glyphsForString(text).map((glyph) => {
      const path = glyph.path.scale(1, -1).translate(x, line * font.unitsPerEm * LEADING);
      x += glyph.advanceWidth;
      return `<path d="${path.toSVG()}"/>`;
    });
  });
  return `<g transform="scale(${scale})">${paths.join('')}</g>`;
}

/** Breaks a sentence into lines of at most `width` characters, or one longer word. */
const lines = (sentence: string, width: number): string[] =>
  sentence.match(new RegExp(`([^ ].{0,${width - 1}}|[^ ]+)(?= |$)`, 'gs')) ?? [];
