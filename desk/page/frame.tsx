import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Mark } from '../../site/drawings/Mark.tsx';
import { Portrait } from '../../site/drawings/Portrait.tsx';
import { TitleBlock } from '../../site/ui/TitleBlock.tsx';

/* What every page of the desk has around it, and pages of words alone. */

/** The style sheet's path, what the last form did, which site this is, and when the page was made. */
export type Frame = { css: string; notices: string[]; site: string; drawn: string };
export type Row = [label: string, value: ReactNode];

const PLACES = {
  '/': 'Inbox',
  '/words': 'Words',
  '/settings': 'Settings',
  '/doctor': 'Doctor',
};

function html(title: string, css: string, body: ReactNode, more?: ReactNode): string {
  const document = (
    <html lang="en-CA">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Desk`}</title>
        <link rel="stylesheet" href={css} />
        {more}
      </head>
      <body>{body}</body>
    </html>
  );
  return `<!doctype html>${renderToStaticMarkup(document)}`;
}

function Top({ site, title }: { site: string; title: string }) {
  return (
    <header className="top">
      <p className="bar">
        <Mark />
        <b>Desk</b> <span>{site}</span>
      </p>
      <nav aria-label="Desk">
        {Object.entries(PLACES).map(([path, name]) => (
          <a key={path} href={path} aria-current={name === title ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}

/** @param block is a title block in the corner, unless the sheet has its own */
export function page(title: string, frame: Frame, main: ReactNode, block = true): string {
  const { css, notices, site, drawn } = frame;
  const body = (
    <>
      <Top site={site} title={title} />
      <div className="drawing">
        <main>
          <div id="said" role="status" className={notices.length > 0 ? 'notice' : undefined}>
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
          {block && <TitleBlock rows={Object.entries({ Sheet: title, Drawn: drawn })} />}
        </footer>
      </div>
    </>
  );
  return html(title, css, body);
}

/** The page around the editor of words, which `script` fills. */
export function wordsPage({ css, site }: Frame, script: string, editorCss: string): string {
  const body = (
    <div className="words-page">
      <Top site={site} title="Words" />
      <main id="editor">
        <p className="waiting">Getting the page ready …</p>
      </main>
    </div>
  );
  const more = (
    <>
      <link rel="stylesheet" href={editorCss} />
      <script type="module" src={script} />
    </>
  );
  return html('Words', css, body, more);
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

type Words = {
  title: string;
  heading: string;
  words: string;
  drawing?: ReactNode;
};

export function plainPage(frame: Frame, { title, heading, words, drawing }: Words): string {
  const main = (
    <div className="head is-calm">
      <div>
        <h1>{heading}</h1>
        <p className="lead">{words}</p>
      </div>
      {drawing ?? <Portrait />}
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
