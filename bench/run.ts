import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from '@playwright/test';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import { findChromium } from '../tests/support/site/find-browser.ts';

// `npm run bench`: how fast the server starts, how much memory it uses, how many pages and messages a second it takes, and
// when the page is painted. Given another checkout's folder, it measures the two in turn, since one figure alone says
// nothing on a machine that's busy with other things.

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 5;
const SECONDS = 3;
const AT_ONCE = 50;
/** A phone a quarter as fast as this machine, far from the nearest cell tower. */
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 };
const SLOWER = 4;

async function start(root: string, folder: string): Promise<[ChildProcess, string]> {
  const server = spawn(process.execPath, ['server/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      TRUST_PROXY: '127.0.0.1',
      DATABASE_URL: `file:${folder}/contact.db`,
      MAIL_DIR: join(folder, 'mail'),
    },
  });
  for await (const line of createInterface(server.stdout)) {
    const [, url] = /The page\s+(http:\S+)/.exec(line) ?? [];
    if (url) return [server, url];
  }
  throw new Error('The server did not start');
}

/** How many requests a second are answered. */
async function rate(url: string, message?: (count: number) => string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const until = performance.now() + SECONDS * 1000;
  let [sent, answered] = [0, 0];
  async function send(): Promise<void> {
    while (performance.now() < until) {
      sent += 1;
      const headers = {
        'content-type': 'application/json',
        apikey: DEFAULT_ANON_KEY,
        'accept-encoding': 'br',
        'x-forwarded-for': `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`,
      };
      const asking = request(url, { agent, headers, method: message ? 'POST' : 'GET' });
      asking.end(message?.(sent));
      const [response] = await once(asking, 'response');
      await once(response.resume(), 'end');
      if (response.statusCode === 200) answered += 1;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  agent.destroy();
  return answered / SECONDS;
}

/** When the page is painted on a slow phone, and how long its tasks kept a tap waiting. */
async function paints(url: string): Promise<Record<string, number>> {
  await using browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const tools = await page.context().newCDPSession(page);
  await tools.send('Network.emulateNetworkConditions', SLOW_NETWORK);
  await tools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await page.goto(url, { waitUntil: 'networkidle' });
  return await page.evaluate(async () => {
    const seen = (type: string) =>
      new Promise<PerformanceEntry[]>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true });
        setTimeout(() => resolve([]), 1_000);
      });
    const [first, largest, tasks] = await Promise.all(
      ['paint', 'largest-contentful-paint', 'longtask'].map(seen),
    );
    return {
      'first paint ms': first?.at(-1)?.startTime ?? Number.NaN,
      'largest paint ms': largest?.at(-1)?.startTime ?? Number.NaN,
      'blocked ms': (tasks ?? []).reduce((sum, { duration }) => sum + duration - 50, 0),
    };
  });
}

async function measure(root: string): Promise<Record<string, number>> {
  // Beside the sources, since a temporary folder may be in memory, where fsync does nothing.
  const folder = mkdtempSync(join(root, '.bench-'));
  const startedAt = performance.now();
  const [server, url] = await start(root, folder);
  const figures: Record<string, number> = { 'start ms': performance.now() - startedAt };
  try {
    const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(server.pid)], { encoding: 'utf8' });
    figures['memory MB'] = Number(kilobytes) / 1024;
    Object.assign(figures, await paints(url));
    figures['pages a second'] = await rate(url);
    figures['messages a second'] = await rate(`${url}${FUNCTIONS_PATH}/${FUNCTION_NAME}`, (count) =>
      JSON.stringify({ name: 'Ana', email: 'ana@example.org', message: `${count} ${'stock '.repeat(60)}` }),
    );
    return figures;
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

const roots = [ROOT, ...process.argv.slice(2).map((path) => resolve(path))];
for (const root of roots)
  execFileSync(process.execPath, ['publish/publish.ts'], { cwd: root, stdio: 'ignore' });
const found: Record<string, number>[][] = roots.map(() => []);
for (let round = 0; round < ROUNDS; round += 1)
  for (const [at, root] of roots.entries()) found[at]?.push(await measure(root));
const median = (values: number[]) =>
  values.sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
for (const name of Object.keys(found[0]?.[0] ?? {})) {
  const all = found.map((rounds) => median(rounds.map((figures) => figures[name] ?? Number.NaN)));
  process.stdout.write(`${name.padEnd(32)}${all.map((figure) => figure.toFixed(1).padStart(10)).join('')}\n`);
}
