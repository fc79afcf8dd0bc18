import { createHash } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { type MinifyOptions, minify } from 'terser';
import type { Plugin, Rolldown } from 'vite';
import { build as viteBuild } from 'vite';
import { loadEnv, readSettings, type Settings } from '../settings/settings.ts';
import { unknownSettings } from '../settings/unknown.ts';
import { assemble, type Renderer } from './assemble.ts';
import { checkContent } from './check-content.ts';
import { checkLinks } from './check-links.ts';
import type { EmittedFile } from './files.ts';
import { headersFile, withPolicy } from './headers.ts';
import { findPlaceholders, publicAddress } from './placeholders.ts';
import { DIST, fingerprint, STAMP } from './stale.ts';
import { MODULE_NAMES, shortenModuleNames } from './styles.ts';
import { BROWSER_ENTRY, RENDER_ENTRY, ROOT, viteConfig } from './vite.ts';

const TERSER: MinifyOptions = {
  module: true,
  ecma: 2020,
  compress: { passes: 3 },
  format: { comments: false },
};

/** No larger window than browsers must accept. Without the size of each file it would fill tables for 8 MB. */
const ZSTD = { [constants.ZSTD_c_compressionLevel]: 22, [constants.ZSTD_c_windowLog]: 23 };

const COMPRESSIBLE = /\.(html|css|js|svg|txt|xml|json|webmanifest)$/;

/**
 * Builds the whole site into `folder`; what stood there stays until the new one is complete.
 *
 * @returns what the owner should know of it, one sentence each
 */
export async function build(settings: Settings, folder: string = DIST): Promise<string[]> {
  await checkContent();
  const stamp = await fingerprint(settings);
  const prerender = await bundle({ input: join(ROOT, RENDER_ENTRY) }, settings, 'ssr');
  // The styles of islands and sections alike come out of the prerendering, and go into the page.
  const css = prerender
    .filter((output) => output.type === 'asset' && output.fileName.endsWith('.css'))
    .map((output) => ('source' in output ? String(output.source) : ''))
    .join('');
  const browser = await bundle(
    { input: join(ROOT, BROWSER_ENTRY), names: shortenModuleNames(css) },
    settings,
  );
  const scripts = browser.filter((output) => output.type === 'chunk');
  const entry = scripts.find(({ isEntry }) => isEntry);
  if (!entry) throw new Error(`${BROWSER_ENTRY} gave no script`);
  const online = { ...settings, siteUrl: publicAddress(settings) };
  const { files, pages, notes } = await assemble(await load(prerender), online, css, {
    entry: `/${entry.fileName}`,
    integrity: `sha256-${createHash('sha256').update(entry.code).digest('base64')}`,
    code: scripts.map(({ code }) => code).join(''),
  });

  await checkLinks(pages['index.html'] ?? '');
  pages['404.html'] = withPolicy(pages['404.html'] ?? '', settings.supabaseUrl);

  await write(folder, [
    ...files,
    ...scripts.map(({ fileName, code }) => ({ path: fileName, body: code })),
    ...Object.entries(pages).map(([path, body]) => ({ path, body })),
    { path: '_headers', body: headersFile(pages, online, atFixedAddresses(files)) },
    { path: STAMP, body: stamp },
  ]);
  return notes;
}

/** What is neither a page nor under a name that changes with its content. */
function atFixedAddresses(files: EmittedFile[]): string[] {
  return files.map(({ path }) => path).filter((path) => !path.startsWith('assets/'));
}

/** What still has to be done before the page can be found and trusted as the owner's. */
async function tellPlaceholders(settings: Settings): Promise<void> {
  const placeholders = await findPlaceholders(settings);
  if (placeholders.length === 0) {
    console.log('\n  The page is built, and nothing on it is a placeholder.\n');
    return;
  }
  console.log('\n  The page is built. Not yours yet:\n');
  for (const { what, todo } of placeholders) console.log(`  – ${what}\n    ${todo}`);
  console.log();
}

/**
 * Before the files are hashed, so that other names are another file. The second pass, Vite's, finds better
 * names for what the first one has left.
 */
const shortened = (names: (code: string) => string): Plugin => ({
  name: 'shortened',
  renderChunk: async (code) => (await minify(names(code), TERSER)).code ?? null,
});

/** Vite's helper fetches what an imported script needs; here that is nothing, since all styles are elsewhere. */
const withoutPreloading: Plugin = {
  name: 'without-preloading',
  enforce: 'pre',
  load: (id) =>
    id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null,
};

async function bundle(
  { input, names }: { input: string; names?: (code: string) => string },
  settings: Settings,
  target: 'browser' | 'ssr' = 'browser',
): Promise<(Rolldown.OutputChunk | Rolldown.OutputAsset)[]> {
  const config = viteConfig(settings);
  const result = await viteBuild({
    ...config,
    css: { ...config.css, lightningcss: { cssModules: { pattern: MODULE_NAMES } } },
    plugins: names ? [shortened(names), withoutPreloading] : [],
    define: {
      ...config.define,
      // React would carry code for its developer tools to everybody.
      __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined',
    },
    build: {
      write: false,
      ssr: target === 'ssr',
      ssrEmitAssets: target === 'ssr',
      cssCodeSplit: false,
      modulePreload: false,
      cssMinify: 'lightningcss',
      // Packs a little smaller than Vite's own, on what is nearly all of the page's weight.
      minify: target === 'ssr' ? false : 'oxc',
      terserOptions: TERSER,
      rolldownOptions: {
        input,
        onLog(level, log, report) {
          // Libraries mark themselves for servers that split React; this page has none.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE' && log.code !== 'PLUGIN_TIMINGS') report(level, log);
        },
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          // Has Chromium compile React beside the page's own thread, where it would hold up taps.
          postBanner: target === 'browser' ? '//# allFunctionsCalledOnLoad' : '',
        },
      },
    },
  });
  const [first] = Array.isArray(result) ? result : [result];
  if (!first || !('output' in first)) throw new Error(`Vite built nothing from ${input}`);
  return first.output;
}

/** Runs the prerendering bundle where its own imports find node_modules. */
async function load(output: (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): Promise<Renderer> {
  const folder = join(ROOT, 'node_modules', `.prerender-${process.pid}`);
  try {
    let entry = '';
    for (const file of output) {
      if (file.type !== 'chunk') continue;
      const path = join(folder, file.fileName);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, file.code);
      if (file.isEntry) entry = path;
    }
    return (await import(pathToFileURL(entry).href)) as Renderer;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function write(folder: string, files: EmittedFile[]): Promise<void> {
  const fresh = `${folder}.new-${process.pid}`;
  const old = `${folder}.old-${process.pid}`;
  try {
    for (const { path, body } of files) await writeCompressed(join(fresh, path), Buffer.from(body));
    await rm(old, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await rename(folder, old).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

async function writeCompressed(path: string, body: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, body);
  if (!COMPRESSIBLE.test(path)) return;
  const smaller = [
    ['.br', await brotli(body)],
    ['.zst', await promisify(zstdCompress)(body, { params: ZSTD, pledgedSrcSize: body.length })],
    ['.gz', await promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION })],
  ] as const;
  for (const [extension, compressed] of smaller) {
    if (compressed.length < body.length) await writeFile(path + extension, compressed);
  }
}

/** The smallest of what brotli makes of a file; which guess at its kind is right shows only in the result. */
async function brotli(body: Buffer): Promise<Buffer> {
  const guesses = [constants.BROTLI_MODE_GENERIC, constants.BROTLI_MODE_TEXT, constants.BROTLI_MODE_FONT];
  const results = await Promise.all(
    guesses.flatMap((mode) =>
      [0, 1, 2].map((postfix) =>
        promisify(brotliCompress)(body, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
            [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
            [constants.BROTLI_PARAM_MODE]: mode,
            [constants.BROTLI_PARAM_NPOSTFIX]: postfix,
          },
        }),
      ),
    ),
  );
  return results.reduce((best, next) => (next.length < best.length ? next : best));
}

if (import.meta.main) {
  try {
    const settings = readSettings(loadEnv(ROOT));
    for (const note of [...unknownSettings(ROOT), ...(await build(settings))]) console.log(`  Note: ${note}`);
    await tellPlaceholders(settings);
  } catch (error) {
    console.error(`\nThe site was not built.\n\n${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
