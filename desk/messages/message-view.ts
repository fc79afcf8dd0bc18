import { html } from 'hono/html';
import { doubtWords } from '../../server/mail/mails.ts';
import { furtherFields } from '../../server/messages/fields.ts';
import type { Found } from '../../server/messages/queries.ts';
import type { Message } from '../../server/messages/table.ts';
import { type Frame, form, type Html, page, press, titleBlock } from '../sheet/frame.ts';
import { count, oneLine, printable } from '../terminal.ts';
import { whenCame } from '../time.ts';
import { timeToAnswer } from '../unanswered.ts';
import { timeLeft } from './belt.ts';
import { messages } from './list-view.ts';
import { explainMail, isAdrift, whenAnswered } from './states.ts';

const pathOf = ({ id }: Message) => `/desk/messages/${id}`;

function factsOf(message: Found, { timeZone, now }: Frame): [string, Html | string][] {
  const { email, receivedAt, answerDueAt, state } = message;
  const doubt = doubtWords(oneLine(email));
  const mail = explainMail(message, timeZone, now);
  const answered = whenAnswered(message, timeZone);
  return [
    ['From', html`<bdi>${oneLine(email)}</bdi>${doubt && html`<p class="hot">${doubt}</p>`}`],
    ...furtherFields(message).map(({ label, value }): [string, Html] => [
      label,
      html`<bdi>${printable(value)}</bdi>`,
    ]),
    ['Came', whenCame(receivedAt, now, timeZone)],
    ...(answerDueAt === null
      ? []
      : [
          ['Answer', timeLeft(receivedAt, answerDueAt, now, timeToAnswer(answerDueAt, now))] as [
            string,
            Html,
          ],
        ]),
    ...(answered ? [['Answered', answered] as [string, string]] : []),
    ...(state === 'spam' && !answered ? [['Answer', 'Nobody waits for one.'] as [string, string]] : []),
    ['Mail', html`<span class="${isAdrift(message) ? 'hot' : ''}">${mail}</span>`],
  ];
}

/**
 * @param reply opens her answer in a mail program; undefined for an address that can't be mailed to
 * @param said what the last form did
 */
export function messagePage(
  frame: Frame,
  message: Found,
  reply: string | undefined,
  said: string | undefined,
) {
  const { state, answeredAt, heldFor, email } = message;
  const path = pathOf(message);
  const deed = (name: string, words: string) => press(frame, `${path}/${name}`, words);
  const isSpam = state === 'spam';
  const main = html`<article class="beside">
<div>
<p class="row"><a href="/desk/messages">← Messages</a></p>
<h1><bdi>${oneLine(message.name)}</bdi></h1>
<p class="words" dir="auto">${printable(message.message)}</p>
<div class="deeds">
${!isSpam && (reply ? html`<a class="button button-main" href="${reply}">Answer</a>` : 'This address can’t be mailed to.')}
${!isSpam && answeredAt === null && deed('answered', 'Answered')}
${isSpam && deed('not-spam', 'Not spam')}
</div>
</div>
<aside aria-label="About this message">
${titleBlock(factsOf(message, frame))}
<div class="row">
${answeredAt !== null && deed('not-answered', 'Not answered')}
${!isSpam && deed('send-again', state === 'sent' ? 'Send again' : 'Send it to me now')}
${(!isSpam || heldFor.length > 0) && deed('spam', 'Spam')}
<a class="button" href="/desk/messages/erase?email=${encodeURIComponent(email)}">Erase this person …</a>
</div>
</aside>
</article>`;
  return page(frame, `Message of ${oneLine(message.name)}`, main, said);
}

/** Where “Mark as answered” in a mail leads: a link changes nothing by itself. */
export function answeredPage(frame: Frame, message: Message) {
  const path = pathOf(message);
  const main = html`<div class="head">
<h1>Have you answered <bdi>${oneLine(message.name)}</bdi>?</h1>
<p class="words" dir="auto">${printable(message.message)}</p>
<div class="deeds">${form(frame, `${path}/answered`, html`<button class="button button-main">Answered</button>`)}
<a class="button" href="${path}">Open the message</a></div>
</div>`;
  return page(frame, 'Answered?', main);
}

/** What erasing her messages of a person takes, before it's done. */
export function erasePage(frame: Frame, email: string, rows: readonly Message[], mailFolder: string) {
  const main = html`<h1>Erase ${count(rows.length, 'message')} for good?</h1>
<p class="lead">All from <bdi>${oneLine(email)}</bdi>, and their mails in ${mailFolder}. Nothing brings them back.</p>
<p>Their traces are overwritten too. That takes some seconds where thousands of messages are kept.</p>
${messages(frame, rows)}
<div class="deeds">${form(
    frame,
    '/desk/messages/erase',
    html`<input type="hidden" name="email" value="${email}"><button class="button button-main">Erase for good</button>`,
  )}
<a class="button" href="/desk/messages">Keep</a></div>`;
  return page(frame, 'Erase', main);
}

export function erasedPage(frame: Frame, lines: readonly string[]) {
  const [first, ...others] = lines;
  const main = html`<div class="head"><h1>${first}</h1>${others.map((line) => html`<p class="lead">${line}</p>`)}
<p class="row"><a href="/desk/messages">← Messages</a></p></div>`;
  return page(frame, 'Erased', main);
}
