import { Temporal } from 'temporal-polyfill';

/** A day of the owner's calendar; times are milliseconds since 1970, and `endsAt` is the next day's first. */
export type Day = Readonly<{ name: string; startsAt: number; endsAt: number }>;

/** The day in which a time lies. It has 23 or 25 hours where the clocks are changed. */
export function dayAt(time: number, timeZone: string): Day {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
  return toDay(local.toPlainDate(), timeZone);
}

/** So many days later, or earlier when negative. */
export function daysAfter(day: Day, days: number, timeZone: string): Day {
  return toDay(Temporal.PlainDate.from(day.name).add({ days }), timeZone);
}

function toDay(date: Temporal.PlainDate, timeZone: string): Day {
  const start = (day: Temporal.PlainDate) => day.toZonedDateTime({ timeZone }).epochMilliseconds;
  return { name: date.toString(), startsAt: start(date), endsAt: start(date.add({ days: 1 })) };
}

/** To the minute, with the name of the zone, since a mail is read in others as well. */
export function describeTime(time: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(time);
}

/** The day for a sentence, such as `Saturday, November 21`. */
export function describeDay({ name }: Day): string {
  return Temporal.PlainDate.from(name).toLocaleString('en-CA', {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
  });
}
