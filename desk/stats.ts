import type { Command } from 'commander';
import { Temporal } from 'temporal-polyfill';
import { dayAt, daysAfter } from '../mail/day.ts';
import type { Database } from '../messages/database.ts';
import { countsOfDays, deliveryTimes, receivedTimes } from '../messages/figures.ts';
import { STATE_NAMES } from '../messages/message.ts';
import { countByState } from '../messages/queries.ts';
import type { Desk } from './desk.ts';
import { bold, count, dim, json, loud, pad, warm, write } from './terminal.ts';
import { age, span } from './time.ts';

const DAYS = 30;

export function addStats(program: Command, desk: Desk): void {
  program
    .command('stats')
    .description('how many messages came, and how soon they were mailed')
    .option('--json', 'for scripts')
    .action(async (options: { json?: true }) => {
      const { timeZone } = desk.settings();
      const now = desk.now();
      const figures = await readFigures(await desk.database(), now, timeZone);
      write(options.json ? json(figures) : describe(figures, now));
    });
}

/** Times in milliseconds, `oldestWaitingAt` in ISO 8601; null where there is nothing to measure. */
type Figures = {
  received: number;
  delivered: number;
  waiting: number;
  setAside: number;
  spam: number;
  oldestWaitingAt: string | null;
  medianDeliveryMs: number | null;
  slowestDeliveryMs: number | null;
  /** The last 30 in the owner's zone, today last; `visits` is null where none were counted in all of them. */
  days: { day: string; received: number; visits: number | null }[];
  /** Messages for each visit, of the days when both were counted; null without visits. */
  conversion: number | null;
};

async function readFigures(database: Database, now: number, timeZone: string): Promise<Figures> {
  const states = await countByState(database, STATE_NAMES);
  const { oldestAt } = states.waiting;
  return {
    received: Object.values(states).reduce((sum, { count }) => sum + count, 0),
    delivered: states.delivered.count,
    waiting: states.waiting.count,
    setAside: states['set-aside'].count,
    spam: states.spam.count,
    oldestWaitingAt: oldestAt === undefined ? null : new Date(oldestAt).toISOString(),
    ...(await deliveryTimes(database)),
    ...(await byDay(database, now, timeZone)),
  };
}

async function byDay(
  database: Database,
  now: number,
  timeZone: string,
): Promise<Pick<Figures, 'days' | 'conversion'>> {
  const today = dayAt(now, timeZone);
  const first = daysAfter(today, 1 - DAYS, timeZone);
  const received = new Map<string, number>();
  for (let day = first; day.startsAt <= today.startsAt; day = daysAfter(day, 1, timeZone))
    received.set(day.name, 0);
  for (const time of await receivedTimes(database, first.startsAt)) {
    const { name } = dayAt(time, timeZone);
    const before = received.get(name);
    if (before !== undefined) received.set(name, before + 1);
  }
  const counted = await countsOfDays(database, first.name, today.name);
  return {
    days: [...received].map(([day, messages]) => ({
      day,
      received: messages,
      visits: counted?.visits ? (counted.visitsOn.get(day) ?? 0) : null,
    })),
    conversion: counted?.visits ? counted.messages / counted.visits : null,
  };
}

function describe(figures: Figures, now: number): string {
  const { received, delivered, waiting, setAside, spam, oldestWaitingAt, days, conversion } = figures;
  if (received === 0 && conversion === null) return 'No message yet.\n';
  const row = (label: string, text: string) => `${pad(bold(label), 14)}${text}\n`;
  const number = (value: number) => value.toLocaleString('en').padStart(received.toLocaleString('en').length);
  const oldest =
    oldestWaitingAt === null
      ? ''
      : `, the oldest for ${age(Date.parse(oldestWaitingAt), now).replace('now', 'less than a minute')}`;
  const times =
    figures.medianDeliveryMs === null || figures.slowestDeliveryMs === null
      ? 'none yet'
      : `half within ${span(figures.medianDeliveryMs)}, the slowest took ${span(figures.slowestDeliveryMs)}`;
  const month = days.reduce((sum, day) => sum + day.received, 0);
  const most = Math.max(...days.map((day) => day.received));
  return [
    row('Messages', `${number(received)} received`),
    row('', `${number(delivered)} delivered`),
    row('', paint(waiting, warm)(`${number(waiting)} waiting${oldest}`)),
    row('', paint(setAside, loud)(`${number(setAside)} set aside`)),
    row('', `${number(spam)} spam`),
    '\n',
    row('Delivery', times),
    '\n',
    row(`Last ${DAYS} days`, sparkline(days.map((day) => day.received))),
    row('', dim(ends(days))),
    row(
      '',
      month === 0 ? 'no message' : `${count(month, 'message')}, at most ${most.toLocaleString('en')} a day`,
    ),
    ...(conversion === null ? [] : ['\n', ...visitRows(days, conversion, row)]),
  ].join('');
}

function visitRows(
  days: Figures['days'],
  conversion: number,
  row: (label: string, text: string) => string,
): string[] {
  const visits = days.map((day) => day.visits ?? 0);
  const total = visits.reduce((sum, one) => sum + one, 0);
  const share = conversion.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
  return [
    row('Page views', sparkline(visits)),
    row(
      '',
      `${count(total, 'view')}, at most ${Math.max(...visits).toLocaleString('en')} a day; ${share} wrote`,
    ),
  ];
}

const paint = (value: number, colour: (text: string) => string) =>
  value > 0 ? colour : (text: string) => text;

const BARS = '▁▂▃▄▅▆▇█';

/** One column a day; a day without a message is a dot, so that it differs from one with few. */
export function sparkline(values: number[]): string {
  const most = Math.max(...values);
  return values
    .map((value) => (value === 0 ? '·' : BARS[Math.ceil((value / most) * BARS.length) - 1]))
    .join('');
}

/** The first and the last day, below the ends of the line. */
function ends(days: Figures['days']): string {
  const [first = '', last = ''] = [days[0], days.at(-1)].map(
    (each) =>
      each && Temporal.PlainDate.from(each.day).toLocaleString('en-GB', { day: 'numeric', month: 'short' }),
  );
  return first.padEnd(days.length - last.length) + last;
}
