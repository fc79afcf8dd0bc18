import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'lightningcss';
import { minify, transformWithOxc } from 'vite';
import type { Settings } from '../settings/settings.ts';
import type { Assets, Picture } from '../site/ui/assets.ts';
import { CSS_TARGETS, TARGET } from './browsers.ts';
import { type EmittedFile, hashed } from './emitted-files.ts';
import { buildFonts } from './fonts.ts';
import { buildFounderPhoto } from './founder-photo.ts';
import { handlersOf } from './handlers.ts';
import { contentSecurityPolicy } from './headers.ts';
import { LICENCES } from './licences.ts';
import { buildPictures } from './pictures.ts';
import { readTokens } from './tokens.ts';
import { ROOT } from './vite.ts';

/** build/render.tsx, as built by Vite. */
export type Renderer = typeof import('./render.tsx');

/** All styles except fonts: those inlined in every page, and those in the file that loads later. */
export interface Styles {
  first: string;
  later: string;
}

interface Assembled {
  /** What the pages were rendered with. */
  assets: Assets;
  files: EmittedFile[];
  pages: Record<string, string>;
  /** The pages' Content-Security-Policy. */
  policy: string;
  /** What the owner should know, one sentence each. */
  notes: string[];
}

/**
 * Makes everything but the scripts (drawings, fonts, photo), and renders the pages with it.
 *
 * @param script the path of the browser's entry script
 */
export async function assemble(
  renderer: Renderer,
  settings: Pick<
    Settings,
    'contactEmail' | 'retentionDays' | 'siteUrl' | 'supabaseUrl' | 'wordsDir' | 'mail' | 'database'
  >,
  styles: Styles,
  script: string,
): Promise<Assembled> {
  const drawn = await writeDrawings(renderer);
  const photo = await buildFounderPhoto(settings.wordsDir);
  const pictures = await buildPictures(renderer.renderParts());
  const { light, dark } = await readTokens();
  const legal = hashed('assets/legal.css', await legalStyles());
  const draft: Assets = {
    contactEmail: settings.contactEmail,
    retentionDays: settings.retentionDays,
    handlers: handlersOf(settings),
    siteUrl: settings.siteUrl,
    css: '',
    laterCss: '',
    legalCss: `/${legal.path}`,
    // Without its hash, whose letters would get into the fonts.
    script: '/script.js',
    afterFirstPaint: await afterFirstPaint(),
    policy: '',
    fonts: [],
    favicon: drawn.pictures.favicon.src,
    sharePicture: pictures.share,
    // The header's colour, since the browser's address bar is right above it.
    themeColors: { light: light['--ground'] ?? '', dark: dark['--ground'] ?? '' },
    drawings: drawn.pictures,
    founderPhoto: photo.photo,
  };
  // The markup adds only ASCII, which the fonts have anyway.
  const fonts = await buildFonts(Object.values(await renderer.renderPages(draft)).join(''));
  const later = hashed('assets/later.css', `/* ../${LICENCES} */${fonts.faces}${styles.later}${drawn.dark}`);
  const css = fonts.fallbackFaces + styles.first;
  const policy = contentSecurityPolicy(css, draft.afterFirstPaint, settings.supabaseUrl);
  const assets = {
    ...draft,
    script: `/${script}`,
    css,
    policy,
    laterCss: `/${later.path}`,
    fonts: fonts.files.map(({ path }) => `/${path}`),
  };
  const pages = await renderer.renderPages(assets);
  const notes = renderer.notesOnLength();
  if (fonts.missing.length > 0) {
    notes.push(
      `The page's typeface has no ${fonts.missing.join(' ')}; browsers will take these characters from another one.`,
    );
  }
  return {
    assets,
    files: [
      later,
      ...(Object.values(pages).some((html) => html.includes(legal.path)) ? [legal] : []),
      ...pictures.files,
      ...drawn.files,
      ...photo.files,
      ...fonts.files,
      ...renderer.renderMachineReadable(assets, pictures.icons),
    ],
    pages,
    policy,
    notes,
  };
}

async function legalStyles(): Promise<Uint8Array> {
  const filename = join(ROOT, 'site/styles/legal.css');
  return transform({ filename, code: await readFile(filename), minify: true, targets: CSS_TARGETS }).code;
}

/** The page's inline script, minified. */
async function afterFirstPaint(): Promise<string> {
  const path = join(ROOT, 'site/islands/after-first-paint.ts');
  const script = await transformWithOxc(await readFile(path, 'utf8'), path, { target: TARGET });
  return (await minify(path, script.code, { module: true, compress: { target: TARGET } })).code;
}

async function writeDrawings(renderer: Renderer) {
  const styleOf = await stylePicker(renderer.DARK);
  const drawn = renderer.renderDrawings(styleOf);
  // One hash for all of them, since eighteen hashes don't compress.
  const folder = hashed('assets/drawings', drawn.map(([, svg]) => svg).join('')).path;
  const files = drawn.map(([name, body]) => ({ path: `${folder}/${name}.svg`, body }));
  const pictures: Record<string, Picture> = Object.fromEntries(
    drawn.flatMap(([file, svg]) => {
      const src = `/${folder}/${file}.svg`;
      const [, width, height] = / width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
      const size = { width: Number(width), height: Number(height) };
      const views = [...svg.matchAll(/<view id="([^"]+)"/g)].map(([, name = '']) => name);
      return [[file, { src, ...size }], ...views.map((name) => [name, { src: `${src}#${name}`, ...size }])];
    }),
  );
  // WebKit doesn't tell pictures of the dark theme.
  const dark = Object.entries(pictures)
    .filter(([name]) => pictures[name + renderer.DARK])
    .map(([, { src }]) => `img[src="${src}"]{content:url("${src}${renderer.DARK}")}`);
  return {
    files,
    pictures: pictures as Assets['drawings'] & { favicon: Picture },
    dark: `@media screen and (prefers-color-scheme:dark){${dark.join('')}}`,
  };
}

/**
 * Picks the rules for a drawing's classes, and the tokens that the rules or the drawing use.
 *
 * @param darkView what the name of a view in dark colours ends in
 */
async function stylePicker(darkView: string): Promise<(markup: string) => string> {
  const classes = new Set<string>();
  const tokens = new Set<string>();
  const without = (css: string, unusedSymbols: string[]) =>
    transform({
      filename: 'drawing.css',
      code: Buffer.from(css),
      minify: true,
      unusedSymbols,
      visitor: {
        Selector: (selector) => {
          for (const part of selector) if (part.type === 'class') classes.add(part.name);
        },
        Declaration: { custom: ({ name }) => void tokens.add(name) },
      },
    }).code.toString();
  const { light, dark, more } = await readTokens();
  const darker = Object.entries(dark).filter(([name, value]) => value !== light[name]);
  const isDark = `:root:has(:target[id$="${darkView}"])`;
  // An inverse drawing is for a blue sheet in the light theme, and for a light one in the dark theme.
  const lighter = darker.map(([name]) => [name, light[name]]);
  const set = (...tokens: (string | undefined)[][]) =>
    `{${tokens.map((token) => token.join(':')).join(';')}}`;
  const all = without(
    [
      `:root${set(...Object.entries(light))}`,
      `@media (prefers-color-scheme:dark){:root${set(...darker)}}`,
      `@media (prefers-contrast:more){:root${set(...Object.entries(more))}}`,
      await readFile(join(ROOT, 'site/drawings/drawing.first.css'), 'utf8'),
      `${isDark}${set(...darker)}`,
      `${isDark} .d-inverse${set(...lighter)}`,
      `@media (prefers-color-scheme:dark){.d-root.d-inverse${set(...lighter)}}`,
    ].join(''),
    [],
  );
  return (markup) => {
    const words = new Set(markup.split(/[\s"]/));
    let css = without(
      all,
      [...classes].filter((name) => !words.has(name)),
    );
    // More than once, since a token may only be used by another token.
    for (const _ of [1, 2, 3])
      css = without(
        css,
        [...tokens].filter((name) => !`${css}${markup}`.includes(`var(${name})`)),
      );
    return css;
  };
}
