import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import { chromium } from '@playwright/test';
import { build } from '../build/build.ts';
import { headersFile } from '../build/headers.ts';
import { ROOT } from '../build/vite.ts';
import { headersFor, parseHeadersFile } from '../server/headers-file.ts';
import { readSettings } from '../server/settings.ts';
import { findBrowser } from '../tests/find-browser.ts';

/**
 * `npm run bench`: how fast the page is, beside its own limit: the same HTML without scripts, fonts and
 * images, from the same server. One table here, and all figures in bench/results.json.
 *
 * `npm run bench -- 9` runs Lighthouse nine times on each page instead of five.
 */
const RUNS = Number(process.argv[2] ?? 5);
const PORT_OF_NGINX = 18_099;
const folder = mkdtempSync(join(tmpdir(), 'bench-page-'));
const site = join(folder, 'site');
const limit = join(folder, 'limit');
const results: Record<string, unknown> = {};
const started: ChildProcess[] = [];

/** Prints one line of the table and keeps its figures. */
function row(name: string, text: string, figures: unknown = text): void {
  results[name] = figures;
  process.stdout.write(`${name.padEnd(34)}${text}\n`);
}

async function main(): Promise<void> {
  await build(readSettings({}), site);
  writeLimitPage();
  bytes();
  await step('HTTP Observatory', observatory);
  const page = await serve(site);
  const bare = await serve(limit);
  await step('hydration and interaction', () => mainThread(page.url));
  await step('Lighthouse', () => lighthouse(page.url, bare.url));
  await step('throughput', () => throughput(page));
}

/** One part that fails, for want of a tool for instance, is named and leaves the others alone. */
async function step(name: string, measure: () => Promise<void>): Promise<void> {
  try {
    await measure();
  } catch (error) {
    row(name, `not measured: ${error instanceof Error ? error.message : error}`);
  }
}

function writeLimitPage(): void {
  const html = readFileSync(join(site, 'index.html'), 'utf8')
    .replace(/<script\b.*?<\/script>|<noscript>.*?<\/noscript>|<link\b[^>]*>|<img\b[^>]*>/gs, '')
    .replace(/@font-face\{[^}]*\}/g, '');
  mkdirSync(limit);
  writeFileSync(join(limit, 'index.html'), html);
  writeFileSync(join(limit, 'index.html.br'), brotliCompressSync(html));
  writeFileSync(
    join(limit, '_headers'),
    headersFile({ 'index.html': html }, { siteUrl: undefined, basePath: '', supabaseUrl: undefined }),
  );
}

function bytes(): void {
  const sum = (pattern: RegExp) =>
    readdirSync(site, { recursive: true, encoding: 'utf8' })
      .filter((path) => pattern.test(path))
      .reduce((total, path) => total + statSync(join(site, path)).size, 0);
  const figures = {
    html: sum(/index\.html\.br$/),
    scripts: sum(/\.js\.br$/),
    scriptsBeforeFirstMessage: sum(/(main|hydrate)-[^/]*\.js\.br$/),
    laterStyles: sum(/later-.*\.css\.br$/),
    fonts: sum(/\.woff2$/),
    drawings: sum(/drawings-[^/]*\/(?!lost-plan|favicon)[^/]*\.svg\.br$/),
  };
  row(
    'bytes, brotli',
    Object.entries(figures)
      .map(([name, size]) => `${name} ${size}`)
      .join(', '),
    figures,
  );
}

async function observatory(): Promise<void> {
  type Result = { result: string | null; pass: boolean };
  const at = (path: string) => `${join(ROOT, 'bench/node_modules/@mdn/mdn-http-observatory/src')}/${path}`;
  // Its list of hosts that browsers know to be https, which its install script would fetch: none of ours.
  mkdirSync(join(at('..'), 'conf'), { recursive: true });
  writeFileSync(join(at('..'), 'conf/hsts-preload.json'), '{}');
  const { ALL_TESTS } = (await import(at('constants.js'))) as { ALL_TESTS: ((requests: object) => Result)[] };
  const { getScoreModifier, getGradeForScore } = (await import(at('grader/grader.js'))) as {
    getScoreModifier: (expectation: string) => number;
    getGradeForScore: (score: number) => { grade: string };
  };
  const html = readFileSync(join(site, 'index.html'), 'utf8');
  const text = headersFile(
    { 'index.html': html },
    { siteUrl: 'https://site.test', basePath: '', supabaseUrl: undefined },
  );
  const headers = Object.fromEntries(headersFor(parseHeadersFile(text), '/'));
  headers['content-type'] = 'text/html; charset=utf-8';
  const { Requests } = (await import(at('types.js'))) as { Requests: new (host: string) => Requests };
  type Requests = { resources: { path: string }; responses: Record<string, unknown>; session: unknown };
  const requests = new Requests('site.test');
  const url = new URL('https://site.test/');
  const answer = {
    status: 200,
    headers: withGet(headers),
    verified: true,
    data: html,
    request: { responseURL: url.href },
  };
  Object.assign(requests.responses, {
    auto: answer,
    https: answer,
    http: { ...answer, headers: withGet({ location: url.href }) },
    cors: answer,
    httpRedirects: [
      { url: new URL('http://site.test/'), status: 301 },
      { url, status: 200 },
    ],
    httpsRedirects: [{ url, status: 200 }],
  });
  requests.resources.path = html;
  requests.session = { url };
  const outcomes = ALL_TESTS.map((test) => ({ name: test.name, ...test(requests) }));
  const score = outcomes.reduce((total, { result }) => total + (result ? getScoreModifier(result) : 0), 100);
  const details = outcomes.map(({ name, result, pass }) => ({
    name,
    result,
    pass,
    points: result ? getScoreModifier(result) : 0,
  }));
  row('HTTP Observatory', `${score} (${getGradeForScore(score).grade}; wanted: at least 145)`, {
    score,
    details,
  });
}

/** The Observatory reads headers as axios gives them: by field and by `get`. */
function withGet(headers: Record<string, string>): object {
  return Object.assign(
    Object.create({ get: (name: string) => headers[name.toLowerCase()] ?? null }),
    headers,
  );
}

type Server = { url: string; process: ChildProcess };

async function serve(dist: string): Promise<Server> {
  const server = spawn(process.execPath, [join(ROOT, 'server/main.ts'), dist], {
    cwd: folder,
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'silent',
      SMTP_URL: '',
      DATABASE_URL: `file:${dist}.db`,
      MAIL_DIR: join(folder, 'mail'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(server);
  for await (const line of createInterface(server.stdout)) {
    const url = /The page\s+(http:\S+)/.exec(line)?.[1];
    if (url) return { url, process: server };
  }
  throw new Error('the server did not start');
}

async function lighthouse(...urls: [page: string, bare: string]): Promise<void> {
  type Lhr = {
    audits: Record<string, { numericValue: number }>;
    categories: Record<string, { score: number }>;
  };
  const path = join(ROOT, 'bench/node_modules/lighthouse/core/index.js');
  const { default: run } = (await import(path)) as {
    default: (url: string, flags: object) => Promise<{ lhr: Lhr }>;
  };
  const port = 18_222;
  const figures = { page: [] as number[][], limit: [] as number[][] };
  const scores: number[][] = [];
  for (let i = 0; i < RUNS; i += 1) {
    for (const [index, url] of urls.entries()) {
      const browser = await chromium.launch({
        executablePath: findBrowser(),
        args: ['--no-sandbox', `--remote-debugging-port=${port}`],
      });
      try {
        const { lhr } = await run(url, { port, logLevel: 'silent', output: 'json' });
        const of = (audit: string) => lhr.audits[audit]?.numericValue ?? Number.NaN;
        figures[index === 0 ? 'page' : 'limit'].push([
          of('first-contentful-paint'),
          of('largest-contentful-paint'),
          of('total-blocking-time'),
          of('cumulative-layout-shift'),
        ]);
        if (index === 0)
          scores.push(Object.values(lhr.categories).map(({ score }) => Math.round(score * 100)));
      } finally {
        await browser.close();
      }
    }
  }
  row('Lighthouse, mobile', `${scores.map((run) => run.join('/')).join('  ')}`, scores);
  for (const [index, name] of ['FCP ms', 'LCP ms', 'TBT ms', 'CLS'].entries()) {
    const of = (runs: number[][]) => runs.map((run) => run[index] ?? Number.NaN);
    const [ours, least] = [of(figures.page), of(figures.limit)];
    const ratio = median(ours) / median(least);
    const compared = index < 2 ? `, ratio ${ratio.toFixed(3)} (wanted: at most 1.05)` : '';
    row(name, `${spread(ours)}, limit page ${spread(least)}${compared}`, { ours, least });
  }
}

/** Everything at a quarter of the processor's speed. */
async function mainThread(url: string): Promise<void> {
  const longest: number[] = [];
  const interactions: number[] = [];
  for (let i = 0; i < RUNS; i += 1) {
    const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.route('**/functions/v1/**', (route) => route.fulfill({ json: { ok: true, id: 'x' } }));
    await browser.startTracing(page, {
      categories: ['toplevel', 'devtools.timeline', 'blink.user_timing', '__metadata'],
    });
    await page.goto(url);
    await page.waitForFunction(
      () => document.querySelectorAll('[data-island]:not([data-hydrated])').length === 0,
    );
    await wait(500);
    longest.push(longestTask((await browser.stopTracing()).toString()));
    await page.evaluate(() => {
      const seen: number[] = [];
      Object.assign(window, { seen });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.push(duration);
      }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
    });
    await page.getByRole('button', { name: 'Menu' }).click();
    await wait(400);
    await page.keyboard.press('Escape');
    await page.getByLabel('Name').fill('Sam');
    await page.getByLabel('Email').fill('sam@example.com');
    await page.getByLabel('Message').pressSequentially('Orders wait.', { delay: 30 });
    await page.getByRole('button', { name: 'Send message' }).click();
    await wait(1500);
    const seen = await page.evaluate(() => (window as unknown as { seen: number[] }).seen);
    interactions.push(Math.max(0, ...seen));
    await browser.close();
  }
  row('longest task, 4x slower', `${spread(longest)} ms (wanted: below 50)`, longest);
  row('slowest interaction, 4x slower', `${spread(interactions)} ms (wanted: below 100)`, interactions);
}

/** From the script with the islands on, on the page's own thread. */
function longestTask(trace: string): number {
  type Event = {
    name: string;
    ph: string;
    ts: number;
    dur?: number;
    pid: number;
    tid: number;
    args?: { name?: string };
  };
  const { traceEvents } = JSON.parse(trace) as { traceEvents: Event[] };
  const hydrations = traceEvents.filter(
    ({ name }) => name === 'EvaluateScript' || name === 'v8.evaluateModule',
  );
  // The first is the small entry, the last the islands.
  const first = hydrations.at(-1);
  if (!first) return Number.NaN;
  const tasks = traceEvents.filter(
    (event) =>
      /RunTask$/.test(event.name) &&
      event.tid === first.tid &&
      event.pid === first.pid &&
      event.ts + (event.dur ?? 0) >= first.ts,
  );
  return Math.max(...tasks.map(({ dur = 0 }) => dur / 1000));
}

async function throughput({ url, process: server }: Server): Promise<void> {
  for (const tool of ['wrk', 'nginx', 'taskset']) {
    if (spawnSync('which', [tool]).status !== 0) throw new Error(`${tool} is not installed`);
  }
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {} http { access_log off; sendfile on; keepalive_requests 100000000; gzip_static on; default_type text/html;
server { listen 127.0.0.1:${PORT_OF_NGINX}; root ${site}; location = / { try_files /index.html =404; } } }`,
  );
  const nginx = spawn('taskset', ['-c', '0', 'nginx', '-c', config, '-p', folder], { stdio: 'ignore' });
  started.push(nginx);
  spawnSync('taskset', ['-a', '-c', '-p', '0', String(server.pid)]);
  await wait(1000);
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;
  const load = (target: string, seconds: number) => {
    const { stdout } = spawnSync(
      'taskset',
      ['-c', '1', 'wrk', '-t1', '-c32', `-d${seconds}s`, '-H', 'Accept-Encoding: gzip', target],
      { encoding: 'utf8' },
    );
    return {
      rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
      total: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    };
  };
  load(`${url}/`, 2);
  const before = memory();
  let total = 0;
  const [ours, nginxs]: [number[], number[]] = [[], []];
  for (let i = 0; i < RUNS || total < 100_000; i += 1) {
    const one = load(`${url}/`, 3);
    total += one.total;
    ours.push(one.rate);
    nginxs.push(load(`http://127.0.0.1:${PORT_OF_NGINX}/`, 3).rate);
  }
  const ratio = median(ours) / median(nginxs);
  row(
    'GET / per second, one core',
    `${spread(ours)}, nginx ${spread(nginxs)}, ratio ${ratio.toFixed(2)} (wanted: at least 0.5)`,
    { ours, nginxs },
  );
  const after = memory();
  row('memory of the server', `${before.toFixed(1)} MB, after ${total} requests ${after.toFixed(1)} MB`, {
    before,
    after,
    total,
  });
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function spread(values: number[]): string {
  const short = (value: number) => String(Math.round(value * 1000) / 1000);
  return `${short(Math.round(median(values) * 10) / 10)} (${short(Math.min(...values))}–${short(Math.max(...values))})`;
}

try {
  await main();
  writeFileSync(join(ROOT, 'bench/results.json'), `${JSON.stringify(results, null, 2)}\n`);
} finally {
  for (const process of started) {
    if (process.exitCode !== null) continue;
    process.kill();
    await once(process, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}
