import '../site/styles/fallback-fonts.first.css';
import '../site/styles/tokens.first.css';
import '../site/styles/tokens.css';
import '../site/styles/base.first.css';
import '../site/styles/base.css';
import '../site/drawings/drawing.first.css';
import '../site/drawings/HeroPlan.first.css';
import '../site/drawings/HeroPlan.motion.css';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { NOT_SENT_PAGE } from '../contract/contact-message.ts';
import { SENTENCES_FILE } from '../contract/refusal-sentences.ts';
import { brand } from '../site/content/business.ts';
import { notFound, notSent } from '../site/content/error-pages.ts';
import { hero } from '../site/content/hero.ts';
import { site } from '../site/content/site.ts';
import { Document } from '../site/Document.tsx';
import { files } from '../site/drawings/files.tsx';
import { HeroPlan } from '../site/drawings/HeroPlan.tsx';
import { Mark } from '../site/drawings/Mark.tsx';
import { NotFound, NotSent } from '../site/ErrorPages.tsx';
import toaster from '../site/islands/Toaster.module.css';
import { LegalPage, legalPages, legalWords } from '../site/LegalPage.tsx';
import { machineReadableFiles } from '../site/machine-readable/files.ts';
import { sentences } from '../site/machine-readable/sentences.ts';
import { Page } from '../site/Page.tsx';
import { type Assets, AssetsProvider, type Picture } from '../site/ui/assets.ts';
import { filled } from '../site/ui/words.ts';
import type { Files } from './folder.ts';
import type { Shared } from './pictures.ts';
import '../site/styles/legal.css';
import '../site/styles/print.css';

/** Exported for the styles of what only browsers render. */
export const onlyInBrowsers = [toaster];

const STANDALONE = { xmlns: 'http://www.w3.org/2000/svg' };

export const DARK = '-dark';

/**
 * The drawings' files, and the logo's, with the picture that each drawing is on the page. A file's drawings lie side
 * by side, each in a `<view>` of its name. The name with `DARK` is the one in dark colours or, for one on a blue
 * sheet, the one for paper.
 */
export function renderDrawings(styles: string, sealOf: (...parts: string[]) => string) {
  const drawn = Object.entries(files).map(([file, { width, height, drawings }]) => {
    const svgs = Object.values<ReactElement>(drawings).map((one) => closed(renderToStaticMarkup(one)));
    const views = Object.keys(drawings);
    const placed = svgs.map((svg, at) => {
      // Apart, or a view scaled down would show its neighbour's edge.
      const left = at * (width + 8);
      const view = (id: string) => `<view id="${id}" viewBox="${left} 0 ${width} ${height}"/>`;
      const name = views[at] ?? '';
      if (!svg.includes(`width="${width}" height="${height}"`))
        throw new Error(`${name} isn’t as large as its file of drawings says`);
      return view(name) + view(name + DARK) + svg.replace('<svg', `<svg x="${left}"`);
    });
    // As in the hero's drawing, small ones need thicker lines. The width is that of the picture on the page.
    const small = `@media(max-width:${width / 2}px){.d-root{stroke-width:2.4}.d-f{stroke-width:1.6}}`;
    const style = `<style>${styles}${small}</style>`;
    const box = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
    const svg = `<svg xmlns="${STANDALONE.xmlns}" ${box}>${style}${placed.join('')}</svg>`;
    const onBand = views.filter((_, at) => svgs[at]?.includes('d-band'));
    return { file, svg, width, height, views, onBand };
  });
  drawn.push({ file: 'favicon', svg: renderLogo(), width: 32, height: 32, views: [], onBand: [] });
  // One hash for all of them, since many hashes don't compress.
  const folder = `assets/drawings-${sealOf(...drawn.map(({ svg }) => svg))}`;
  const pictures: Record<string, Picture> = {};
  // WebKit doesn't tell pictures about the dark theme.
  let dark = '';
  let paper = '';
  for (const { file, width, height, views, onBand } of drawn) {
    const src = `/${folder}/${file}.svg`;
    pictures[file] = { src, width, height };
    for (const name of views) {
      pictures[name] = { src: `${src}#${name}`, width, height };
      const rule = `img[src="${src}#${name}"]{content:url("${src}#${name}${DARK}")}`;
      // On the blue sheet, it's the same in both themes, but paper is white.
      if (onBand.includes(name)) paper += rule;
      else dark += rule;
    }
  }
  return {
    files: Object.fromEntries(drawn.map(({ file, svg }) => [`${folder}/${file}.svg`, svg])),
    pictures: pictures as Assets['drawings'] & { favicon: Picture },
    styles: `@media screen and (prefers-color-scheme:dark){${dark}}@media print{${paper}}`,
  };
}

const renderLogo = () => renderToStaticMarkup(<Mark {...STANDALONE} />);

/** What the picture for shared links is made of. */
export function renderShared(): Shared {
  return {
    plan: renderToStaticMarkup(<HeroPlan />),
    mark: renderLogo(),
    headline: hero.headline,
    facts: hero.facts,
    name: brand.name,
  };
}

/** Files that only programs read: ours, and others'. */
export const renderFiles = (assets: Assets): Files => ({
  [SENTENCES_FILE]: JSON.stringify(sentences),
  ...machineReadableFiles(assets),
});

/** In SVG, an empty element may be self-closing, which makes a drawing with hundreds shorter. */
const closed = (text: string) =>
  ['path', 'use', 'rect', 'circle', 'ellipse'].reduce((all, tag) => all.replaceAll(`></${tag}>`, '/>'), text);

/** Every HTML file on the site, by its path in `dist/`. */
export function renderPages(assets: Assets): Record<string, string> {
  const page = (words: { title: string; path?: string; description?: string }, body: ReactElement) => (
    <Document {...filled(words)}>{body}</Document>
  );
  const title = filled(site.title, { headline: hero.headline.replace(/\.$/, '') });
  const legal = legalPages.map(([path, ours]) => {
    const words = legalWords(ours, assets);
    const { heading, description } = words;
    return [`${path}/index.html`, page({ title: heading, path, description }, <LegalPage {...words} />)];
  });
  const pages: Record<string, ReactElement> = {
    'index.html': page({ title, description: site.description }, <Page />),
    '404.html': page({ title: notFound.title }, <NotFound />),
    [NOT_SENT_PAGE]: page({ title: notSent.title }, <NotSent />),
    ...Object.fromEntries(legal),
  };
  const rendered = Object.entries(pages).map(([path, page]) => {
    const html = renderToStaticMarkup(<AssetsProvider value={assets}>{page}</AssetsProvider>);
    return [path, `<!DOCTYPE html>${closed(html)}`];
  });
  return Object.fromEntries(rendered);
}
