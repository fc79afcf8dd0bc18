import { addressDoubt } from '../../contract/address-doubt.ts';
import { doubtWords } from '../../server/mail/mails.ts';
import { furtherFields } from '../../server/messages/fields.ts';
import type { Found, Page } from '../../server/messages/queries.ts';
import { type Message, shortId } from '../../server/messages/table.ts';
import { TitleBlock } from '../../site/ui/TitleBlock.tsx';
import { explainAnswer } from '../answered.ts';
import { explainState, isAdrift, type Mark, markOf, VIEWS, type View, WORDS } from '../state-words.ts';
import { count, oneLine, printable } from '../terminal.ts';
import { whenCame } from '../time.ts';
import { timeToAnswer, waitWords } from '../unanswered.ts';
import { type Frame, Post, page, plainPage, type Row } from './frame.tsx';
import { LineOfParcels } from './line-of-parcels.tsx';

function StateMark({ state, needsHer = false }: { state: Mark; needsHer?: boolean }) {
  return <span className={`state state-${state}${needsHer ? ' needs-her' : ''}`}>{WORDS[state]}</span>;
}

/** How much of the promised time is gone, as a dimension line. */
function timeLeft(receivedAt: number, dueAt: number, now: number) {
  const gone = Math.min(Math.max((now - receivedAt) / (dueAt - receivedAt), 0), 1);
  return (
    <span key="left" className={now < dueAt ? 'time-left' : 'time-left is-late'}>
      <svg viewBox="0 0 96 12" aria-hidden={true}>
        <path d="M1 1v10M95 1v10M1 6h94" />
        <path strokeWidth="5" d={`M1 6h${94 * gone}`} />
      </svg>
      {timeToAnswer(dueAt, now)}
    </span>
  );
}

const stateOf = (message: Message) => <StateMark state={markOf(message)} needsHer={isAdrift(message)} />;
const isUnusual = (message: Message) => isAdrift(message) || markOf(message) !== 'sent';

/** Names and words keep the direction of their script. */
function Messages({ rows, timeZone, now }: { rows: Message[]; timeZone: string; now: number }) {
  return (
    <ol className="messages">
      {rows.map((message) => (
        <li key={message.id}>
          <a href={`/messages/${message.id}`}>
            <bdi className="who">{oneLine(message.name)}</bdi>
            <span className="left">
              {message.answerDueAt === null
                ? stateOf(message)
                : timeLeft(message.receivedAt, message.answerDueAt, now)}
            </span>
            <span className="said">
              <bdi className="what">{oneLine(message.message).slice(0, 300)}</bdi>
              {message.answerDueAt !== null && isUnusual(message) && stateOf(message)}
              {message.answeredAt === null && addressDoubt(message.email) && <b>Is this address right?</b>}
            </span>
            <bdi className="address">{oneLine(message.email)}</bdi>
            <span className="when">{whenCame(message.receivedAt, now, timeZone)}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}

type Inbox = {
  /** How many messages each view has, and how many of those to answer are late. */
  numbers: Record<View, number> & { late: number; replyHours: number };
  view: View;
  text: string;
  /** What she hasn't seen and no mail will bring. */
  first: Message[];
  page: Page;
  timeZone: string;
  now: number;
  mailedTo: string | undefined;
};

export function inboxPage(frame: Frame, inbox: Inbox): string {
  const { numbers, view, text, first, page: shown, timeZone, now } = inbox;
  if (numbers.all === 0) return firstPage(frame, inbox.mailedTo);
  const { rows, next, searched } = shown;
  const query = (change: Record<string, string>) => new URLSearchParams({ view, text, ...change });
  const isShown = (name: View) => numbers[name] > 0 || ['unanswered', 'all', 'spam', view].includes(name);
  const main = (
    <>
      <div className="head">
        <div>
          <h1>{waitWords(numbers)}</h1>
          <form action="/" className="row">
            <label htmlFor="text">Words in any message, name or address</label>
            <input id="text" name="text" type="search" dir="auto" defaultValue={text} />
            <button className="button" type="submit">
              Search
            </button>
          </form>
        </div>
        <LineOfParcels {...numbers} />
      </div>
      <nav className="tabs" aria-label="Messages">
        {VIEWS.filter(isShown).map((name) => (
          <a key={name} href={`/?${query({ view: name })}`} aria-current={name === view ? 'true' : undefined}>
            <StateMark state={name} needsHer={name === 'set_aside'} />
            <b>{numbers[name].toLocaleString('en')}</b>
          </a>
        ))}
      </nav>
      {(view === 'set_aside' || view === 'waiting') && rows.length > 0 && (
        <Post to="/requeue-all">Mail to me all that waits or was not mailed</Post>
      )}
      {first.length > 0 && (
        <>
          <h2>You haven’t seen these, and they weren’t mailed to you</h2>
          <Messages rows={first} timeZone={timeZone} now={now} />
          <h2>{WORDS[view]}</h2>
        </>
      )}
      {rows.length === 0 && <p className="lead">No such message.</p>}
      <Messages rows={rows} timeZone={timeZone} now={now} />
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

/** Before anybody has written: what will happen. */
function firstPage(frame: Frame, mailedTo: string | undefined): string {
  const way = mailedTo ? `mailed to ${mailedTo}` : 'saved as a mail file, since no mail server is set yet';
  const words = `When somebody writes, the message is stored first, then ${way}. It stands here with the time you have left to answer, and you’re reminded if that runs short. Try it: send yourself one through the form on your page, then reload this.`;
  const drawing = <LineOfParcels unanswered={0} late={0} />;
  return plainPage(frame, { title: 'Inbox', heading: 'No messages yet.', words, drawing });
}

/** `reply` opens her answer in a mail program; undefined for an address that can't be mailed to. */
type OneMessage = { message: Found; reply: string | undefined; timeZone: string; now: number };

const ended = (sentence: string) => sentence.replace(/\.?$/, '.');

function factsOf({ message, timeZone, now }: OneMessage): Row[] {
  const { meaning, why } = explainState(message, timeZone, now);
  const doubt = doubtWords(oneLine(message.email));
  const answer = explainAnswer(message, timeZone, now) ?? 'nobody waits for one';
  return [
    ['From', <bdi key="email">{oneLine(message.email)}</bdi>],
    ...(doubt ? [['Look at', <strong key="doubt">{doubt}</strong>] satisfies Row] : []),
    ...furtherFields(message).map(
      ({ label, value }): Row => [label, <bdi key={label}>{printable(value)}</bdi>],
    ),
    ['Came', whenCame(message.receivedAt, now, timeZone)],
    [
      'Answer',
      message.answerDueAt === null ? answer : timeLeft(message.receivedAt, message.answerDueAt, now),
    ],
    [
      'Mail',
      <span key="mail" className={isAdrift(message) ? 'needs-her' : undefined}>
        {ended(meaning)} {why && ended(why)}
      </span>,
    ],
    ['ID', shortId(message.id)],
  ];
}

export function messagePage(frame: Frame, shown: OneMessage): string {
  const { message, reply } = shown;
  const { id, state, email } = message;
  const action = (name: string, words: string) => <Post to={`/messages/${id}/${name}`}>{words}</Post>;
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
        {state !== 'spam' && (
          <p className="row">
            {reply ? (
              <a className="button button-main" href={reply}>
                Answer
              </a>
            ) : (
              'This address can’t be mailed to.'
            )}
          </p>
        )}
      </div>
      <aside aria-label="About this message">
        <TitleBlock rows={factsOf(shown)} />
        <div className="row">
          {message.answeredAt !== null && action('not-answered', 'Not answered after all')}
          {message.answeredAt === null && state !== 'spam' && action('answered', 'I’ve answered')}
          {state === 'set_aside' && action('requeue', 'Mail it to me again')}
          {state === 'waiting' && !message.inHand && action('requeue', 'Mail it to me now')}
          {state === 'sent' && action('mail-again', 'Mail it to me once more')}
          {state === 'spam' && action('requeue', 'Not spam')}
          {(state !== 'spam' || message.heldFor.length > 0) && action('spam', 'Spam')}
        </div>
        <p className="row">
          <a href={`/erase?who=${id}`}>Erase this message …</a>
          <a href={`/erase?who=${encodeURIComponent(email)}`}>Erase all from this address …</a>
        </p>
      </aside>
    </article>
  );
  return page(`Message of ${oneLine(message.name)}`, frame, main, false);
}

type Erase = { who: string; rows: Message[]; timeZone: string; now: number; mailFolder: string };

export function erasePage(frame: Frame, { who, rows, timeZone, now, mailFolder }: Erase): string {
  const main = (
    <>
      <h1>Erase {count(rows.length, 'message')} for good?</h1>
      <p className="lead">What’s listed goes, and so do its mails in {mailFolder}. Nothing brings it back.</p>
      <p>Its traces are overwritten too. That takes some seconds where thousands of messages are kept.</p>
      <Messages rows={rows} timeZone={timeZone} now={now} />
      <div className="row">
        <Post to={`/erase?who=${encodeURIComponent(who)}`}>Erase for good</Post>
        <a href="/">Keep</a>
      </div>
    </>
  );
  return page('Erase', frame, main);
}
