import { Temporal } from 'temporal-polyfill';
import { type Day, dayAt, daysAfter, span } from '../server/messages/day.ts';
import { WrongUsage } from './failures.ts';

const MINUTE = 60_000;

export function age(then: number, now: number): string {
  return now - then < MINUTE ? 'now' : span(now - then);
}

const CLOCK = { hour: 'numeric', minute: '2-digit' } as const;
const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;

/** `Sat, Nov 21, 2026, 2:05 p.m.` */
export function localTime(time: number, timeZone: string, parts: Intl.DateTimeFormatOptions = DAY): string {
  return new Intl.DateTimeFormat('en-CA', { ...parts, ...CLOCK, timeZone }).format(time);
}

/** `today, 2:05 p.m.`, `yesterday, 2:05 p.m.`, or like `localTime`. */
export function whenCame(time: number, now: number, timeZone: string): string {
  const today = dayAt(now, timeZone);
  const isWithin = ({ startsAt, endsAt }: Day) => time >= startsAt && time < endsAt;
  const name = isWithin(today) ? 'today' : isWithin(daysAfter(today, -1, timeZone)) && 'yesterday';
  return name ? `${name}, ${localTime(time, timeZone, {})}` : localTime(time, timeZone);
}

/** `2026-11-21 14:05:09`, which spreadsheets in every language can read. */
export function sheetTime(time: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
  return local.toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ');
}

/** A function, so that a relative time such as `7d` is resolved when the command runs. */
export type Since = (now: number, timeZone: string) => number;

/** Their first letters are typed. No minutes: `12m` means months. */
const UNITS = ['hours', 'days', 'weeks', 'months', 'years'];

/** `7d` ago, the start of a local day such as `2026-11-21`, or a time in ISO 8601. */
export function since(option: string): Since {
  const text = option.trim();
  const [, amount, letter = ''] = /^([1-9]\d{0,4})\s*([hdwmy])$/i.exec(text) ?? [];
  const unit = UNITS.find((name) => name[0] === letter.toLowerCase());
  if (unit) {
    return (now, timeZone) =>
      Temporal.Instant.fromEpochMilliseconds(now)
        .toZonedDateTimeISO(timeZone)
        .subtract({ [unit]: Number(amount) }).epochMilliseconds;
  }
  try {
    if (/(Z|[+-]\d\d:\d\d)$/.test(text)) {
      const { epochMilliseconds } = Temporal.Instant.from(text);
      return () => epochMilliseconds;
    }
    const local = Temporal.PlainDateTime.from(text, { overflow: 'reject' });
    return (_, timeZone) => local.toZonedDateTime(timeZone).epochMilliseconds;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new WrongUsage('Give a time such as 7d, 12h, 2026-11-21 or 2026-11-21T09:00.');
  }
}
