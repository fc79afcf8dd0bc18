import type { Command } from 'commander';
import { doubtWords } from '../server/mail/address-words.ts';
import { describeFault } from '../server/mail/faults.ts';
import { furtherFields } from '../server/messages/fields.ts';
import { type Message, STATES, shortId } from '../server/messages/message.ts';
import type { Found } from '../server/messages/queries.ts';
import { whyHeld } from '../server/messages/suspicion.ts';
import type { MailPlace } from '../server/messages/table.ts';
import { explainAnswer } from './answered.ts';
import type { Desk } from './desk.ts';
import { findMessage, messageJson } from './find-message.ts';
import { bold, dim, json, lineWidth, loud, oneLine, pad, printable, warm, wrap, write } from './terminal.ts';
import { age, localTime } from './time.ts';

export function addShow(program: Command, desk: Desk): void {
  program
    .command('show <id>')
    .description('show one message')
    .action(async (id: string, options: { json?: true }) => {
      const message = await findMessage(await desk.database(), id);
      write(options.json ? json(messageJson(message)) : describe(message, desk.settings().timeZone));
    });
}

const LABEL_WIDTH = 10;

function describe(message: Found, timeZone: string): string {
  const columns = lineWidth();
  const field = (label: string, text: string) => {
    const lines = wrap(text, columns - LABEL_WIDTH).split('\n');
    return lines.map((line, index) => `${pad(index === 0 ? dim(label) : '', LABEL_WIDTH)}${line}\n`).join('');
  };
  const ago = age(message.receivedAt, Date.now());
  const received = `${localTime(message.receivedAt, timeZone)} (${ago === 'now' ? 'just now' : `${ago} ago`})`;
  const answer = answerWords(message, timeZone);
  const doubt = doubtWords(oneLine(message.email));
  const words = wrap(printable(message.message), columns - 2).replace(/^(?=.)/gm, '  ');
  return [
    field('From', `${bold(oneLine(message.name))} <${oneLine(message.email)}>`),
    ...(doubt ? [field('', loud(doubt))] : []),
    ...furtherFields(message).map(({ label, value }) => field(label, printable(value))),
    field('Received', received),
    field('State', stateWords(message, timeZone)),
    ...(answer ? [field('Answer', answer)] : []),
    field('ID', message.id),
    `\n${words}\n`,
  ].join('');
}

function answerWords(message: Message, timeZone: string): string | undefined {
  const now = Date.now();
  const words = explainAnswer(message, timeZone, now);
  if (words === undefined || message.answerDueAt === null) return words;
  const paint = now < message.answerDueAt ? warm : loud;
  return `${paint(words)}. Once you’ve answered: npm run desk answered ${shortId(message.id)}`;
}

function stateWords(message: Found, timeZone: string): string {
  const { state } = message;
  const { meaning, why } = explainState(message, timeZone);
  const paint = state === 'set-aside' ? loud : message.inHand || why ? warm : String;
  const hint = {
    'set-aside': `Once that’s fixed: npm run desk requeue ${shortId(message.id)}`,
    spam: `If it isn’t spam: npm run desk not-spam ${shortId(message.id)}`,
    waiting: '',
    delivered: '',
  }[state];
  return [paint(`${state}: ${meaning}`), why, hint].filter((part) => part !== '').join('. ');
}

const PLACES: Record<MailPlace, string> = {
  inbox: '',
  elsewhere: '',
  moved: '',
  junk: 'It went to your Junk folder. Move it to your inbox, so that your mail provider learns',
  nowhere: 'It didn’t arrive in your mailbox. Ask your mail provider why',
};

/** What its state means for the owner, and why it's in it. */
export function explainState(message: Found, timeZone: string): { meaning: string; why: string } {
  const { state, lastError, inHand, mailPlace, heldFor } = message;
  const { meaning } = STATES[state];
  if (state === 'spam' && mailPlace === 'moved')
    return { meaning: 'stored; you moved its mail to Junk', why: '' };
  if (state === 'spam' && mailPlace === 'junk')
    return {
      meaning: 'stored, and taken for spam',
      why: 'Its mail went from your inbox to Junk unread. If that wasn’t you, it isn’t spam',
    };
  if (inHand) return { meaning: 'on its way to you just now', why: '' };
  if (state === 'spam')
    return heldFor.length > 0
      ? { meaning: 'kept, and not mailed to you', why: `It looks like spam: ${whyHeld(heldFor)}` }
      : { meaning: 'kept, since you marked it as spam', why: '' };
  if (state === 'delivered')
    return {
      meaning: `${meaning} on ${localTime(message.deliveredAt ?? message.receivedAt, timeZone)}`,
      why: mailPlace === null ? '' : PLACES[mailPlace],
    };
  const isHeld = state === 'waiting' || state === 'set-aside';
  if (!lastError || !isHeld) return { meaning, why: '' };
  const next = state === 'waiting' ? `. Next try on ${localTime(message.nextAttemptAt, timeZone)}` : '';
  return { meaning, why: `Its last try: ${describeFault(lastError)}${next}` };
}
