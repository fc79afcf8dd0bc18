import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { build } from '../build/build.ts';
import { contentSecurityPolicy, headersFile } from '../build/headers.ts';
import { ROOT } from '../build/vite.ts';
import { readSettings } from '../settings/settings.ts';
import { instances } from './instances.ts';
import { lighthouse } from './lighthouse.ts';
import { mainThread } from './main-thread.ts';
import { messages } from './messages.ts';
import { observatory } from './observatory.ts';
import { pageCost } from './page-cost.ts';
import { type Server, serve, stopAll } from './servers.ts';
import { row, step, writeResults } from './table.ts';
import { throughput } from './throughput.ts';

/**
 * `npm run bench`: how fast the page is, beside its own limit: the same HTML without scripts, fonts and
 * images, from the same server; and how fast messages are kept. One table here, and all figures in
 * bench/results.json.
 *
 * `npm run bench -- --runs 9 lighthouse` measures one part alone, more often.
 */
const PARTS = [
  'bytes',
  'observatory',
  'lighthouse',
  'main-thread',
  'throughput',
  'page-cost',
  'messages',
  'instances',
] as const;

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const runs = Number(values.runs);
const unknown = positionals.filter((part) => !PARTS.some((known) => known === part));
if (unknown.length > 0 || !(runs > 0)) {
  process.stderr.write(`Usage: npm run bench -- [--runs 5] [${PARTS.join('|')} …]\n`);
  process.exit(2);
}

// Beside the sources, since a folder for temporary files may lie in memory, which no fsync has to wait for.
const folder = mkdtempSync(join(ROOT, '.bench-'));
const site = join(folder, 'site');
const online = join(folder, 'online');
const limit = join(folder, 'limit');
const html = () => readFileSync(join(site, 'index.html'), 'utf8');

try {
  await build(readSettings({}), site);
  await build(readSettings({ SITE_URL: 'https://site.test' }), online);
  writeLimitPage();
  // Each part has a server of its own, which nothing has warmed up or worn out.
  await part('bytes', async () => bytes());
  await part('observatory', () => observatory(html(), readFileSync(join(online, '_headers'), 'utf8')));
  await part('lighthouse', async () => lighthouse((await server(site)).url, (await server(limit)).url, runs));
  await part('main-thread', async () => mainThread((await server(site)).url, runs));
  await part('throughput', async () => throughput(await server(site), site, folder, runs));
  await part('page-cost', () => pageCost(site, folder, runs));
  await part('messages', () => messages(folder));
  await part('instances', () => instances(folder));
  writeResults(join(ROOT, 'bench/results.json'));
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}

async function part(name: (typeof PARTS)[number], measure: () => Promise<void>): Promise<void> {
  if (positionals.length === 0 || positionals.includes(name)) await step(name, measure);
}

function server(dist: string): Promise<Server> {
  return serve(dist, mkdtempSync(join(folder, 'data-')));
}

function writeLimitPage(): void {
  const bare = html()
    .replace(/<noscript>.*?<\/noscript>|<script\b.*?<\/script>|<link\b[^>]*>|<img\b[^>]*>/gs, '')
    .replace(/@font-face\{[^}]*\}/g, '');
  mkdirSync(limit);
  writeFileSync(join(limit, 'index.html'), bare);
  writeFileSync(join(limit, 'index.html.br'), brotliCompressSync(bare));
  const [, css = ''] = /<style>(.*?)<\/style>/s.exec(bare) ?? [];
  const page = { paths: ['index.html'], policy: contentSecurityPolicy(css, '', undefined) };
  writeFileSync(join(limit, '_headers'), headersFile(page, { siteUrl: undefined, basePath: '' }));
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
  const text = Object.entries(figures).map(([name, size]) => `${name} ${size}`);
  row('bytes, brotli', text.join(', '), figures);
}
