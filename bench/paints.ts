import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../build/vite.ts';
import { findChromium } from '../tests/support/site/find-browser.ts';
import { median, row, spread } from './spread.ts';

/* The parts that we use. Both packages and their types are only installed when the benchmark runs. */
type Launcher = { launch: (options: object) => Promise<{ port: number; kill: () => void }> };
type Report = { audits: Record<string, { numericValue?: number }> };
type Lighthouse = (url: string, flags: object) => Promise<{ lhr: Report }>;

const FIGURES = {
  'FCP ms (wanted: at most 1.05 of it)': 'first-contentful-paint',
  'LCP ms (wanted: at most 1.05 of it)': 'largest-contentful-paint',
  'TBT ms (wanted: at most 10 more)': 'total-blocking-time',
  CLS: 'cumulative-layout-shift',
} as const;

/** Resolves a package from bench/package.json. */
const bring = (name: string) => import(createRequire(join(ROOT, 'bench/package.json')).resolve(name));

/** When the page and its limit are painted, by turns, so that other load on the machine affects both. */
export async function paints(page: string, limit: string, runs: number): Promise<void> {
  const { launch }: Launcher = await bring('chrome-launcher');
  const { default: lighthouse }: { default: Lighthouse } = await bring('lighthouse');

  async function measure(url: string): Promise<Report> {
    // Lighthouse now and then sees no paint at all; such a run says nothing.
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const browser = await launch({
        chromePath: findChromium(),
        chromeFlags: ['--headless=new', '--no-sandbox', '--window-size=412,915'],
        logLevel: 'silent',
      });
      try {
        const { lhr } = await lighthouse(url, { port: browser.port, logLevel: 'silent', output: 'json' });
        if (Object.values(FIGURES).every((audit) => lhr.audits[audit]?.numericValue !== undefined))
          return lhr;
      } finally {
        browser.kill();
      }
    }
    throw new Error(`Lighthouse saw no paint of ${url} three times`);
  }

  const reports: [Report, Report][] = [];
  for (let run = 0; run < runs; run += 1) reports.push([await measure(page), await measure(limit)]);
  for (const [name, audit] of Object.entries(FIGURES)) {
    const of = (which: 0 | 1) =>
      reports.map((report) => report[which].audits[audit]?.numericValue ?? Number.NaN);
    const [ours, least] = [of(0), of(1)];
    const ratio = (median(ours) / median(least)).toFixed(3);
    row(name, `${spread(ours)}, limit page ${spread(least)}, ratio ${ratio}`);
  }
}
