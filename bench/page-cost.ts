import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Server, serve } from './servers.ts';
import { median, row, spread } from './table.ts';

const SECONDS = 2;
/** The kernel tells processor time in hundredths of a second. */
const TICK_US = 10_000;
/** Both are what a browser sends, without which nothing would be counted. */
const BROWSER = [
  'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Sec-Fetch-Dest: document',
];

const VARIANTS = {
  bare: { COUNT_VISITS: 'off' },
  counted: {},
  logged: { LOG_LEVEL: 'info' },
};

/**
 * What one `GET /` costs the processor: bare, with visits counted, and with its line in the log as well. In
 * turns, and in processor time, which other programs on the machine disturb less than a rate.
 */
export async function pageCost(site: string, folder: string, runs: number): Promise<void> {
  if (spawnSync('which', ['wrk']).status !== 0) throw new Error('wrk is not installed');
  const servers: [keyof typeof VARIANTS, Server][] = [];
  for (const name of ['bare', 'counted', 'logged'] as const) {
    const server = await serve(site, mkdtempSync(join(folder, 'data-')), VARIANTS[name]);
    // A log that nobody reads would hold the server up.
    server.process.stdout?.resume();
    servers.push([name, server]);
  }
  const costs: Record<keyof typeof VARIANTS, number[]> = { bare: [], counted: [], logged: [] };
  for (const [, server] of servers) await cost(server);
  for (let run = 0; run < runs; run += 1) {
    for (const [name, server] of servers) costs[name].push(await cost(server));
  }
  for (const name of ['counted', 'logged'] as const) {
    const ratio = median(costs.bare) / median(costs[name]);
    row(
      `GET / ${name}, processor time`,
      `${spread(costs[name])} µs, bare ${spread(costs.bare)} µs, ratio ${ratio.toFixed(2)}`,
      costs,
    );
  }
}

/** Microseconds of one request. */
async function cost({ url, process: { pid } }: Server): Promise<number> {
  const before = ticks(pid);
  const headers = ['Accept-Encoding: gzip', ...BROWSER].flatMap((header) => ['-H', header]);
  // Not in step with us: the log is read meanwhile.
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1',
    '-c32',
    `-d${SECONDS}s`,
    ...headers,
    `${url}/`,
  ]);
  return ((ticks(pid) - before) * TICK_US) / Number(/(\d+) requests in/.exec(stdout)?.[1]);
}

/** Used by the process so far, for itself and in the kernel. */
function ticks(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
