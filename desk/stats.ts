import type { Command } from 'commander';
import { Temporal } from 'temporal-polyfill';
import { answersFigure, readAnswers, waitWords } from '../mail/answers.ts';
import { dayAt, daysAfter, span } from '../mail/day.ts';
import type { Database } from '../messages/database.ts';
import { deliveryTimes, receivedTimes } from '../messages/figures.ts';
import { STATE_NAMES } from '../messages/message.ts';
import { countByState } from '../messages/queries.ts';
import type { Desk } from './desk.ts';
import { bold, count, dim, json, loud, pad, warm, write } from './terminal.ts';

const DAYS = 30;

export function addStats(program: Command, desk: Desk): void {
  program
    .command('stats')
    .description('how many messages came, and how soon they were mailed and answered')
    .action(async (options: { json?: true }) => {
      const { timeZone } = desk.settings();
      const figures = await readFigures(await desk.database(), timeZone);
      write(options.json ? json(figures) : describe(figures));
    });
}

export type Figures = Awaited<ReturnType<typeof readFigures>>;

/** Durations in milliseconds; null if there's nothing to measure. */
export async function readFigures(database: Database, timeZone: string) {
  const states = await countByState(database, STATE_NAMES);
  const { oldestAt } = states.waiting;
  const now = Date.now();
  const { oldestAnswerDueAt, ...answers } = await readAnswers(database, now);
  const today = dayAt(now, timeZone);
  const days = Array.from({ length: DAYS }, (_, index) => daysAfter(today, index + 1 - DAYS, timeZone).name);
  const times = await receivedTimes(database, daysAfter(today, 1 - DAYS, timeZone).startsAt);
  const received = Map.groupBy(times, (time) => dayAt(time, timeZone).name);
  return {
    received: Object.values(states).reduce((sum, { count }) => sum + count, 0),
    delivered: states.delivered.count,
    waiting: states.waiting.count,
    setAside: states['set-aside'].count,
    spam: states.spam.count,
    oldestWaitingAt: oldestAt === undefined ? null : new Date(oldestAt).toISOString(),
    ...(await deliveryTimes(database)),
    ...answers,
    oldestAnswerDueAt: oldestAnswerDueAt === undefined ? null : new Date(oldestAnswerDueAt).toISOString(),
    // In the owner's time zone, today last.
    days: days.map((day) => ({ day, received: received.get(day)?.length ?? 0 })),
  };
}

function describe(figures: Figures): string {
  const { received, delivered, waiting, setAside, spam, days } = figures;
  if (received === 0) return 'No messages yet.\n';
  const row = (label: string, text: string) => `${pad(bold(label), 14)}${text}\n`;
  const number = (value: number) => value.toLocaleString('en').padStart(received.toLocaleString('en').length);
  const { oldestWaitingAt, medianDeliveryMs, slowestDeliveryMs } = figures;
  const oldest =
    oldestWaitingAt === null ? '' : `, the oldest for ${span(Date.now() - Date.parse(oldestWaitingAt))}`;
  const times =
    medianDeliveryMs === null || slowestDeliveryMs === null
      ? 'none yet'
      : `half within ${span(medianDeliveryMs)}, the slowest took ${span(slowestDeliveryMs)}`;
  const answered = answersFigure(figures);
  const messages = days.map((day) => day.received);
  return [
    row('Messages', `${number(received)} received`),
    row('', `${number(delivered)} delivered`),
    row('', (waiting > 0 ? warm : String)(`${number(waiting)} waiting${oldest}`)),
    row('', (setAside > 0 ? loud : String)(`${number(setAside)} set aside`)),
    row('', `${number(spam)} spam`),
    `\n${row('Delivery', times)}\n`,
    row('Answers', (figures.late > 0 ? loud : String)(waitWords(figures))),
    ...(answered ? [row('', `${answered.label}: ${answered.value} (last ${DAYS} days)`)] : []),
    '\n',
    row(`Last ${DAYS} days`, sparkline(messages)),
    row('', dim(ends(days))),
    row('', summary(messages, 'message')),
  ].join('');
}

export function summary(values: number[], what: string): string {
  const total = values.reduce((sum, value) => sum + value, 0);
  return `${count(total, what)}, at most ${Math.max(...values).toLocaleString('en')} a day`;
}

const BARS = '▁▂▃▄▅▆▇█';

/** A bar for each day, a dot for zero. */
export function sparkline(values: number[]): string {
  const most = Math.max(...values);
  return values
    .map((value) => (value === 0 ? '·' : BARS[Math.ceil((value / most) * BARS.length) - 1]))
    .join('');
}

/** The first and last day, to go below the ends of the sparkline. */
function ends(days: Figures['days']): string {
  const [first = '', last = ''] = [days[0], days.at(-1)].map(
    (each) =>
      each && Temporal.PlainDate.from(each.day).toLocaleString('en-GB', { day: 'numeric', month: 'short' }),
  );
  return first.padEnd(days.length - last.length) + last;
}
