import { DAY, HOUR, MINUTE } from '../../contract/time.ts';

/** Each takes a third of a millisecond to make, and a page may show hundreds of times. */
const formats: Record<string, Intl.DateTimeFormat> = {};
export function format(time: number, parts: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(parts);
  formats[key] ??= new Intl.DateTimeFormat('en-CA', parts);
  return formats[key].format(time);
}
/** As on the visitor's receipt. */
export const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** `2026-11-21` */
export const dayAt = (time: number, timeZone: string) =>
  format(time, { year: 'numeric', month: '2-digit', day: '2-digit', timeZone });

/** Includes the time zone, since mail may be read in another one. */
export function describeTime(time: number, timeZone: string): string {
  const date = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const;
  return format(time, { ...date, ...CLOCK, timeZoneName: 'short', timeZone });
}

/** `Sat, Nov 21, 07:05`, for lists. */
export const describeShortly = (time: number, timeZone: string) =>
  format(time, { weekday: 'short', month: 'short', day: 'numeric', ...CLOCK, timeZone });

/** `Sat 07:05 EST`; with the date if that's a week or more after `from`. */
export function describeDue(time: number, from: number, timeZone: string): string {
  const date = time - from >= 7 * DAY && ({ day: 'numeric', month: 'short' } as const);
  const words = format(time, { weekday: 'short', ...date, ...CLOCK, timeZoneName: 'short', timeZone });
  return words.replace(',', '');
}

/** `12 min`, `3 days`. */
export function span(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.round(ms / 1000))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  if (ms < 730 * DAY) return `${Math.floor(ms / DAY)} days`;
  return `${Math.floor(ms / (365 * DAY))} years`;
}
