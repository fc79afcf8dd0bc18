import { readFile } from 'node:fs/promises';
import { create } from 'fontkitten';
import sharp from 'sharp';
import subsetFont from 'subset-font';
import type { Icon } from '../site/machine-readable/files.ts';
import { type EmittedFile, hashed } from './emitted-files.ts';
import { FONT_SOURCE } from './fonts.ts';

/** What the pictures show: drawings as SVG, and text. */
export interface Parts {
  /** The hero's drawing. */
  plan: string;
  /** The logo. */
  mark: string;
  headline: string;
  name: string;
  /** Short lines below the headline; the first three are shown. */
  facts: readonly string[];
}

/** What's the same for any words. */
interface Look {
  /** The plan's rules. */
  sharePicture: string;
  /** The colours of the light theme. */
  light: Record<string, string>;
}

interface Pictures {
  files: EmittedFile[];
  /** The picture that links to the page show, 1200 by 630. */
  share: string;
  /** For a phone's home screen. */
  icons: Icon[];
}

/** All three go into the .ico file. */
const ICO_SIZES = [16, 32, 48];
const ICON_SIZES = [192, 512];
/** A maskable icon may be cropped to a circle 80% of its width. The margin keeps the mark's corners inside. */
const MASKABLE = { size: 512, margin: 96 };

/** Cuts of the typeface, for headlines and for the small lines below them. */
const WIDE = { wght: 800, wdth: 125 };
const PLAIN = { wght: 600, wdth: 100 };

/**
 * The icons that browsers request on their own, the icons for home screens, and the picture for shared links.
 */
export async function buildPictures(parts: Parts, look: Look): Promise<Pictures> {
  const { mark } = parts;
  const { light } = look;
  const background = light['--sheet'] ?? '';
  const share = hashed(
    'assets/share.png',
    await sharp(Buffer.from(await shareSvg(parts, look)))
      .png()
      .toBuffer(),
  );
  const screens = [
    ...ICON_SIZES.map((size) => ({ size, maskable: false, drawn: icon(mark, size) })),
    {
      size: MASKABLE.size,
      maskable: true,
      drawn: icon(mark, MASKABLE.size, { margin: MASKABLE.margin, background }),
    },
  ];
  const built = await Promise.all(
    screens.map(async ({ size, maskable, drawn }) => {
      const file = hashed(`assets/icon-${size}${maskable ? '-maskable' : ''}.png`, await drawn);
      return { file, icon: { src: file.path, size, maskable } };
    }),
  );
  return {
    share: `/${share.path}`,
    icons: built.map(({ icon }) => icon),
    files: [
      share,
      ...built.map(({ file }) => file),
      { path: 'favicon.ico', body: toIco(await Promise.all(ICO_SIZES.map((size) => icon(mark, size)))) },
      { path: 'apple-touch-icon.png', body: await icon(mark, 180, { margin: 22, background }) },
    ],
  };
}

function icon(mark: string, size: number, { margin = 0, background = '' } = {}): Promise<Buffer> {
  const inner = size - 2 * margin;
  const drawn = sharp(Buffer.from(mark), { density: (72 * inner) / 32 })
    .resize(inner, inner)
    .extend({
      top: margin,
      bottom: margin,
      left: margin,
      right: margin,
      background: background || '#00000000',
    });
  return (background ? drawn.flatten({ background }) : drawn).png().toBuffer();
}

/** An .ico file: a 6-byte header, a 16-byte entry for each picture, then the PNGs of `ICO_SIZES`, unchanged. */
function toIco(pngs: Buffer[]): Buffer {
  const head = Buffer.alloc(6 + 16 * pngs.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pngs.length, 4);
  let offset = head.length;
  for (const [index, png] of pngs.entries()) {
    const at = 6 + 16 * index;
    const size = ICO_SIZES[index] ?? 0;
    head.writeUInt8(size, at);
    head.writeUInt8(size, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...pngs]);
}

async function shareSvg({ plan, mark, ...words }: Parts, { sharePicture, light }: Look): Promise<string> {
  const colour = (name: string) => {
    const value = light[name];
    if (!value) throw new Error(`tokens.first.css has no ${name}, which the share picture uses`);
    return value;
  };
  const facts = words.facts.slice(0, 3);
  const [headline, name, ...small] = await Promise.all([
    fitted(words.headline, { width: 496, height: 250, largest: 61 }),
    fitted(words.name, { width: 400, height: 27, largest: 26 }),
    ...facts.map((fact) => fitted(fact, { width: 470, height: 23, largest: 22 }, PLAIN)),
  ]);
  const rows = small.map(
    (fact, row) => `<g transform="translate(0 ${(3 - facts.length + row) * 36 + 494})">
<path fill="none" stroke="${colour('--line')}" stroke-width="2" d="M65-13h12v12h-12z"/><g transform="translate(92 0)">${fact}</g></g>`,
  );
  const grid = `<path d="M0 0H40M0 0V40" fill="none" stroke="${colour('--grid')}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630">
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
}

/** Line height, relative to the type size. */
const LEADING = 1.02;

interface Box {
  width: number;
  height: number;
  /** The type size if there's room. Everything here is in pixels. */
  largest: number;
}

/** A sentence broken into the lines that fill its box best. As outlines, since librsvg doesn't load web fonts. */
async function fitted(sentence: string, box: Box, cut = WIDE): Promise<string> {
  const subset = await subsetFont(await readFile(FONT_SOURCE), sentence, {
    targetFormat: 'woff2',
    variationAxes: cut,
  });
  const font = create(subset);
  if (font.isCollection) throw new Error('The typeface holds several fonts; one was expected');
  const glyphs = (text: string) => [...text].map((sign) => font.glyphForCodePoint(sign.codePointAt(0) ?? 0));
  const ems = (text: string) =>
    glyphs(text).reduce((sum, { advanceWidth }) => sum + advanceWidth, 0) / font.unitsPerEm;
  const sizeOf = (texts: string[]) =>
    Math.min(box.largest, box.width / Math.max(...texts.map(ems)), box.height / (texts.length * LEADING));
  const best = Array.from({ length: sentence.length }, (_, at) => lines(sentence, at + 1)).reduce(
    (one, other) => (sizeOf(other) > sizeOf(one) ? other : one),
  );
  const scale = sizeOf(best) / font.unitsPerEm;
  const paths = best.flatMap((text, line) => {
    let x = 0;
    return glyphs(text).map((glyph) => {
      const path = glyph.path.scale(1, -1).translate(x, line * font.unitsPerEm * LEADING);
      x += glyph.advanceWidth;
      return `<path d="${path.toSVG()}"/>`;
    });
  });
  return `<g transform="scale(${scale})">${paths.join('')}</g>`;
}

/** Breaks a sentence into lines of at most `width` characters, or one longer word. */
function lines(sentence: string, width: number): string[] {
  const broken: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = broken.at(-1);
    if (last !== undefined && last.length + word.length < width)
      broken[broken.length - 1] = `${last} ${word}`;
    else broken.push(word);
  }
  return broken;
}
