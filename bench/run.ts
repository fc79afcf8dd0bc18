import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DEFAULT_ANON_KEY, FUNCTION_NAME, FUNCTIONS_PATH } from '../contract/contact-message.ts';
import { findChromium } from '../tests/support/site/find-browser.ts';

// `npm run bench`: how soon the server starts, what it holds in memory, how many pages and messages a second it takes, and
// when the page is painted. With the folder of another checkout, it's measured by turns with this one, since a figure says
// nothing on a machine that does other things, too.

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 5;
const SECONDS = 3;
const AT_ONCE = 50;
const PAINTS = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time'];

/* The parts that we use. Both packages and their types are only installed when the benchmark runs. */
type Launcher = { launch: (options: object) => Promise<{ port: number; kill: () => void }> };
type Report = { lhr: { audits: Record<string, { numericValue?: number }> } };
type Lighthouse = { default: (url: string, flags: object) => Promise<Report> };
const bring = (name: string) => import(createRequire(join(ROOT, 'bench/package.json')).resolve(name));
const { launch }: Launcher = await bring('chrome-launcher');
const { default: lighthouse }: Lighthouse = await bring('lighthouse');

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

async function measure(root: string): Promise<Record<string, number>> {
  // Beside the sources, since a temporary folder may be in memory, where fsync does nothing.
  const folder = mkdtempSync(join(root, '.bench-'));
  const startedAt = performance.now();
  const [server, url] = await start(root, folder);
  const figures: Record<string, number> = { 'start ms': performance.now() - startedAt };
  const chromeFlags = ['--headless=new', '--no-sandbox'];
  const chrome = await launch({ chromePath: findChromium(), chromeFlags });
  try {
    const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(server.pid)], { encoding: 'utf8' });
    figures['memory MB'] = Number(kilobytes) / 1024;
    const { lhr } = await lighthouse(url, { port: chrome.port, logLevel: 'silent', output: 'json' });
    for (const name of PAINTS) figures[`${name} ms`] = lhr.audits[name]?.numericValue ?? Number.NaN;
    figures['pages a second'] = await rate(url);
    figures['messages a second'] = await rate(`${url}${FUNCTIONS_PATH}/${FUNCTION_NAME}`, (count) =>
      JSON.stringify({ name: 'Ana', email: 'ana@example.org', message: `${count} ${'stock '.repeat(60)}` }),
    );
    return figures;
  } finally {
    chrome.kill();
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
/** Of the rounds that have one: now and then, Lighthouse finds no paint. */
function median(values: number[]): number {
  const known = values.filter(Number.isFinite).sort((one, other) => one - other);
  return known[known.length >> 1] ?? Number.NaN;
}
for (const name of Object.keys(found[0]?.[0] ?? {})) {
  const all = found.map((rounds) => median(rounds.map((figures) => figures[name] ?? Number.NaN)));
  process.stdout.write(`${name.padEnd(32)}${all.map((figure) => figure.toFixed(1).padStart(10)).join('')}\n`);
}
