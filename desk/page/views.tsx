import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { answersFigure, timeToAnswer, unansweredWords } from '../../mail/answers.ts';
import { span } from '../../mail/day.ts';
import { furtherFields } from '../../messages/fields.ts';
import { type Message, PROMISED_MS, STATE_NAMES, type State } from '../../messages/message.ts';
import type { Found, StateCount, Unanswered } from '../../messages/queries.ts';
import { Mark } from '../../site/drawings/Mark.tsx';
import { Belt } from '../../site/drawings/parts/belt.tsx';
import { Floor } from '../../site/drawings/parts/floor.tsx';
import { Person } from '../../site/drawings/parts/person.tsx';
import { Sheet } from '../../site/drawings/parts/sheet.tsx';
import { at } from '../../site/drawings/projection.ts';
import { explainAnswer } from '../answered.ts';
import type { Finding, Question } from '../doctor/check.ts';
import { ANSWERS, counts as countVerdicts, QUESTIONS, worst } from '../doctor/report.ts';
import type { draftReply } from '../reply.ts';
import { explainState } from '../show.ts';
import type { Figures } from '../stats.ts';
import { count, oneLine, printable } from '../terminal.ts';
import { age, localTime } from '../time.ts';
import { DayBars, Squares } from './plots.tsx';

/* Every page of the desk, as HTML. They get what they show, and look up nothing. */

export type Notice = { line: string; isWarning?: true };
export type Frame = {
  /** The style sheet's path. */
  css: string;
  /** What the last form did. */
  notices: Notice[];
  site: string;
  /** For the title block. */
  facts: Row[];
};
type Row = [label: string, value: ReactNode];

const PLACES = { '/': 'Inbox', '/figures': 'Figures', '/doctor': 'Doctor' };

function html(title: string, css: string, body: ReactNode, head?: ReactNode): string {
  const document = (
    <html lang="en-CA">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Desk`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={css} />
        {head}
      </head>
      <body>{body}</body>
    </html>
  );
  return `<!doctype html>${renderToStaticMarkup(document)}`;
}

function page(title: string, { css, notices, site, facts }: Frame, main: ReactNode, head?: ReactNode) {
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
          <div role="status">
            {notices.map(({ line, isWarning }) => (
              <p key={line} className={isWarning ? 'notice needs-you' : 'notice'}>
                {line}
              </p>
            ))}
          </div>
          {main}
        </main>
        <footer>
          <p className="fine">
            Only this computer shows these pages, and only while <code>npm run desk</code> runs. Backups, the
            digest and more are commands: <code>npm run desk help</code>.
          </p>
          <TitleBlock rows={facts} />
        </footer>
      </div>
    </>
  );
  return html(title, css, body, head);
}

function TitleBlock({ rows }: { rows: Row[] }) {
  return (
    <dl className="block">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Post({ to, children, as = '' }: { to: string; children: ReactNode; as?: string }) {
  return (
    <form method="post" action={to}>
      <button type="submit" className={`button ${as}`}>
        {children}
      </button>
    </form>
  );
}

function StateMark({ state }: { state: State | 'answered' }) {
  return <span className={`state state-${state}`}>{state.replace('-', ' ')}</span>;
}

/** How much of the promised time is gone, as a dimension line. */
function TimeLeft({ dueAt, now }: { dueAt: number; now: number }) {
  const gone = Math.min(Math.max(1 - (dueAt - now) / PROMISED_MS, 0), 1);
  return (
    <span className={now < dueAt ? 'time-left' : 'time-left is-late'}>
      <svg viewBox="0 0 96 12" aria-hidden={true}>
        <path d="M1 1v10M95 1v10M1 6h94" />
        <path strokeWidth="5" d={`M1 6h${94 * gone}`} />
      </svg>
      {timeToAnswer(dueAt, now)}
    </span>
  );
}

/** Names and words keep the direction of their script. */
function Messages({ rows, when }: { rows: Message[]; when: (message: Message) => ReactNode }) {
  return (
    <ol className="messages">
      {rows.map((message) => (
        <li key={message.id}>
          <a href={`/messages/${message.id}`}>
            <bdi className="who">{oneLine(message.name)}</bdi>
            <bdi className="what">{oneLine(message.message).slice(0, 220)}</bdi>
            <StateMark state={message.answeredAt === null ? message.state : 'answered'} />
            <span className="when">{when(message)}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}

/** Which messages the inbox shows. */
export type View = 'unanswered' | 'all' | State;

type Inbox = {
  unanswered: Unanswered;
  counts: Record<State, StateCount>;
  view: View;
  text: string;
  rows: Message[];
  /** How many to show for more of them. */
  next: number | undefined;
  now: number;
};

export function inboxPage(frame: Frame, { unanswered, counts, view, text, rows, next, now }: Inbox): string {
  const all = Object.values(counts).reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return page('Inbox', frame, <NothingYet />);
  const query = (change: Record<string, string>) => new URLSearchParams({ view, text, ...change });
  const tabs: [View, ReactNode, number][] = [
    ['unanswered', 'To answer', unanswered.unanswered],
    ['all', 'All', all],
    ...STATE_NAMES.map((state): (typeof tabs)[0] => [
      state,
      <StateMark key="mark" state={state} />,
      counts[state].count,
    ]),
  ];
  const main = (
    <>
      <h1>Inbox</h1>
      <p className="lead">{unansweredWords(unanswered, now)}</p>
      <search>
        <form action="/">
          <label htmlFor="text">Words in any message, name or address</label>
          <input id="text" name="text" type="search" defaultValue={text} />
          <button className="button" type="submit">
            Search
          </button>
        </form>
      </search>
      <nav className="tabs" aria-label="Messages">
        {tabs.map(([name, words, number]) => (
          <a
            className="bar"
            key={name}
            href={`/?${query({ view: name })}`}
            aria-current={name === view ? 'true' : undefined}
          >
            {words} <b>{number.toLocaleString('en')}</b>
          </a>
        ))}
      </nav>
      {view === 'set-aside' && rows.length > 0 && (
        <div className="notice needs-you">
          <p>
            Your mail server didn’t take these. <a href="/doctor">The doctor</a> says why. Once that’s fixed:
          </p>
          <Post to="/requeue-all">Mail them all to me</Post>
        </div>
      )}
      {rows.length > 0 ? (
        <Messages
          rows={rows}
          when={({ receivedAt, answerDueAt }) =>
            view === 'unanswered' && answerDueAt ? (
              <TimeLeft dueAt={answerDueAt} now={now} />
            ) : (
              age(receivedAt, now)
            )
          }
        />
      ) : (
        <p className="lead">
          No such message. <a href="/?view=all">Show all</a>
        </p>
      )}
      <p className="row">
        {next && (
          <a className="button" href={`/?${query({ most: String(next) })}`}>
            Show older ones
          </a>
        )}
        <a className="button" href={`/export/csv?${query({})}`}>
          Export to a spreadsheet
        </a>
        <a className="button" href={`/export/json?${query({})}`}>
          Export as JSON
        </a>
      </p>
    </>
  );
  return page('Inbox', frame, main);
}

function NothingYet() {
  return (
    <div className="empty">
      <Sheet view={[-200, -30, 430, 284]}>
        <Floor w={16} d={14} />
        <Belt from={[1, 3]} length={12} />
        <Person feet={at(9, 11)} pose="shrug" />
      </Sheet>
      <div>
        <h1>No message yet.</h1>
        <p className="lead">
          Send yourself one through the form on your page. It’s here as soon as you reload.
        </p>
        <p>
          If it isn’t mailed to you within a minute, ask <a href="/doctor">the doctor</a> why.
        </p>
      </div>
    </div>
  );
}

type OneMessage = { message: Found; draft: ReturnType<typeof draftReply>; timeZone: string; now: number };

export function messagePage(frame: Frame, { message, draft, timeZone, now }: OneMessage): string {
  const { id, state, email, inHand } = message;
  const name = oneLine(message.name);
  const { meaning, why } = explainState(message, timeZone);
  const to = (deed: string) => `/messages/${id}/${deed}`;
  const answer = explainAnswer(message, timeZone, now);
  const rows: Row[] = [
    ['From', <bdi key="email">{oneLine(email)}</bdi>],
    ...furtherFields(message).map(
      ({ label, value }): Row => [label, <bdi key={label}>{printable(value)}</bdi>],
    ),
    ['Received', `${localTime(message.receivedAt, timeZone)}, ${span(now - message.receivedAt)} ago`],
    [
      'State',
      [<StateMark key="state" state={state} />, <br key="br" />, why ? `${meaning}. ${why}.` : `${meaning}.`],
    ],
    ...(answer ? [['Answer', answer] as Row] : []),
    ['ID', id],
  ];
  const main = (
    <article className="message">
      <header>
        <a href="/">← Inbox</a>
        <h1>
          <bdi>{name}</bdi>
        </h1>
      </header>
      <p className="words" dir="auto">
        {printable(message.message)}
      </p>
      <div className="beside">
        <div className="row">
          {draft.mailto ? (
            <a className="button button-main" href={draft.mailto}>
              Answer in your mail program
            </a>
          ) : (
            <p>No mail program takes a link to this address. To answer, copy it.</p>
          )}
          {message.answeredAt !== null ? (
            <Post to={to('not-answered')}>Not answered after all</Post>
          ) : (
            state !== 'spam' && <Post to={to('answered')}>I’ve answered</Post>
          )}
          {draft.shortened && (
            <p className="fine">The draft quotes only the beginning: drafts can’t be longer.</p>
          )}
          {state === 'set-aside' && <Post to={to('requeue')}>Mail it to me again</Post>}
          {state === 'waiting' && !inHand && <Post to={to('requeue')}>Mail it to me now</Post>}
          {state === 'delivered' && <Post to={to('mail-again')}>Mail it to me once more</Post>}
          {state === 'spam' ? <Post to={to('not-spam')}>Not spam</Post> : <Post to={to('spam')}>Spam</Post>}
        </div>
        <TitleBlock rows={rows} />
        <p className="row fine">
          <a href={`/erase?who=${id}`}>Erase this message …</a>
          <a href={`/erase?who=${encodeURIComponent(email)}`}>Erase all from this address …</a>
        </p>
      </div>
    </article>
  );
  return page(`Message of ${name}`, frame, main);
}

type Erase = { who: string; rows: Message[]; timeZone: string; mailFolder: string };

export function erasePage(frame: Frame, { who, rows, timeZone, mailFolder }: Erase): string {
  const main = (
    <>
      <h1>Erase {count(rows.length, 'message')} for good?</h1>
      <p className="lead">
        What’s listed here goes, and every copy of its mails in {mailFolder}. Nobody can bring it back.
      </p>
      <Messages rows={rows} when={({ receivedAt }) => localTime(receivedAt, timeZone)} />
      <div className="row">
        <Post to={`/erase?who=${encodeURIComponent(who)}`} as="button-danger">
          Erase for good
        </Post>
        <a className="button" href="/">
          Keep
        </a>
      </div>
    </>
  );
  return page('Erase', frame, main);
}

export function figuresPage(frame: Frame, figures: Figures): string {
  const { days, conversion, received, medianDeliveryMs } = figures;
  const hasVisits = days.some(({ visits }) => visits !== null);
  const share = conversion?.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
  const answers = answersFigure(figures);
  const numbers = [
    [received.toLocaleString('en'), 'messages kept'],
    ...(share ? [[share, 'of page views became a message, in the last 30 days']] : []),
    ...(medianDeliveryMs === null ? [] : [[span(medianDeliveryMs), 'until half of them were mailed to you']]),
  ];
  const main = (
    <>
      <h1>Figures</h1>
      <ul className="figures">
        {numbers.map(([number, words]) => (
          <li key={words}>
            <b>{number}</b> {words}
          </li>
        ))}
      </ul>
      {answers && (
        <figure>
          <figcaption>
            <h2>Time to answer</h2>
            <p>{`${answers.label}: ${answers.value}`}</p>
          </figcaption>
          <Squares number={figures.answersDue} filled={figures.answeredInTime} />
        </figure>
      )}
      <DayBars
        title="Messages"
        what="message"
        days={days.map(({ day, received: value }) => ({ day, value }))}
      />
      {hasVisits && (
        <DayBars
          title="Page views"
          what="view"
          days={days.map(({ day, visits }) => ({ day, value: visits ?? 0 }))}
        />
      )}
    </>
  );
  return page('Figures', frame, main);
}

/** Looking takes some seconds; the browser shows this until it has the answer. */
export function lookingPage(frame: Frame): string {
  const main = (
    <>
      <h1>The doctor is looking …</h1>
      <p className="lead">It takes a few seconds, and half a minute when somebody doesn’t answer.</p>
    </>
  );
  return page('Doctor', frame, main, <meta httpEquiv="refresh" content="0;url=/doctor/findings" />);
}

export function doctorPage(frame: Frame, findings: Finding[]): string {
  const { ok, look, wrong } = countVerdicts(findings);
  const main = (
    <>
      <h1>{wrong > 0 ? `Wrong: ${count(wrong, 'thing')}.` : 'Nothing is wrong.'}</h1>
      <p className="lead">
        {look} to look at, {ok} well. <a href="/doctor">Look again</a>
      </p>
      {(Object.keys(QUESTIONS) as Question[]).map((question) => {
        const own = findings.filter((finding) => finding.question === question);
        return own.length === 0 ? null : (
          <section key={question}>
            <h2>
              {QUESTIONS[question]} <span>{ANSWERS[question][worst(own)]}</span>
            </h2>
            {own.map(({ what, verdict, found, todo }) => (
              <div key={found} className={`finding is-${verdict}`}>
                <b>{verdict}</b>
                <h3>{what}</h3>
                <p>{printable(found)}</p>
                {todo && <p className="todo">{printable(todo)}</p>}
              </div>
            ))}
          </section>
        );
      })}
    </>
  );
  return page('Doctor', frame, main);
}

export function faultPage(frame: Frame, said: string): string {
  const main = (
    <>
      <h1>That didn’t work.</h1>
      <p className="lead">{said}</p>
      <p>
        Go back to <a href="/">the inbox</a>, or ask <a href="/doctor">the doctor</a>.
      </p>
    </>
  );
  return page('Not done', frame, main);
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
