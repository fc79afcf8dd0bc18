import { MINUTE } from '../../contract/time.ts';
import { type Day, dayAt, daysAfter, span } from '../../server/messages/time.ts';

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
