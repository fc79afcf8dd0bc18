import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import cliTruncate from 'cli-truncate';
import { type Command, Option } from 'commander';
import { addressDoubt } from '../contract/address-doubt.ts';
import { countUnanswered } from '../server/messages/counts.ts';
import { type Message, STATE_NAMES, type State, shortId } from '../server/messages/message.ts';
import { eachMessage, type Filter, pageOfMessages } from '../server/messages/queries.ts';
import { timeToAnswer, unansweredWords, waitWords } from '../server/messages/unanswered.ts';
import type { Desk } from './desk.ts';
import { WrongUsage } from './failures.ts';
import { jsonArray } from './find-message.ts';
import { WORDS } from './state-words.ts';
import { bold, count, dim, lineWidth, loud, oneLine, pad, warm, width, wrap, write } from './terminal.ts';
import { age, type Since, since } from './time.ts';

type Options = {
  state?: State;
  unanswered?: true;
  since?: Since;
  text?: string;
  limit?: number;
  json?: true;
};

/** Fits most terminals. Scripts get all messages. */
const SHOWN = 20;

export function addList(program: Command, desk: Desk): void {
  program
    .command('list')
    .description('list messages, newest first')
    .option('--unanswered', 'who waits for your answer, the longest wait first')
    .addOption(new Option('--state <state>', 'only these').choices(STATE_NAMES))
    .option('--since <time>', 'received since 7d, 12h or 2026-11-21', since)
    .option('--text <words>', 'with these words in any field')
    .option('--limit <number>', `at most so many (${SHOWN}; with --json all)`, wholeNumber)
    .action(async ({ limit, json, ...options }: Options) => {
      const now = Date.now();
      const filter: Filter = { ...options, since: options.since?.(now, desk.settings().timeZone) };
      const database = await desk.database();
      const order = filter.unanswered ? 'oldest first' : 'newest first';
      if (json) {
        const messages = eachMessage(database, filter, order);
        return pipeline(Readable.from(jsonArray(messages, limit)), process.stdout, { end: false });
      }
      const waiting = await countUnanswered(database, now);
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      if (waiting.unanswered > 0 && (filter.unanswered || !isFiltered)) {
        const paint = waiting.late > 0 ? loud : warm;
        const words = filter.unanswered ? waitWords(waiting) : unansweredWords(waiting, now);
        write(`${wrap(paint(words), lineWidth())}\n`);
        if (!filter.unanswered) write(dim('To see who: npm run desk -- list --unanswered\n'));
        write('\n');
      }
      const { rows, next, searched } = await pageOfMessages(database, filter, order, {
        most: limit ?? SHOWN,
      });
      if (rows.length > 0) write(table(rows, now));
      else if (filter.unanswered && waiting.unanswered === 0) write(`${waitWords(waiting)}\n`);
      else write(isFiltered ? 'No message matches.\n' : 'No messages yet.\n');
      if (searched) write(dim(`Only ${count(searched, 'message')} were searched; with --json all are.\n`));
      else if (next)
        write(dim(`${filter.unanswered ? 'Newer' : 'Older'} messages are left out; --limit shows more.\n`));
    });
}

function table(rows: Message[], now: number): string {
  const columns = lineWidth();
  const nameWidth = columns < 70 ? 9 : columns < 90 ? 14 : 20;
  const lines = [
    ['ID', 'AGE', 'STATE', 'ANSWER', 'FROM', 'MESSAGE'].map(dim),
    ...rows.map((row) => [
      shortId(row.id),
      age(row.receivedAt, now),
      isDoubtful(row) ? loud('address?') : paintState(row.state),
      answerOf(row, now),
      bold(cliTruncate(oneLine(row.name), nameWidth)),
      oneLine(row.message),
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...lines.map((cells) => width(cells[column] ?? ''))),
  );
  const padded = lines.map((cells) => cells.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  '));
  return padded.map((line) => `${cliTruncate(line, columns).trimEnd()}\n`).join('');
}

function answerOf({ answeredAt, answerDueAt }: Message, now: number): string {
  if (answeredAt !== null) return dim('answered');
  if (answerDueAt === null) return '';
  return (now < answerDueAt ? warm : loud)(timeToAnswer(answerDueAt, now));
}

/** Her answer may not arrive; `show` says why. */
function isDoubtful({ state, answeredAt, email }: Message): boolean {
  return state === 'delivered' && answeredAt === null && addressDoubt(email) !== undefined;
}

function paintState(state: State): string {
  const paint = { 'set-aside': loud, waiting: warm, delivered: String, spam: dim }[state];
  return paint(WORDS[state]);
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new WrongUsage('Give a whole number, 1 or more.');
  return Number(text);
}
