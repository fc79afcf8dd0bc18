import '../site/styles/tokens.first.css';
import '../site/styles/tokens.css';
import '../site/styles/base.first.css';
import '../site/styles/base.css';
import '../site/drawings/drawing.first.css';
import '../site/drawings/HeroPlan.first.css';
import '../site/drawings/HeroPlan.motion.css';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { prerender } from 'react-dom/static';
import { NOT_SENT_PAGE } from '../contract/contact.ts';
import { brand } from '../site/content/business.ts';
import { notFound, notSent } from '../site/content/error-pages.ts';
import { hero } from '../site/content/hero.ts';
import { site } from '../site/content/site.ts';
import { Document } from '../site/Document.tsx';
import { type DrawingName, drawings } from '../site/drawings/files.tsx';
import { HeroPlan } from '../site/drawings/HeroPlan.tsx';
import { Mark } from '../site/drawings/Mark.tsx';
import { FileStyle } from '../site/drawings/parts/sheet.tsx';
import type { Icon } from '../site/machine-readable/files.ts';
import { machineReadableFiles } from '../site/machine-readable/files.ts';
import { NotFound } from '../site/NotFound.tsx';
import { NotSent } from '../site/NotSent.tsx';
import { Page } from '../site/Page.tsx';
import { type Assets, AssetsProvider } from '../site/ui/assets.ts';
import { filled } from '../site/ui/words.ts';
import type { EmittedFile } from './files.ts';
import type { Parts } from './pictures.ts';
import '../site/styles/print.css';

const STANDALONE = { xmlns: 'http://www.w3.org/2000/svg' };

/** The drawings that become files, by name. `styleOf` picks the styles that some markup needs. */
export function renderDrawings(styleOf: (markup: string) => string): [DrawingName | 'favicon', string][] {
  const asFile = (drawing: ReactElement) =>
    renderToStaticMarkup(
      <FileStyle value={styleOf(renderToStaticMarkup(drawing))}>{drawing}</FileStyle>,
      // A standalone file is XML, where empty elements can close themselves.
    ).replaceAll('></path>', '/>');
  const names = Object.keys(drawings) as DrawingName[];
  return [
    ...names.map((name): [DrawingName, string] => [name, asFile(drawings[name])]),
    ['favicon', renderToStaticMarkup(<Mark {...STANDALONE} />)],
  ];
}

/** What the icons and the share picture are made of. */
export function renderParts(): Parts {
  return {
    plan: renderToStaticMarkup(<HeroPlan />),
    mark: renderToStaticMarkup(<Mark {...STANDALONE} />),
    headline: filled(hero.headline),
    facts: filled(hero.facts),
    name: brand.name,
  };
}

/** Tells the owner what search engines will cut off. Limits are in characters, for a wide screen. */
export function notesOnLength(): string[] {
  const texts: [field: string, text: string, most: number][] = [
    ['title', `${filled(site.title)} – ${brand.name}`, 70],
    ['description', filled(site.description), 160],
  ];
  return texts
    .filter(([, text, most]) => text.length > most)
    .map(
      ([field, text, most]) =>
        `The ${field} in site/content/site.ts has ${text.length} characters; search engines show about ${most}.`,
    );
}

/** Files that only programs read. */
export function renderMachineReadable(assets: Assets, icons: Icon[], now: Date): EmittedFile[] {
  return Object.entries(machineReadableFiles(assets, icons, now)).map(([path, body]) => ({ path, body }));
}

/** Every HTML file on the site, by its path in `dist/`. */
export async function renderPages(assets: Assets): Promise<Record<string, string>> {
  const pages = {
    'index.html': (
      <Document title={filled(site.title)} description={filled(site.description)}>
        <Page />
      </Document>
    ),
    '404.html': (
      <Document title={filled(notFound.title)}>
        <NotFound />
      </Document>
    ),
    [NOT_SENT_PAGE]: (
      <Document title={filled(notSent.title)}>
        <NotSent />
      </Document>
    ),
  };
  const rendered = Object.entries(pages).map(async ([path, page]) => {
    const { prelude } = await prerender(<AssetsProvider value={assets}>{page}</AssetsProvider>);
    return [path, await new Response(prelude).text()] as const;
  });
  return Object.fromEntries(await Promise.all(rendered));
}
