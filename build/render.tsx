import { renderToStaticMarkup } from 'react-dom/server';
import { prerender } from 'react-dom/static';
import { NOT_SENT_PAGE } from '../contract/contact.ts';
import { notFound, notSent } from '../site/content/error-pages.ts';
import { site } from '../site/content/site.ts';
import { Document } from '../site/Document.tsx';
import { type DrawingName, drawings } from '../site/drawings/files.tsx';
import { HeroPlan } from '../site/drawings/HeroPlan.tsx';
import { Mark } from '../site/drawings/Mark.tsx';
import { NotFound } from '../site/NotFound.tsx';
import { NotSent } from '../site/NotSent.tsx';
import { Page } from '../site/Page.tsx';
import { type Assets, AssetsProvider } from '../site/ui/assets.ts';
import '../site/styles/tokens.css';
import '../site/styles/base.css';
import '../site/drawings/drawing.css';
import '../site/drawings/HeroPlan.css';

/** The drawings that become files of their own, as bare `<svg>` markup by name. */
export function renderDrawings(): [DrawingName | 'favicon', string][] {
  const names = Object.keys(drawings) as DrawingName[];
  return [
    ...names.map((name): [DrawingName, string] => [name, renderToStaticMarkup(drawings[name])]),
    ['favicon', renderToStaticMarkup(<Mark />)],
  ];
}

/** What the build makes icons and the share picture of, as `<svg>` markup. */
export function renderParts(): { plan: string; mark: string } {
  return { plan: renderToStaticMarkup(<HeroPlan />), mark: renderToStaticMarkup(<Mark />) };
}

/** Every HTML file of the site, by its path in `dist/`. */
export async function renderPages(assets: Assets): Promise<Record<string, string>> {
  const pages = {
    'index.html': (
      <Document title={site.title} description={site.description}>
        <Page />
      </Document>
    ),
    '404.html': (
      <Document title={notFound.title}>
        <NotFound />
      </Document>
    ),
    [NOT_SENT_PAGE]: (
      <Document title={notSent.title}>
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
