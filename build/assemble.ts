import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'lightningcss';
import type { Settings } from '../server/settings.ts';
import type { Assets, Picture } from '../site/ui/assets.ts';
import { type EmittedFile, hashed } from './files.ts';
import { buildFonts } from './fonts.ts';
import { buildFounderPhoto } from './founder-photo.ts';
import { buildPictures } from './pictures.ts';
import { ROOT } from './vite.ts';

/** What Vite made of build/render.tsx. */
export type Renderer = typeof import('./render.tsx');

interface Assembled {
  files: EmittedFile[];
  pages: Record<string, string>;
  /** What the owner should know, one sentence each. */
  notes: string[];
}

/**
 * Makes everything beside the scripts (drawings, fonts, photo) and renders the pages around it.
 *
 * @param css the page's own styles, without fonts
 * @param script address of the browser entry
 */
export async function assemble(
  renderer: Renderer,
  settings: Settings,
  css: string,
  script: string,
): Promise<Assembled> {
  const drawn = await writeDrawings(renderer);
  const photo = await buildFounderPhoto();
  const parts = renderer.renderParts();
  const pictures = await buildPictures(parts.plan, parts.mark);
  const print = hashed('assets/print.css', await minified('site/styles/print.css'));
  const assets: Assets = {
    contactEmail: settings.contactEmail,
    siteUrl: settings.siteUrl,
    css,
    printCss: `/${print.path}`,
    script,
    fonts: [],
    favicon: drawn.pictures.favicon.src,
    sharePicture: pictures.share,
    drawings: drawn.pictures,
    founderPhoto: photo.photo,
  };
  const draft = await renderer.renderPages(assets);
  const fonts = await buildFonts(Object.values(draft).map(textOf).join(''));
  const pages = await renderer.renderPages({ ...assets, css: fonts.css + css, fonts: fonts.preload });
  const notes = [...photo.notes];
  if (fonts.missing.length > 0) {
    notes.push(
      `The page's typeface has no ${fonts.missing.join(' ')}; browsers will take these characters from another one.`,
    );
  }
  return { files: [print, ...pictures.files, ...drawn.files, ...photo.files, ...fonts.files], pages, notes };
}

async function writeDrawings(renderer: Renderer) {
  // A drawing in a file of its own does not see the page's styles, so it carries the few it needs.
  const style = await minified('site/styles/tokens.css', 'site/drawings/drawing.css');

  const files: EmittedFile[] = [];
  const pictures: Record<string, Picture> = {};
  for (const [name, markup] of renderer.renderDrawings()) {
    const [, open = '', rest = ''] = /^(<svg[^>]*>)(.*)$/s.exec(markup) ?? [];
    const size = (side: string) => Number(new RegExp(`\\s${side}="([\\d.]+)"`).exec(open)?.[1]);
    const svg = `${open.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')}<style>${used(style, markup)}</style>${rest}`;
    const file = hashed(`assets/${name}.svg`, svg);
    files.push(file);
    pictures[name] = { src: `/${file.path}`, width: size('width'), height: size('height') };
  }
  return { files, pictures: pictures as Assets['drawings'] & { favicon: Picture } };
}

async function minified(...paths: string[]): Promise<string> {
  const sources = await Promise.all(paths.map((path) => readFile(join(ROOT, path), 'utf8')));
  return transform({
    filename: paths.join(),
    code: Buffer.from(sources.join('')),
    minify: true,
  }).code.toString();
}

/** Leaves out the rules of classes that this drawing lacks, then the custom properties that nothing reads. */
function used(style: string, markup: string): string {
  const rules = style.replace(/\.(d-[\w-]+)[^{},]*\{[^{}]*\}/g, (rule, name: string) =>
    new RegExp(`\\b${name}\\b`).test(markup) ? rule : '',
  );
  return onlyRead(rules, markup);
}

function onlyRead(style: string, markup: string): string {
  const read = new Set([...`${style}${markup}`.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name));
  return style.replace(/(--[\w-]+):[^;}]*;?/g, (declaration, name: string) =>
    read.has(name) ? declaration : '',
  );
}

/** The characters between the tags, entities decoded as far as React writes them. */
function textOf(html: string): string {
  return html
    .replace(/<(style|script)\b.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&');
}
