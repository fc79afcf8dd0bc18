import type { Command } from 'commander';
import { doubtWords } from '../server/mail/address-words.ts';
import { furtherFields } from '../server/messages/fields.ts';
import { type Message, shortId } from '../server/messages/message.ts';
import type { Found } from '../server/messages/queries.ts';
import { explainAnswer } from './answered.ts';
import type { Desk } from './desk.ts';
import { findMessage, messageJson } from './find-message.ts';
import { explainState } from './state-words.ts';
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
  const { meaning, why } = explainState(message, timeZone, Date.now());
  const paint = state === 'set-aside' ? loud : message.inHand || why ? warm : String;
  const hint = {
    'set-aside': `Once that’s fixed: npm run desk requeue ${shortId(message.id)}`,
    spam: `If it isn’t spam: npm run desk not-spam ${shortId(message.id)}`,
    waiting: '',
    delivered: '',
  }[state];
  return [paint(meaning), why, hint]
    .filter((part) => part !== '')
    .join('. ')
    .replaceAll('.. ', '. ');
}
