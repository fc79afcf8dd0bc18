import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { addressDoubt } from '../../contract/address-doubt.ts';
import { doubtWords } from '../../mail/address-words.ts';
import { answersFigure, timeToAnswer, waitWords } from '../../mail/answers.ts';
import { span } from '../../mail/day.ts';
import { furtherFields } from '../../messages/fields.ts';
import { type Message, PROMISED_MS, STATE_NAMES } from '../../messages/message.ts';
import type { Found } from '../../messages/queries.ts';
import { Mark } from '../../site/drawings/Mark.tsx';
import { Portrait } from '../../site/drawings/Portrait.tsx';
import { TitleBlock } from '../../site/ui/TitleBlock.tsx';
import { explainAnswer } from '../answered.ts';
import type { Finding, Question } from '../doctor/check.ts';
import { ANSWERS, counts, QUESTIONS, worst } from '../doctor/report.ts';
import type { draftReply } from '../reply.ts';
import { explainState } from '../show.ts';
import { type Figures, summary } from '../stats.ts';
import { count, oneLine, printable } from '../terminal.ts';
import { age, localTime } from '../time.ts';
import { DayBars, Figure, Squares } from './plots.tsx';

/* Every page of the desk, as HTML. They get what they show, and look up nothing. */

/** The style sheet's path, what the last form did, the site's name, and the title block. */
export type Frame = { css: string; notices: string[]; site: string; facts: Row[] };
type Row = [label: string, value: ReactNode];

const PLACES = { '/': 'Inbox', '/figures': 'Figures', '/doctor': 'Doctor' };

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

function page(title: string, { css, notices, site, facts }: Frame, main: ReactNode): string {
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
            Only this computer shows these pages, and only while <code>npm run desk</code> runs. Backups, the
            digest and more are commands: <code>npm run desk help</code>.
          </p>
          <TitleBlock rows={facts} />
        </footer>
      </div>
    </>
  );
  return html(title, css, body);
}

function Post({ to, children }: { to: string; children: ReactNode }) {
  return (
    <form method="post" action={to}>
      <button className="button" type="submit">
        {children}
      </button>
    </form>
  );
}

function StateMark({ state }: { state: View | 'answered' }) {
  const words = state === 'unanswered' ? 'to answer' : state.replace('-', ' ');
  return <span className={`state state-${state}`}>{words}</span>;
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
            <span className="when">
              {message.answeredAt === null && addressDoubt(message.email) && <b>address? </b>}
              {when(message)}
            </span>
          </a>
        </li>
      ))}
    </ol>
  );
}

/** Which messages the inbox shows. */
export const VIEWS = ['unanswered', 'all', ...STATE_NAMES] as const;
type View = (typeof VIEWS)[number];

type Inbox = {
  /** How many messages each view has, and how many of those to answer are late. */
  numbers: Record<View, number> & { late: number };
  /** What became of mails that she may not know of. */
  astray: string[];
  view: View;
  text: string;
  rows: Message[];
  /** How many to show for more of them. */
  next: number | undefined;
  now: number;
};

export function inboxPage(frame: Frame, { numbers, astray, view, text, rows, next, now }: Inbox): string {
  if (numbers.all === 0) {
    const words = 'Send yourself one through the form on your page. It’s here as soon as you reload.';
    return plainPage(frame, 'Inbox', 'No messages yet.', words);
  }
  const query = (change: Record<string, string>) => new URLSearchParams({ view, text, ...change });
  const when = ({ receivedAt, answerDueAt }: Message) =>
    view === 'unanswered' && answerDueAt ? <TimeLeft dueAt={answerDueAt} now={now} /> : age(receivedAt, now);
  const main = (
    <>
      <h1>{waitWords(numbers)}</h1>
      {astray.length > 0 && <p className="notice">{`${astray.join(', and ')}.`}</p>}
      <form action="/" className="row">
        <label htmlFor="text">Words in any message, name or address</label>
        <input id="text" name="text" type="search" defaultValue={text} />
        <button className="button" type="submit">
          Search
        </button>
      </form>
      <nav className="tabs" aria-label="Messages">
        {VIEWS.map((name) => (
          <a key={name} href={`/?${query({ view: name })}`} aria-current={name === view ? 'true' : undefined}>
            <StateMark state={name} />
            <b>{numbers[name].toLocaleString('en')}</b>
          </a>
        ))}
      </nav>
      {view === 'set-aside' && rows.length > 0 && <Post to="/requeue-all">Mail them all to me again</Post>}
      {rows.length === 0 && <p className="lead">No such message.</p>}
      <Messages rows={rows} when={when} />
      <p className="row">
        {next && <a href={`/?${query({ most: String(next) })}`}>Show more</a>}
        <a href={`/export/csv?${query({})}`}>Export to a spreadsheet</a>
        <a href={`/export/json?${query({})}`}>Export as JSON</a>
      </p>
    </>
  );
  return page('Inbox', frame, main);
}

type OneMessage = { message: Found; draft: ReturnType<typeof draftReply>; timeZone: string; now: number };

export function messagePage(frame: Frame, { message, draft, timeZone, now }: OneMessage): string {
  const { id, state, email } = message;
  const { meaning, why } = explainState(message, timeZone);
  const answer = explainAnswer(message, timeZone, now);
  const doubt = doubtWords(oneLine(email));
  const deed = (name: string, words: string) => <Post to={`/messages/${id}/${name}`}>{words}</Post>;
  const rows: Row[] = [
    ['From', <bdi key="email">{oneLine(email)}</bdi>],
    ...(doubt ? [['Look at', <strong key="doubt">{doubt}</strong>] satisfies Row] : []),
    ...furtherFields(message).map(
      ({ label, value }): Row => [label, <bdi key={label}>{printable(value)}</bdi>],
    ),
    ['Received', `${localTime(message.receivedAt, timeZone)}, ${span(now - message.receivedAt)} ago`],
    ['Answer', answer ?? 'nobody waits for one'],
    ['State', [<StateMark key="mark" state={state} />, `: ${meaning}. ${why && `${why}.`}`]],
    ['ID', id],
  ];
  const main = (
    <article className="beside">
      <div>
        <p className="row">
          <a href="/">← Inbox</a>
        </p>
        <h1>
          <bdi>{oneLine(message.name)}</bdi>
        </h1>
        <p className="words" dir="auto">
          {printable(message.message)}
        </p>
      </div>
      <div>
        <div className="row">
          {draft.mailto && (
            <a className="button button-main" href={draft.mailto}>
              Answer in your mail program
            </a>
          )}
          {message.answeredAt !== null && deed('not-answered', 'Not answered after all')}
          {message.answeredAt === null && state !== 'spam' && deed('answered', 'I’ve answered')}
          {state === 'set-aside' && deed('requeue', 'Mail it to me again')}
          {state === 'waiting' && !message.inHand && deed('requeue', 'Mail it to me now')}
          {state === 'delivered' && deed('mail-again', 'Mail it to me once more')}
          {state === 'spam' && deed('not-spam', 'Not spam')}
          {(state !== 'spam' || message.heldFor.length > 0) && deed('spam', 'Spam')}
        </div>
        <TitleBlock rows={rows} />
        <p className="row">
          <a href={`/erase?who=${id}`}>Erase this message …</a>
          <a href={`/erase?who=${encodeURIComponent(email)}`}>Erase all from this address …</a>
        </p>
      </div>
    </article>
  );
  return page(`Message of ${oneLine(message.name)}`, frame, main);
}

type Erase = { who: string; rows: Message[]; timeZone: string; mailFolder: string };

export function erasePage(frame: Frame, { who, rows, timeZone, mailFolder }: Erase): string {
  const main = (
    <>
      <h1>Erase {count(rows.length, 'message')} for good?</h1>
      <p className="lead">What’s listed goes, and so do its mails in {mailFolder}. Nothing brings it back.</p>
      <Messages rows={rows} when={({ receivedAt }) => localTime(receivedAt, timeZone)} />
      <div className="row">
        <Post to={`/erase?who=${encodeURIComponent(who)}`}>Erase for good</Post>
        <a href="/">Keep</a>
      </div>
    </>
  );
  return page('Erase', frame, main);
}

export function figuresPage(frame: Frame, figures: Figures): string {
  const { days, medianDeliveryMs } = figures;
  const came = days.map(({ received }) => received);
  const mailed = medianDeliveryMs === null ? '' : `; half are mailed to you within ${span(medianDeliveryMs)}`;
  const answers = answersFigure(figures);
  const names = days.map(({ day }) => day);
  const main = (
    <>
      <h1>The last {days.length} days</h1>
      {answers && (
        <Figure title="Answers" words={`${answers.label}: ${answers.value}`}>
          <Squares number={figures.answersDue} filled={figures.answeredInTime} />
        </Figure>
      )}
      <Figure title="Messages" words={summary(came, 'message') + mailed}>
        <DayBars days={names} values={came} />
      </Figure>
    </>
  );
  return page('Figures', frame, main);
}

export function doctorPage(frame: Frame, findings: Finding[]): string {
  const { ok, look, wrong } = counts(findings);
  const main = (
    <>
      <h1>
        {wrong > 0 ? `${count(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.` : 'Nothing is wrong.'}
      </h1>
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
                <span className="verdict">{verdict}</span>
                <b>{what}</b>
                <p>{printable(found)}</p>
                {todo && <p>→ {printable(todo)}</p>}
              </div>
            ))}
          </section>
        );
      })}
    </>
  );
  return page('Doctor', frame, main);
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
