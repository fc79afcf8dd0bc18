import { setImmediate as turn } from 'node:timers/promises';
import { html } from 'hono/html';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { MINUTE } from '../../contract/time.ts';
import { storedElsewhere } from '../../server/elsewhere.ts';
import { withoutTopics } from '../../server/mail/mails.ts';
import type { Database } from '../../server/messages/database.ts';
import { setTold } from '../../server/messages/owner.ts';
import {
  countUnanswered,
  countUnsent,
  missed,
  pageOfMessages,
  unopened,
} from '../../server/messages/queries.ts';
import { answerDueAt, isAnswered, isIn, isUnanswered, type Message } from '../../server/messages/table.ts';
import { span } from '../../server/messages/time.ts';
import { count, printable, sentences } from '../command/command.ts';
import { current, type Frame, page, plainPage, whenCame } from '../sheet/frame.ts';

export const SHOWN = 50;

const VIEWS = {
  unanswered: { words: 'To answer', which: isUnanswered },
  answered: { words: 'Answered', which: isAnswered },
  spam: { words: 'Spam', which: isIn('spam') },
  set_aside: { words: 'Not mailed', which: isIn('set_aside') },
};
const VIEW_NAMES = Object.keys(VIEWS) as (keyof typeof VIEWS)[];

/** Its mail won't reach her, or nobody knows: she has to do something. */
export const isAdrift = ({ state, last_error }: Message) =>
  state === 'set_aside' || (state === 'waiting' && last_error !== null);

/** What matters most about it, beside how long its sender has waited; nothing if it's as usual. */
function markOf(message: Message): string {
  if (message.state === 'spam') return message.held_for ? 'Spam?' : 'Spam';
  if (isAdrift(message)) return 'Not mailed to you';
  return message.answered_at === null ? '' : 'Answered';
}

const states = (message: Message) => {
  const mark = markOf(message);
  return mark && html`<b class="${isAdrift(message) ? 'mark hot' : 'mark'}">${mark}</b>`;
};

/** How much of the promised time is gone, as a dimension line, and in words: `5 h left`, `3 h over`. */
export function timeLeft(message: Message, { now }: Frame) {
  const dueAt = answerDueAt(message);
  if (dueAt === null) return undefined;
  const gone = Math.min(Math.max((now - message.received_at) / (dueAt - message.received_at), 0), 1);
  const left = dueAt - now;
  return html`<span class="${left > 0 ? 'time-left' : 'time-left hot'}"><svg viewBox="0 0 96 12" aria-hidden="true">
<path d="M1 1v10M95 1v10M1 6h94" /><path stroke-width="5" d="M1 6h${94 * gone}" /></svg>${span(Math.max(Math.abs(left), MINUTE))} ${left > 0 ? 'left' : 'over'}</span>`;
}

/** What somebody typed, before what they ticked. */
function wordsFirst({ message }: Message, said: Sentences): string {
  const { words } = withoutTopics(message, said);
  const ticked = message.slice(0, message.length - words.length).trim();
  return printable([words, ticked].filter(Boolean).join(' · ')).slice(0, 300);
}

/** Names and words keep the direction of their script. */
export const messages = (frame: Frame, rows: readonly Message[], said = sentences()) =>
  html`<ol class="messages">${rows.map(
    (message) => html`<li><a href="/desk/messages/${message.id}">
<bdi class="who">${printable(message.name)}</bdi>
${timeLeft(message, frame)}
<bdi class="what">${wordsFirst(message, said)}</bdi>
<span class="about"><bdi>${printable(message.email)}</bdi> <span>${whenCame(message.received_at, frame)}</span> ${states(message)}</span>
</a></li>`,
  )}</ol>`;

/** Notes that she has seen these. A database that can't be written can still be read: it's only noted later. */
export async function noteOpened(database: Database, shown: readonly Message[], now: number): Promise<void> {
  const ids = shown.map(({ id }) => id);
  await setTold(database, 'opened', ids, now).catch(() => undefined);
}

/** What she asked for: a view, or words that a message has in it. */
export async function listPage(database: Database, frame: Frame, query: Record<string, string>) {
  const { after } = query;
  const { now } = frame;
  const { unanswered, late } = await countUnanswered(database, now);
  const text = query.text?.trim() ?? '';
  const usual = unanswered === 0 ? 'answered' : 'unanswered';
  const view = text ? undefined : (VIEW_NAMES.find((name) => name === query.view) ?? usual);
  const filter = view ? VIEWS[view] : { text };
  const order = view === 'unanswered' ? 'oldest first' : 'newest first';
  const found = await pageOfMessages(database, filter, order, { most: SHOWN, after });
  const { spam, set_aside } = await countUnsent(database);
  const isEmpty = found.rows.length === 0;
  // Nobody has ever written.
  if (view === 'answered' && !after && isEmpty && unanswered + spam === 0) return noMessages(frame);
  // No mail brings these, so whatever she looks for, she sees them once.
  const first = after ? [] : await unopened(database, SHOWN);
  const isFirst = ({ id }: Message) => first.some((one) => one.id === id);
  const unseen = view === 'unanswered' && !after ? await missed(database, now, SHOWN) : [];
  first.push(...unseen.filter((message) => !isFirst(message)));
  // Visitors are answered in between.
  await turn();
  // A search shows all that it finds, even what's listed first.
  const rows = text ? found.rows : found.rows.filter((message) => !isFirst(message));
  await noteOpened(database, [...first, ...rows], now);

  const counts = { unanswered, answered: undefined, spam, set_aside };
  const others =
    rows.length > 0
      ? messages(frame, rows)
      : isEmpty &&
        html`<p class="lead">${view ? 'No messages here' : 'Nothing found'}${found.searched && ' yet'}.</p>`;
  const address = (query: Record<string, string>) => `/desk/messages?${new URLSearchParams(query)}`;
  const main = html`<div class="head"><h1>${waitWords(unanswered, late)}</h1></div>
<form class="search" role="search" action="/desk/messages">
<input name="text" type="search" dir="auto" value="${text}" aria-label="Words in a message, name or address" placeholder="Name, address, words"><button class="button">Search</button>
</form>
<nav class="tabs" aria-label="Messages">${VIEW_NAMES.filter(
    (name) => name === view || counts[name] !== 0,
  ).map(
    (name) => html`<a href="${address({ view: name })}"${current(name === view)}>${VIEWS[name].words}
${counts[name] !== undefined && html`<b>${counts[name].toLocaleString('en')}</b>`}</a>`,
  )}</nav>
${first.length > 0 && html`<h2>You haven’t opened these yet</h2>${messages(frame, first)}${others && html`<h2>${view ? VIEWS[view].words : 'Found'}</h2>`}`}
${others}
${found.searched && html`<p class="lead">Searched ${count(found.searched, 'message')} so far.</p>`}
<p class="row">
${found.next && html`<a class="button" href="${address({ ...(view ? { view } : { text }), after: found.next })}">${found.searched ? 'Search the next' : 'Show the next'}</a>`}
<a href="/desk/messages/export.csv">Export to a spreadsheet</a> <a href="/desk/messages/export.json">Export for programs (JSON)</a>
</p>`;
  return page(frame, 'Messages', main);
}

/** `3 messages wait for your answer, 1 of them for longer than you promised.` */
function waitWords(unanswered: number, late: number): string {
  if (unanswered === 0) return 'Nobody is waiting for your answer.';
  const isOne = unanswered === 1;
  const ofThem = isOne ? '' : ` ${late.toLocaleString('en')} of them`;
  const tooLong = late > 0 ? `,${ofThem} for longer than you promised` : '';
  return `${count(unanswered, 'message')} ${isOne ? 'is' : 'are'} waiting for your answer${tooLong}.`;
}

/** A test's mail leads here: the test is erased as soon as its mail is taken. */
export const goneMessage = (frame: Frame) =>
  plainPage(
    frame,
    'Messages',
    'This message isn’t here any more.',
    html`It was erased, or it was a test: those are erased once their email is sent. <a href="/desk/messages">Your messages</a>`,
  );

/** Before anybody has written: what will happen. */
function noMessages(frame: Frame) {
  const elsewhere = storedElsewhere(frame.settings);
  if (elsewhere) return plainPage(frame, 'Messages', 'No messages here.', elsewhere);
  const words =
    'When somebody writes, the message shows up here, with the time you have left to answer. Try it: send yourself one through the form on your page, then reload this page.';
  return plainPage(frame, 'Messages', 'No messages yet.', words);
}
