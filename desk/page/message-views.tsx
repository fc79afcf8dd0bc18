import type { ReactNode } from 'react';
import { addressDoubt } from '../../contract/address-doubt.ts';
import { promisedMs } from '../../contract/promise.ts';
import { doubtWords } from '../../server/mail/address-words.ts';
import { span } from '../../server/messages/day.ts';
import { furtherFields } from '../../server/messages/fields.ts';
import type { Message } from '../../server/messages/message.ts';
import type { Found, Page } from '../../server/messages/queries.ts';
import { timeToAnswer, waitWords } from '../../server/messages/unanswered.ts';
import { TitleBlock } from '../../site/ui/TitleBlock.tsx';
import { explainAnswer } from '../answered.ts';
import { explainState } from '../show.ts';
import { count, oneLine, printable } from '../terminal.ts';
import { age, localTime } from '../time.ts';
import { type Frame, Post, page, plainPage, type Row } from './frame.tsx';
import { VIEWS, type View } from './which-messages.ts';

function StateMark({ state }: { state: View | 'answered' | 'perhaps-answered' }) {
  const words = state === 'unanswered' ? 'to answer' : state.replace('-', ' ');
  return <span className={`state state-${state}`}>{words}</span>;
}

/** How much of the promised time is gone, as a dimension line. */
function TimeLeft({ dueAt, now }: { dueAt: number; now: number }) {
  const gone = Math.min(Math.max(1 - (dueAt - now) / promisedMs(), 0), 1);
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

function markOf({ state, answeredAt, perhapsAnsweredAt }: Message) {
  if (answeredAt !== null) return 'answered';
  return perhapsAnsweredAt === null || state === 'spam' ? state : 'perhaps-answered';
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
            <StateMark state={markOf(message)} />
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

type Inbox = {
  /** How many messages each view has, and how many of those to answer are late. */
  numbers: Record<View, number> & { late: number };
  /** What became of mails that she may not know of. */
  astray: string[];
  view: View;
  text: string;
  page: Page;
  now: number;
};

export function inboxPage(frame: Frame, { numbers, astray, view, text, page: shown, now }: Inbox): string {
  if (numbers.all === 0) {
    const words = 'Send yourself one through the form on your page. It’s here as soon as you reload.';
    return plainPage(frame, 'Inbox', 'No messages yet.', words);
  }
  const { rows, next, searched } = shown;
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
      {searched && <p className="lead">{`Searched ${count(searched, 'message')}. There are more.`}</p>}
      <p className="row">
        {next && <a href={`/?${query({ after: next })}`}>{searched ? 'Search the next' : 'Show the next'}</a>}
        <a href={`/export/csv?${query({})}`}>Export to a spreadsheet</a>
        <a href={`/export/json?${query({})}`}>Export as JSON</a>
      </p>
    </>
  );
  return page('Inbox', frame, main);
}

type OneMessage = { message: Found; reply: string | undefined; timeZone: string; now: number };

export function messagePage(frame: Frame, { message, reply, timeZone, now }: OneMessage): string {
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
          {reply && (
            <a className="button button-main" href={reply}>
              Answer in your mail program
            </a>
          )}
          {(message.answeredAt ?? message.perhapsAnsweredAt) !== null &&
            deed('not-answered', 'Not answered after all')}
          {message.answeredAt === null && state !== 'spam' && deed('answered', 'I’ve answered')}
          {state === 'set-aside' && deed('requeue', 'Mail it to me again')}
          {state === 'waiting' && !message.inHand && deed('requeue', 'Mail it to me now')}
          {state === 'delivered' && deed('mail-again', 'Mail it to me once more')}
          {state === 'spam' && deed('requeue', 'Not spam')}
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
