import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Mark } from '../../site/drawings/Mark.tsx';
import { Portrait } from '../../site/drawings/Portrait.tsx';
import { TitleBlock } from '../../site/ui/TitleBlock.tsx';

/* What every page of the desk has around it, and pages of words alone. */

/** The style sheet's path, what the last form did, the site's name, and the title block. */
export type Frame = { css: string; notices: string[]; site: string; facts: Row[] };
export type Row = [label: string, value: ReactNode];

const PLACES = {
  '/': 'Inbox',
  '/words': 'Words',
  '/settings': 'Settings',
  '/figures': 'Figures',
  '/doctor': 'Doctor',
};

function html(title: string, css: string, body: ReactNode): string {
  const document = (
    <html lang="en-CA">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Desk`}</title>
        <link rel="stylesheet" href={css} />
      </head>
      <body>{body}</body>
    </html>
  );
  return `<!doctype html>${renderToStaticMarkup(document)}`;
}

export function page(title: string, { css, notices, site, facts }: Frame, main: ReactNode): string {
  const body = (
    <>
      <header className="top">
        <p className="bar">
          <Mark />
          <b>Desk</b> of {site}
        </p>
        <nav aria-label="Desk">
          {Object.entries(PLACES).map(([path, name]) => (
            <a key={path} href={path} aria-current={name === title ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </header>
      <div className="drawing">
        <main>
          <div role="status" className={notices.length > 0 ? 'notice' : undefined}>
            {notices.map((line) => (
              <p key={line}>{line}</p>
            ))}
          </div>
          {main}
        </main>
        <footer>
          <p>
            Only this computer shows these pages, and only while <code>npm run desk</code> runs. Backups and
            more are commands: <code>npm run desk help</code>.
          </p>
          <TitleBlock rows={facts} />
        </footer>
      </div>
    </>
  );
  return html(title, css, body);
}

export function Post({ to, children }: { to: string; children: ReactNode }) {
  return (
    <form method="post" action={to}>
      <button className="button" type="submit">
        {children}
      </button>
    </form>
  );
}

export function plainPage(frame: Frame, title: string, heading: string, words: string): string {
  const main = (
    <div className="beside">
      <div>
        <h1>{heading}</h1>
        <p className="lead">{words}</p>
      </div>
      <Portrait />
    </div>
  );
  return page(title, frame, main);
}

/** For everybody who isn't let in. Nothing of the owner's is on it. */
export function refusedPage(css: string, heading: string, words: string): string {
  const main = (
    <main className="drawing">
      <h1>{heading}</h1>
      <p className="lead">{words}</p>
    </main>
  );
  return html(heading, css, main);
}
