import { writeFileSync } from 'node:fs';

const results: Record<string, unknown> = {};

/** Prints one line of the table, and keeps its figures for the results file. */
export function row(name: string, text: string, figures: unknown = text): void {
  results[name] = figures;
  process.stdout.write(`${name.padEnd(38)}${text}\n`);
}

export function writeResults(file: string): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The median, then the minimum and maximum. */
export function spread(values: number[]): string {
  const short = (value: number) => String(Math.round(value * 10) / 10);
  return `${short(median(values))} (${short(Math.min(...values))}–${short(Math.max(...values))})`;
}

export function percentiles(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}
