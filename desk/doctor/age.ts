const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in its largest whole unit, such as `3 days`. */
export function duration(ms: number): string {
  const units: [number, string][] = [
    [DAY, 'day'],
    [HOUR, 'hour'],
    [MINUTE, 'minute'],
  ];
  const [length, name] = units.find(([unit]) => ms >= unit) ?? [1000, 'second'];
  const count = Math.max(0, Math.floor(ms / length));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** @param date as a certificate writes it */
export function daysLeft(date: string, now: number): number {
  return Math.floor((Date.parse(date) - now) / DAY);
}
