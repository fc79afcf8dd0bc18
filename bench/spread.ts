/** Prints one line of the table. */
export function row(name: string, text: string): void {
  process.stdout.write(`${name.padEnd(38)}${text}\n`);
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The median, then the minimum and maximum. */
export function spread(values: number[]): string {
  const short = (value: number) => String(Math.round(value * 10) / 10);
  return `${short(median(values))} (${short(Math.min(...values))}–${short(Math.max(...values))})`;
}
