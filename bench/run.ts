import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { build } from '../build/build.ts';
import { contentSecurityPolicy, headersFile } from '../build/headers.ts';
import { ROOT } from '../build/vite.ts';
import { readSettings } from '../settings/settings.ts';
import { paints } from './paints.ts';
import { type Served, serve, stopAll } from './servers.ts';
import { row } from './spread.ts';
import { storing } from './storing.ts';
import { throughput } from './throughput.ts';

/**
 * `npm run bench`: how the page compares with its limit, a page with the same words and icon from the same server, as one
 * would write it by hand, without drawings, fonts and scripts; how many pages a second the server sends; how many messages a
 * second it stores.
 *
 * `npm run bench -- --runs 9 paints` measures only one part, with more runs.
 */
const PARTS = {
  paints: async () => paints((await server(site)).url, (await server(limit)).url, runs),
  throughput: async () => throughput(await server(site), site, folder, runs),
  storing: async () => storing(await server(site), runs),
};

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const runs = Number(values.runs);
if (!(runs > 0) || positionals.some((part) => !Object.hasOwn(PARTS, part))) {
  process.stderr.write(`Usage: npm run bench -- [--runs 5] [${Object.keys(PARTS).join('|')} …]\n`);
  process.exit(2);
}

const PLAIN_STYLES = `
:root { color-scheme: light dark }
body { max-width: 60rem; margin: auto; padding: 0 1rem; font: 1.0625rem/1.6 system-ui, sans-serif }
header, nav ul { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center }
nav ul, ol, dl { margin: 0; padding: 0; list-style: none }
h1 { font-size: clamp(2.1rem, 1rem + 4vw, 5rem); line-height: 1.1 }
h2 { margin-top: 4rem; font-size: clamp(1.5rem, 1rem + 2vw, 2.5rem); line-height: 1.2 }
section { padding: 2rem 0; border-bottom: 1px solid #8884 }
label, input, textarea { display: block; width: 100%; box-sizing: border-box; font: inherit }
button { min-height: 2.75rem; padding: 0 1.5rem; font: inherit; font-weight: 700 } a { color: inherit }
`;

// Next to the sources, since a temporary folder may be in memory, where fsync does nothing.
const folder = mkdtempSync(join(ROOT, '.bench-'));
const site = join(folder, 'site');
const limit = join(folder, 'limit');

try {
  await build(readSettings({}), site);
  writeLimitPage();
  for (const [name, measure] of Object.entries(PARTS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    await measure().catch((error: unknown) => row(name, `not measured: ${error}`));
    // So that the next part gets fresh servers and an idle CPU.
    await stopAll();
  }
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}

function server(dist: string): Promise<Served> {
  return serve(dist, mkdtempSync(join(folder, 'data-')));
}

/** What somebody would write by hand for the same words. Lists, forms and links keep what makes them work. */
function writeLimitPage(): void {
  const kept =
    / (?:lang|charset|content|property|name|rel|href|id|for|type|rows|method|action|required|aria-\w+)(?:="[^"]*")?/g;
  let plain = readFileSync(join(site, 'index.html'), 'utf8').replace(
    /<(style|script|noscript)\b.*?<\/\1>|<(?:link(?! rel="icon")|img|use)\b[^>]*>/gs,
    '',
  );
  // From the inside out, since drawings hold drawings.
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain.replace(/<svg\b(?:(?!<svg\b).)*?<\/svg>/gs, '');
  }
  const page = plain
    .replace(/<\/?(?:div|span|picture|i)\b[^>]*>/g, ' ')
    .replace(/<(\w+)( [^>]*)>/g, (_, tag, attributes) => `<${tag}${attributes.match(kept)?.join('') ?? ''}>`)
    .replace('</head>', `<style>${PLAIN_STYLES}</style></head>`);
  mkdirSync(limit);
  copyFileSync(join(site, 'favicon.ico'), join(limit, 'favicon.ico'));
  writeFileSync(join(limit, 'index.html'), page);
  writeFileSync(join(limit, 'index.html.br'), brotliCompressSync(page));
  const policy = contentSecurityPolicy(PLAIN_STYLES, '', undefined);
  const headers = headersFile({ paths: ['index.html'], policy }, undefined);
  writeFileSync(join(limit, '_headers'), headers);
}
