import { bring, withBrowser } from './browser.ts';
import { median, row, spread } from './table.ts';

type Lhr = {
  audits: Record<string, { numericValue?: number }>;
  categories: Record<string, { score: number }>;
};
type Run = (url: string, flags: object) => Promise<{ lhr: Lhr }>;

const FIGURES = {
  'FCP ms': 'first-contentful-paint',
  'LCP ms': 'largest-contentful-paint',
  'TBT ms (wanted: at most 10 more)': 'total-blocking-time',
  CLS: 'cumulative-layout-shift',
} as const;

/** Lighthouse now and then sees no paint at all; such a run says nothing. */
async function measured(run: Run, url: string): Promise<Lhr> {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const { lhr } = await withBrowser((port) => run(url, { port, logLevel: 'silent', output: 'json' }));
    if (Object.values(FIGURES).every((audit) => lhr.audits[audit]?.numericValue !== undefined)) return lhr;
  }
  throw new Error(`Lighthouse saw no paint of ${url} three times`);
}

/** Alternates between the two pages, so that other load on the machine affects both. */
export async function lighthouse(page: string, limit: string, runs: number): Promise<void> {
  const { default: run } = (await import(bring('lighthouse'))) as { default: Run };
  const reports: Record<'page' | 'limit', Lhr[]> = { page: [], limit: [] };
  for (let i = 0; i < runs; i += 1) {
    for (const [name, url] of [
      ['page', page],
      ['limit', limit],
    ] as const) {
      reports[name].push(await measured(run, url));
    }
  }
  const scores = reports.page.map(({ categories }) =>
    Object.values(categories).map(({ score }) => Math.round(score * 100)),
  );
  row('Lighthouse, mobile', scores.map((run) => run.join('/')).join('  '), scores);
  for (const [name, audit] of Object.entries(FIGURES)) {
    const of = (lhrs: Lhr[]) => lhrs.map(({ audits }) => audits[audit]?.numericValue ?? Number.NaN);
    const [ours, least] = [of(reports.page), of(reports.limit)];
    const ratio = median(ours) / median(least);
    const wanted = /FCP|LCP/.test(name) ? `, ratio ${ratio.toFixed(3)} (wanted: at most 1.05)` : '';
    row(name, `${spread(ours)}, limit page ${spread(least)}${wanted}`, { ours, least });
  }
}
