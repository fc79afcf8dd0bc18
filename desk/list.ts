import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Message, STATE_NAMES, type State } from '../messages/message.ts';
import { eachMessage, type Filter } from '../messages/queries.ts';
import { shortId } from '../messages/short-id.ts';
import type { Desk } from './desk.ts';
import { jsonArray } from './messages.ts';
import { bold, cut, dim, lineWidth, loud, oneLine, pad, warm, width, write } from './terminal.ts';
import { age, type Since, since } from './time.ts';

type Options = { state?: State; since?: Since; text?: string; limit?: number; json?: true };

/** As many as fit into most terminals with their heading. Scripts get all. */
const SHOWN = 20;

const HEADS = { id: 'ID', age: 'AGE', state: 'STATE', name: 'FROM', message: 'MESSAGE' };
const GAP = '  ';
const WIDTHS = { id: 8, age: 8, state: 9 };
/** All but the name and the message. */
const FIXED_WIDTH = Object.values(WIDTHS).reduce((sum, columns) => sum + columns + GAP.length, 0);
/** What is left is shared between the name, a third, and the message. */
const NAME_WIDTH = 20;
/** Less of a name or message says nothing. */
const SHORTEST = 9;

export function addList(program: Command, desk: Desk): void {
  program
    .command('list')
    .description('list messages, newest first')
    .addOption(new Option('--state <state>', 'only these').choices(STATE_NAMES))
    .option('--since <time>', 'received since 7d, 12h or 2026-11-21', since)
    .option('--text <words>', 'with these words in any field')
    .option('--limit <number>', `at most so many (${SHOWN}; with --json all)`, wholeNumber)
    .option('--json', 'for scripts')
    .action(async ({ limit, json: asJson, ...options }: Options) => {
      const filter: Filter = {
        ...options,
        since: options.since?.(desk.now(), desk.settings().timeZone),
      };
      const messages = eachMessage(await desk.database(), filter, 'newest first');
      if (asJson) return pipeline(Readable.from(jsonArray(messages, limit)), process.stdout, { end: false });
      const rows: Message[] = [];
      let left = false;
      for await (const row of messages) {
        left = rows.length >= (limit ?? SHOWN);
        if (left) break;
        rows.push(row);
      }
      write(table(rows, desk.now(), { left, filter }));
    });
}

function table(rows: Message[], now: number, { left, filter }: { left: boolean; filter: Filter }): string {
  if (rows.length === 0) {
    const filtered = Object.values(filter).some((value) => value !== undefined);
    return filtered ? 'No message passes these filters.\n' : 'No message yet.\n';
  }
  const columns = lineWidth();
  const nameColumns = Math.min(NAME_WIDTH, Math.max(SHORTEST, Math.floor((columns - FIXED_WIDTH) / 3)));
  const names = rows.map((row) => cut(oneLine(row.name), nameColumns));
  const nameWidth = Math.max(HEADS.name.length, ...names.map(width));
  const messageColumns = columns - FIXED_WIDTH - nameWidth - GAP.length;
  const line = (id: string, old: string, state: string, name: string, message: string) => {
    const cells = [pad(id, WIDTHS.id), pad(old, WIDTHS.age), pad(state, WIDTHS.state), pad(name, nameWidth)];
    return `${[...cells, ...(messageColumns < SHORTEST ? [] : [message])].join(GAP).trimEnd()}\n`;
  };
  const head = line(dim(HEADS.id), dim(HEADS.age), dim(HEADS.state), dim(HEADS.name), dim(HEADS.message));
  const lines = rows.map((row, index) =>
    line(
      shortId(row.id),
      age(row.receivedAt, now),
      paintState(row.state),
      bold(names[index] ?? ''),
      cut(oneLine(row.message), messageColumns),
    ),
  );
  const more = left ? dim('Older messages are left out; --limit shows more.\n') : '';
  return head + lines.join('') + more;
}

function paintState(state: State): string {
  if (state === 'set-aside') return loud(state);
  if (state === 'waiting') return warm(state);
  return state === 'spam' ? dim(state) : state;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('A whole number from 1 on is needed.');
  return Number(text);
}
