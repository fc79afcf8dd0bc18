import { html } from 'hono/html';
import { describeFault } from '../../server/mail/faults.ts';
import { answerLink, withoutTopics } from '../../server/mail/mails.ts';
import { isMailFile } from '../../server/mail/transport.ts';
import type { Erased } from '../../server/messages/erase.ts';
import { FILED } from '../../server/messages/last-done.ts';
import type { Page } from '../../server/messages/queries.ts';
import { whyHeld } from '../../server/messages/suspicion.ts';
import type { Message } from '../../server/messages/table.ts';
import { span } from '../../server/messages/time.ts';
import { count, printable, sentences } from '../command/command.ts';
import { type Frame, form, type Html, page, plainPage, press, titleBlock, whenCame } from '../sheet/frame.ts';
import { isAdrift, messages, timeLeft } from './list.ts';

/** Whether and when she was mailed it, and why not. @param isFile whether its mail only became a file */
function explainMail(message: Message, isFile: boolean, frame: Frame): string {
  const { state, last_error, held_for, sent_at, received_at, next_attempt_at } = message;
  const when = (time: number) => whenCame(time, frame);
  const why = last_error && last_error !== FILED ? `: ${describeFault(last_error)}` : '';
  const mailed = `${isFile ? 'Saved as a mail file' : 'Mailed to you'}${why && ` without its words${why},`} ${when(sent_at ?? received_at)}`;
  if (state === 'spam' && held_for) return `Kept, and not mailed to you, because ${whyHeld(held_for)}.`;
  if (state === 'spam') return `You marked it as spam, and it’s kept.${sent_at ? ` ${mailed}` : ''}`;
  if (state === 'sent') return mailed;
  // It may have been mailed before she had it sent again.
  if (state === 'set_aside') return `Set aside, and not tried again${why}.`;
  // Past that, MAIL_PER_HOUR is used up.
  const next = last_error && next_attempt_at > frame.now ? ` Next try: ${when(next_attempt_at)}` : '';
  return `Waiting to be mailed to you${why}.${next}`;
}

function answerWords(message: Message, frame: Frame): Html | string {
  const { answered_at, received_at } = message;
  if (answered_at === null) return timeLeft(message, frame) ?? 'Not counted: it’s held as spam.';
  // From version 0.4, or by a wrong clock
  if (answered_at <= received_at) return 'Marked as answered, at an unknown time.';
  return `Marked as answered ${whenCame(answered_at, frame)}, ${span(answered_at - received_at)} after it came`;
}

/** @param isAsked whether she came to mark it as answered */
export async function messagePage(frame: Frame, message: Message, isAsked: boolean) {
  const { settings } = frame;
  const said = sentences();
  // Earlier versions left only the file. A mail that was sent after it became one took two tries.
  const isOlder =
    message.attempts === 1 && (await isMailFile(settings.mailDir, message.id, message.sent_at ?? 0));
  const isFile = message.last_error === FILED || isOlder;
  const reply = answerLink(message, settings, said);
  const { state, answered_at, received_at, held_for, email } = message;
  const mail = explainMail(message, isFile, frame);
  const path = `/desk/messages/${message.id}`;
  const deed = (name: string, words: string, isMain = false) =>
    press(frame, `${path}/${name}`, words, isMain);
  const isSpam = state === 'spam';
  const { about, words } = withoutTopics(message.message, said);
  const main = html`<article class="beside">
<div>
<p class="row"><a href="/desk/messages">← Messages</a></p>
<h1><bdi>${printable(message.name)}</bdi></h1>
${
  about &&
  html`<div class="ticked"><b>${said.topics}</b><ul>${about.map(
    ([topic, number]) => html`<li>${number > 0 && html`<b>${number}</b> `}${printable(topic)}</li>`,
  )}</ul></div>`
}
${words && html`<p class="words" dir="auto">${printable(words)}</p>`}
<div class="deeds">
${!isSpam && (reply ? html`<a class="button ${!isAsked && 'button-main'}" href="${reply}">Answer</a>` : 'You can’t write to this address.')}
${!isSpam && answered_at === null && deed('answered', 'Mark as answered', isAsked)}
${isSpam && deed('not-spam', 'Not spam', true)}
</div>
</div>
<aside aria-label="About this message">
${titleBlock([
  ['From', html`<bdi>${printable(email)}</bdi>`],
  ['Received', whenCame(received_at, frame)],
  ['Answer', answerWords(message, frame)],
  ['Mail', html`<span class="${isAdrift(message) ? 'hot' : ''}">${mail}</span>`],
])}
<div class="row">
${answered_at !== null && deed('not-answered', 'Mark as unanswered')}
${!isSpam && deed('send-again', state === 'sent' ? 'Send it to me again' : 'Try again now')}
${(!isSpam || held_for !== null) && deed('spam', 'Mark as spam')}
<a class="button" href="${erasePath(email)}">Erase this person …</a>
</div>
</aside>
</article>`;
  return page(frame, `Message from ${printable(message.name)}`, main);
}

export const erasePath = (email: string) => `/desk/messages/erase?email=${encodeURIComponent(email)}`;

const REMAINS =
  'Erasing doesn’t reach what’s elsewhere: emails in your inbox or on their way there, backups, exports, and what a database server of yours has kept. Those are yours to erase.';

/** @param shown the newest from that address */
export function erasePage(frame: Frame, email: string, { rows, next }: Page) {
  if (rows.length === 0)
    return plainPage(frame, 'Erase', `No message from ${printable(email)} is stored.`, REMAINS);
  const seen = rows.map(({ id }) => id).join(' ');
  const button = html`<input type="hidden" name="seen" value="${seen}"><button class="button button-main">Erase for good</button>`;
  const main = html`<div class="head"><h1>Erase ${count(rows.length, 'message')} from <bdi>${printable(rows[0]?.name ?? '')}</bdi> for good?</h1>
<p class="lead">${next ? 'The newest' : 'All'} from <bdi>${printable(email)}</bdi>, and their mail files. Nothing brings them back. ${REMAINS}</p>
<div class="deeds">${form(frame, erasePath(email), button)}
<a class="button" href="/desk/messages">Don’t erase</a></div></div>
${messages(frame, rows)}
${next && html`<p class="lead">There are more, which you can erase after these.</p>`}`;
  return page(frame, 'Erase', main);
}

export const erasedWords = ({ messages, overwritten }: Erased) =>
  `${messages > 0 ? `Erased ${count(messages, 'message')}.` : 'Nothing was left to erase.'}${overwritten ? '' : ' Traces remain in the database’s files until no other program has it open, or Postgres has vacuumed it.'}`;
