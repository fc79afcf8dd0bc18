import { InvalidArgumentError } from 'commander';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: Record<string, number> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

const wait = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** How long something took or lies back, in the unit that says most: `12 min`, `3 days`. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${wait.format(ms / 1000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  if (ms < 730 * DAY) return `${Math.floor(ms / DAY)} days`;
  return `${Math.floor(ms / (365 * DAY))} years`;
}

/** As `span`, of a moment in the past. */
export function age(then: number, now: number): string {
  return now - then < MINUTE ? 'now' : span(now - then);
}

/** In the time zone of the machine that the command runs on: the owner's. */
export function localTime(time: number): string {
  return new Date(time).toLocaleString('en-CA', { dateStyle: 'full', timeStyle: 'short' });
}

/** An option's `365d`, `12h`, `90m` or `4w`, in milliseconds. */
export function duration(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([mhdw])$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError('A number with m, h, d or w is needed, for instance 365d.');
  }
  return ms;
}

/**
 * An option's moment: `7d` ago, a day such as `2026-11-21` from its first minute in the local zone, or
 * a time in ISO 8601.
 */
export function since(text: string, now: number): number {
  if (/^\d+[a-z]$/.test(text.trim())) return now - duration(text);
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text.trim()) ?? [];
  const time = year
    ? new Date(Number(year), Number(month) - 1, Number(day)).getTime()
    : /^\d{4}-\d\d-\d\dT/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  // The calendar would turn 31 February into 3 March.
  const real = !year || new Date(time).getDate() === Number(day);
  if (Number.isNaN(time) || !real) {
    throw new InvalidArgumentError('A time such as 7d, 12h, 2026-11-21 or 2026-11-21T09:00 is needed.');
  }
  return time;
}
