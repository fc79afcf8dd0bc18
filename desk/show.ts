import type { Command } from 'commander';
import { describeFault } from '../mail/faults.ts';
import { isBeingMailed } from '../messages/erase.ts';
import { furtherFields } from '../messages/fields.ts';
import { shortId } from '../messages/short-id.ts';
import type { Desk } from './desk.ts';
import { findMessage, messageJson, type Row } from './messages.ts';
import { MEANINGS, stateName } from './states.ts';
import { bold, dim, json, lineWidth, loud, oneLine, pad, printable, warm, wrap, write } from './terminal.ts';
import { age, localTime } from './time.ts';

export function addShow(program: Command, desk: Desk): void {
  program
    .command('show <id>')
    .description('show one message')
    .option('--json', 'for scripts')
    .action(async (id: string, options: { json?: true }) => {
      const row = await findMessage(await desk.database(), id);
      write(options.json ? json(messageJson(row)) : describe(row, desk.now(), desk.settings().timeZone));
    });
}

const LABEL_WIDTH = 10;

function describe(row: Row, now: number, timeZone: string): string {
  const columns = lineWidth();
  const field = (label: string, text: string) => {
    const lines = wrap(text, columns - LABEL_WIDTH).split('\n');
    return lines.map((line, index) => `${pad(index === 0 ? dim(label) : '', LABEL_WIDTH)}${line}\n`).join('');
  };
  const ago = age(row.received_at, now);
  const received = `${localTime(row.received_at, timeZone)} (${ago === 'now' ? 'just now' : `${ago} ago`})`;
  const words = wrap(printable(row.message), columns - 2).replace(/^(?=.)/gm, '  ');
  return [
    field('From', `${bold(oneLine(row.name))} <${oneLine(row.email)}>`),
    ...furtherFields(row).map(({ label, value }) => field(label, printable(value))),
    field('Received', received),
    field('State', stateWords(row, now, timeZone)),
    field('ID', row.id),
    `\n${words}\n`,
  ].join('');
}

function stateWords(row: Row, now: number, timeZone: string): string {
  const state = stateName(row.state);
  const meaning = `${state}: ${MEANINGS[state]}`;
  const because = row.last_error ? `Its last try: ${describeFault(row.last_error)}. ` : '';
  if (isBeingMailed(row, now)) return warm(`${state}: on its way to you just now`);
  if (state === 'delivered') return `${meaning} on ${localTime(row.sent_at ?? row.received_at, timeZone)}`;
  if (state === 'set-aside')
    return `${loud(meaning)}. ${because}Once that is mended: npm run desk requeue ${shortId(row.id)}`;
  if (state === 'waiting' && row.last_error)
    return `${warm(meaning)}. ${because}Next try on ${localTime(row.next_attempt_at, timeZone)}`;
  if (state === 'spam') return `${meaning}. If it is none: npm run desk not-spam ${shortId(row.id)}`;
  return meaning;
}
