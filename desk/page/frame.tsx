import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Mark } from '../../site/drawings/Mark.tsx';
import { Portrait } from '../../site/drawings/Portrait.tsx';
import { TitleBlock } from '../../site/ui/TitleBlock.tsx';

/* What every page of the desk has around it, and pages of words alone. */

export type Frame = {
  /** The style sheet's path. */
  css: string;
  /** What the last form did. */
  notices: string[];
  /** Which site this is. */
  site: string;
  /** When the page was made. */
  drawn: string;
  /** What every form that posts sends back, see `Token`. */
  token: string;
};
export type Row = [label: string, value: ReactNode];

const PLACES = {
  '/desk': 'Inbox',
  '/desk/words': 'Words',
  '/desk/settings': 'Settings',
  '/desk/doctor': 'Doctor',
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
            Backups and more are commands: <code>npm run desk help</code>.
          </p>
          {block && <TitleBlock rows={Object.entries({ Sheet: title, Drawn: drawn })} />}
        </footer>
      </div>
    </>
  );
  return html(title, css, body);
}

/** The page around the editor of words, which `script` fills. */
export function wordsPage({ css, site, token }: Frame, script: string, editorCss: string): string {
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
      <meta name="token" content={token} />
      <script type="module" src={script} />
    </>
  );
  return html('Words', css, body, more);
}

/** In every form that posts: other sites can't know it. */
export function Token({ frame }: { frame: Frame }) {
  return <input type="hidden" name="token" value={frame.token} />;
}

export function Post({ to, frame, children }: { to: string; frame: Frame; children: ReactNode }) {
  return (
    <form method="post" action={to}>
      <Token frame={frame} />
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
