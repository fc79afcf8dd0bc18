import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'fontkitten';
import { transform } from 'lightningcss';
import sharp from 'sharp';
import subsetFont from 'subset-font';
import type { Icon } from '../site/machine-readable/manifest.ts';
import { type EmittedFile, hashed } from './files.ts';
import { FONT_SOURCE } from './fonts.ts';
import { readTokens } from './tokens.ts';
import { ROOT } from './vite.ts';

/** What the pictures show: drawings as `<svg>` markup, and words. */
export interface Parts {
  /** The hero's drawing. */
  plan: string;
  /** The logo. */
  mark: string;
  headline: string;
  name: string;
}

interface Pictures {
  files: EmittedFile[];
  /** What links to the page show, 1200 by 630. */
  share: string;
  /** For a phone's home screen. */
  icons: Icon[];
}

/** Programs that take an .ico take the size they need out of it. */
const ICO_SIZES = [16, 32, 48];
const ICON_SIZES = [192, 512];
/** A maskable icon may lose all but its inner circle, four fifths across; the mark's corners stay in it. */
const MASKABLE = { size: 512, margin: 112 };

/**
 * The pictures that programs show for the page: icons at the addresses that browsers look for by
 * themselves, those for a home screen, and the one beside a shared link.
 */
export async function buildPictures(parts: Parts): Promise<Pictures> {
  const { mark } = parts;
  const background = (await readTokens()).light['--sheet'] ?? '';
  const share = hashed(
    'assets/share.png',
    await sharp(Buffer.from(await shareSvg(parts)))
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
  const drawn = sharp(Buffer.from(namespaced(mark)), { density: (72 * inner) / 32 })
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

/** An icon file: a directory of 6 bytes and 16 for each picture, then the PNGs of `ICO_SIZES` as they are. */
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

async function shareSvg({ plan, mark, headline: sentence, name: brand }: Parts): Promise<string> {
  const { light: tokens } = await readTokens();
  const [headline, name] = await Promise.all([outlines(lines(sentence, 13)), outlines([brand])]);
  const grid = '<path d="M0 0H40M0 0V40" fill="none" stroke="var(--grid)"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630">
<style>${await drawingStyles()}</style>
<pattern id="grid" width="40" height="40" patternUnits="userSpaceOnUse">${grid}</pattern>
<path fill="var(--ground)" d="M0 0h1200v630H0z"/>
<path fill="var(--sheet)" d="M24 24h1152v582H24z"/>
<path fill="url(#grid)" stroke="var(--rule)" d="M24 24h1152v582H24z"/>
<svg x="488" y="84" width="684" height="509" ${plan.slice(4).replace(/\s(width|height)="[\d.]+"/g, '')}
<svg x="64" y="64" width="44" height="44" ${mark.slice(4).replace(/\s(width|height)="[\d.]+"/g, '')}
<g fill="var(--ink)"><g transform="translate(124 95)scale(.026)">${name}</g>
<g transform="translate(62 232)scale(.061)">${headline}</g></g>
</svg>`;
  // The library that rasterizes knows no custom properties; in this one picture each has one value.
  return svg.replace(/var\((--[\w-]+)\)/g, (_, token: string) => {
    const value = tokens[token];
    if (!value) throw new Error(`tokens.css has no ${token}, which the share picture uses`);
    return value;
  });
}

/** The rules of the plan at rest, with what is inside the bottleneck written out in its own colours. */
async function drawingStyles(): Promise<string> {
  const { light: tokens } = await readTokens();
  const fill = (css: string, values: Record<string, string>) =>
    css.replace(/var\((--[\w-]+)\)/g, (place, name: string) => values[name] ?? place);
  const [drawing, plan] = await Promise.all(
    ['drawing', 'HeroPlan'].map((file) => readFile(join(ROOT, `site/drawings/${file}.css`), 'utf8')),
  );
  const rules = [...`${drawing}${plan?.split('@media')[0]}`.matchAll(/([^{}]+)\{([^{}]*)\}/g)];
  const hot = rules.find(([, selector]) => selector?.trim().endsWith('.d-hot'))?.[2] ?? '';
  const hotTokens = Object.fromEntries(
    [...hot.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [
      name,
      fill(value, tokens),
    ]),
  );
  const css = rules.map(([, selector = '', body = '']) => {
    const plain = body.replace(/--[\w-]+:[^;]*;/g, '');
    const inHot = selector.replace(/\/\*.*?\*\//gs, '').trim();
    return `${selector}{${fill(plain, inHot.includes('.d-hot') ? { ...tokens, ...hotTokens } : tokens)}}
.d-hot ${inHot}{${fill(plain, { ...tokens, ...hotTokens })}}`;
  });
  return transform({
    filename: 'share.css',
    code: Buffer.from(css.join('\n')),
    minify: true,
  }).code.toString();
}

/** Breaks a sentence into lines of at most `width` characters. */
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

/** Lines of the headlines' cut as outlines, in font units, so that no font is needed to rasterize them. */
async function outlines(texts: string[]): Promise<string> {
  const subset = await subsetFont(await readFile(FONT_SOURCE), texts.join(''), {
    targetFormat: 'woff2',
    variationAxes: { wght: 800, wdth: 125 },
  });
  const font = create(subset);
  if (font.isCollection) throw new Error('The typeface holds several fonts; one was expected');
  return texts
    .map((text, line) => {
      let x = 0;
      return [...text]
        .map((character) => {
          const glyph = font.glyphForCodePoint(character.codePointAt(0) ?? 0);
          const path = glyph.path
            .scale(1, -1)
            .translate(x, line * font.unitsPerEm * 1.02)
            .toSVG();
          x += glyph.advanceWidth;
          return `<path d="${path}"/>`;
        })
        .join('');
    })
    .join('');
}

function namespaced(svg: string): string {
  return svg.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"');
}
