import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'lightningcss';
import { minify } from 'terser';
import type { Settings } from '../settings/settings.ts';
import type { Assets, Picture } from '../site/ui/assets.ts';
import { below } from './base-path.ts';
import { type EmittedFile, hashed } from './files.ts';
import { buildFonts } from './fonts.ts';
import { buildFounderPhoto } from './founder-photo.ts';
import { buildPictures } from './pictures.ts';
import { divideStyles, shortenModuleNames } from './styles.ts';
import { readTokens } from './tokens.ts';
import { ROOT } from './vite.ts';

/** What Vite made of build/render.tsx. */
export type Renderer = typeof import('./render.tsx');

/** Stands where the styles of a page go, which are chosen by what else is on it. */
const CSS_PLACE = '/* styles */';

interface Assembled {
  files: EmittedFile[];
  pages: Record<string, string>;
  /** What the owner should know, one sentence each. */
  notes: string[];
}

/**
 * Makes everything beside the scripts (drawings, fonts, photo) and renders the pages around it.
 *
 * @param css all styles of pages and islands, without fonts
 * @param scripts the browser's scripts, of which the entry is at `entry`
 * @param now when the site is built
 */
export async function assemble(
  renderer: Renderer,
  settings: Pick<Settings, 'contactEmail' | 'retentionDays' | 'siteUrl' | 'basePath'>,
  css: string,
  { entry, code, integrity }: { entry: string; code: string; integrity?: string },
  now: Date = new Date(),
): Promise<Assembled> {
  const drawn = await writeDrawings(renderer);
  const photo = await buildFounderPhoto();
  const pictures = await buildPictures(renderer.renderParts());
  const { light, dark } = await readTokens();
  const later = [
    await source('site/styles/after-first-paint.css'),
    `@media print{${await source('site/styles/print.css')}}`,
    await source('site/drawings/HeroPlan.motion.css'),
  ].join('');
  const assets: Assets = {
    contactEmail: settings.contactEmail,
    retentionDays: settings.retentionDays,
    siteUrl: settings.siteUrl,
    css: '',
    laterCss: '',
    script: { src: entry, integrity },
    afterFirstPaint: await afterFirstPaint(),
    fonts: [],
    favicon: drawn.pictures.favicon.src,
    sharePicture: pictures.share,
    // What the header, which a browser's own bar meets, is painted in.
    themeColors: { light: light['--ground'] ?? '', dark: dark['--ground'] ?? '' },
    drawings: drawn.pictures,
    founderPhoto: photo.photo,
  };
  const drafts = await renderer.renderPages(assets);
  const draft = Object.values(drafts).join('');
  const fonts = await buildFonts(textOf(draft));
  const styles = divideStyles(css, later, {
    html: draft,
    first: drafts['index.html'] ?? '',
    scripts: code,
  });
  const shorten = shortenModuleNames(css);
  const laterCss = hashed('assets/later.css', fonts.faces + below(settings.basePath, shorten(styles.later)));
  const rendered = await renderer.renderPages({
    ...assets,
    css: CSS_PLACE,
    laterCss: `/${laterCss.path}`,
    fonts: fonts.preload,
  });
  const pages = Object.fromEntries(
    Object.entries(rendered).map(([path, html]) => {
      const page = html.replace(CSS_PLACE, () => fonts.fallbackFaces + styles.inlineFor(html));
      return [path, below(settings.basePath, shorten(tidied(page)))];
    }),
  );
  const notes = renderer.notesOnLength();
  if (fonts.missing.length > 0) {
    notes.push(
      `The page's typeface has no ${fonts.missing.join(' ')}; browsers will take these characters from another one.`,
    );
  }
  return {
    files: [
      laterCss,
      ...pictures.files,
      ...drawn.files,
      ...photo.files,
      ...fonts.files,
      ...renderer.renderMachineReadable(assets, pictures.icons, now),
    ],
    pages,
    notes,
  };
}

/** The one script inside the pages, as small as it gets. It has no types that would have to go. */
async function afterFirstPaint(): Promise<string> {
  const { code } = await minify(await source('site/islands/after-first-paint.ts'), { module: true });
  return code ?? '';
}

async function writeDrawings(renderer: Renderer) {
  // A drawing in a file of its own does not see the page's styles, so it carries the few it needs.
  const style = await minified('site/styles/tokens.css', 'site/drawings/drawing.css');

  const drawings: (EmittedFile & { name: string; size: Omit<Picture, 'src'> })[] = [];
  for (const [name, markup] of renderer.renderDrawings()) {
    const [, open = '', rest = ''] = /^(<svg[^>]*>)(.*)$/s.exec(markup) ?? [];
    const size = (side: string) => Number(new RegExp(`\\s${side}="([\\d.]+)"`).exec(open)?.[1]);
    const svg = `${open.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')}<style>${used(style, markup)}</style>${rest}`;
    drawings.push({
      name,
      path: `${name}.svg`,
      body: svg,
      size: { width: size('width'), height: size('height') },
    });
  }
  // One hash for all of them: eighteen would weigh more in the page than whole drawings do.
  const folder = hashed('assets/drawings', drawings.map(({ body }) => body).join('')).path;
  const files = drawings.map(({ path, body }) => ({ path: `${folder}/${path}`, body }));
  const pictures: Record<string, Picture> = Object.fromEntries(
    drawings.map(({ name, path, size }) => [name, { src: `/${folder}/${path}`, ...size }]),
  );
  return { files, pictures: pictures as Assets['drawings'] & { favicon: Picture } };
}

function source(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}

async function minified(...paths: string[]): Promise<string> {
  const sources = await Promise.all(paths.map(source));
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

/**
 * Without what HTML does not need: end tags of shapes, and those that a parser sets by itself, and what icons
 * say of themselves.
 */
function tidied(html: string): string {
  return html
    .replace(
      /<\/p>(?=<(?:p|div|ul|ol|dl|h\d|section|details|form|table)\b|<\/(?:div|section|li|article|header|footer|main|details|form|figure)>)/g,
      '',
    )
    .replace(/<\/(dd|dt|li)>/g, '')
    .replace(/ ([\w-]+)=""(?=[ />])/g, ' $1')
    .replace(/(<(?:meta|link|img|input)\b[^>]*)\/>/g, '$1>')
    .replace(/><\/(path|use|circle|ellipse|rect|line|polyline|polygon)>/g, '/>')
    .replace(/<svg xmlns="[^"]*"/g, '<svg');
}

/** The characters between the tags, entities decoded as far as React writes them. */
function textOf(html: string): string {
  return html
    .replace(/<(style|script)\b.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&');
}
