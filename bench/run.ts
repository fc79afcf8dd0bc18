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
import { type Server, serve, stopAll } from './servers.ts';
import { row, writeResults } from './table.ts';
import { throughput } from './throughput.ts';

/**
 * `npm run bench`: how fast messages are stored, and how fast the page is compared with its own limit, which is the
 * same HTML from the same server without scripts, fonts and images. All figures also go to bench/results.json.
 *
 * `npm run bench -- --runs 9 lighthouse` measures only one part, with more runs.
 */
const PARTS = {
  bytes: async () => bytes(),
  lighthouse: async () => lighthouse((await server(site)).url, (await server(limit)).url, runs),
  'main-thread': async () => mainThread((await server(site)).url, runs),
  throughput: async () => throughput(await server(site), site, folder, runs),
  messages: () => messages(site, mkdtempSync(join(folder, 'data-'))),
  instances: () => instances(site, folder),
};

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const runs = Number(values.runs);
const unknown = positionals.filter((part) => !Object.hasOwn(PARTS, part));
if (unknown.length > 0 || !(runs > 0)) {
  process.stderr.write(`Usage: npm run bench -- [--runs 5] [${Object.keys(PARTS).join('|')} …]\n`);
  process.exit(2);
}

// Next to the sources, since a temporary folder may be in memory, where fsync does nothing.
const folder = mkdtempSync(join(ROOT, '.bench-'));
const site = join(folder, 'site');
const limit = join(folder, 'limit');
const html = () => readFileSync(join(site, 'index.html'), 'utf8');

try {
  await build(readSettings({}), site);
  writeLimitPage();
  for (const [name, measure] of Object.entries(PARTS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    try {
      await measure();
    } catch (error) {
      row(name, `not measured: ${error instanceof Error ? error.message : error}`);
    }
    // So that the next part gets fresh servers and an idle CPU.
    await stopAll();
  }
  writeResults(join(ROOT, 'bench/results.json'));
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
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
