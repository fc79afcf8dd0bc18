import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';
import { build as viteBuild } from 'vite';
import { loadEnv, readSettings, type Settings } from '../settings/settings.ts';
import { unknownSettings } from '../settings/unknown.ts';
import { assemble, type Renderer } from './assemble.ts';
import { TARGET } from './browsers.ts';
import { checkLinks } from './check-links.ts';
import { checkWords } from './check-words.ts';
import { keepEarlierFiles } from './earlier-files.ts';
import type { EmittedFile } from './emitted-files.ts';
import { LEFT_AS_THEY_ARE, withoutIs } from './fallbacks.ts';
import { FONT_SOURCE } from './fonts.ts';
import { headersFile } from './headers.ts';
import { LICENCES, licences } from './licences.ts';
import { readOwn } from './owners-words.ts';
import { findPlaceholders, publicAddress } from './placeholders.ts';
import { type Show, withProgress } from './progress.mjs';
import { replaceFolder } from './replace-folder.ts';
import { BUILT_WORDS, DIST, fingerprint, STAMP } from './stale.ts';
import { BROWSER_ENTRY, isFirst, RENDER_ENTRY, ROOT, viteConfig } from './vite.ts';

/** The two style sheets; the file name decides which one a file goes into. */
const FIRST = 'first';
const LATER = 'later';
const STYLE_GROUPS = [
  { name: FIRST, test: isFirst },
  { name: LATER, test: /\.css$/ },
];

/** An argument: whoever started this is told over IPC what's being done. */
export const TELL_PARENT = '--tell-parent';

/** Sorted, so that each keeps its letter. */
const MODULES = globSync('site/**/*.module.css', { cwd: ROOT }).sort();

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** A file's letter and the place in it of a class or animation, such as `c4`: shorter than its name, and the same each time. */
function scopedName(name: string, path: string, css: string): string {
  const file = LETTERS[MODULES.indexOf(relative(ROOT, path))];
  const names = Array.from(css.matchAll(/(?:\.|@keyframes )([a-z][\w-]*)/gi), ([, found]) => found);
  const place = [...new Set(names)].indexOf(name);
  if (!file || place < 0) throw new Error(`“${name}” in ${path} has no short name`);
  return `${file}${place}`;
}

const COMPRESSIBLE = /\.(html|css|js|svg|txt|xml|json|webmanifest)$/;

/**
 * Builds the whole site into `folder`. The old content is only replaced once the new build is complete; what its open pages
 * may still fetch is kept.
 *
 * @returns what the owner should know about it, one sentence each
 */
export async function build(
  settings: Settings,
  folder = DIST,
  show: Show = () => {},
  now: Date = new Date(),
): Promise<string[]> {
  show('reading your words');
  await checkWords(settings.wordsDir);
  const { own } = await readOwn(settings.wordsDir);
  const stamp = await fingerprint(settings);
  show('putting the page together');
  const prerender = await bundle({ input: join(ROOT, RENDER_ENTRY) }, settings, 'ssr');
  const browser = await bundle({ input: join(ROOT, BROWSER_ENTRY) }, settings);
  const scripts = browser.filter((output) => output.type === 'chunk');
  const entry = scripts.find(({ isEntry }) => isEntry);
  if (!entry) throw new Error(`${BROWSER_ENTRY} gave no script`);
  const online = { ...settings, siteUrl: publicAddress(settings) };
  // Islands get prerendered too, so this bundle has all styles.
  const styles = { first: stylesOf(prerender, FIRST), later: stylesOf(prerender, LATER) };
  const renderer = await load(prerender);
  show('drawing the pictures');
  const { pages, policy, notes, ...assembled } = await assemble(renderer, online, styles, entry.fileName);

  const modules = scripts.flatMap((chunk) => Object.keys(chunk.modules));
  const files = [...assembled.files, await licences([...modules, FONT_SOURCE])];

  await checkLinks(pages['index.html'] ?? '', settings.wordsDir);

  show('packing it for fast loading');
  const written = [
    ...files,
    ...scripts.map(({ fileName, code }) => ({ path: fileName, body: code })),
    ...Object.entries(pages).map(([path, body]) => ({ path, body })),
    {
      path: '_headers',
      body: headersFile({ paths: Object.keys(pages), policy }, online.siteUrl, atFixedAddresses(files)),
    },
    renderer.renderSentences(),
    { path: STAMP, body: stamp },
    { path: BUILT_WORDS, body: JSON.stringify(own) },
  ];
  await write(folder, written, now);
  return notes;
}

function stylesOf(output: (Rolldown.OutputChunk | Rolldown.OutputAsset)[], group: string): string {
  const sheet = output.find((file) => file.type === 'asset' && file.names.includes(`${group}.css`));
  if (sheet?.type !== 'asset') throw new Error(`The prerendering gave no ${group}.css`);
  return withoutIs(String(sheet.source).trim());
}

/** Files without a hash in their names. */
function atFixedAddresses(files: EmittedFile[]): string[] {
  return files.map(({ path }) => path).filter((path) => !path.startsWith('assets/'));
}

async function tellPlaceholders(settings: Settings): Promise<void> {
  const placeholders = await findPlaceholders(settings);
  if (placeholders.length === 0) {
    console.log('\n  The page is built, and no placeholders are left on it.\n');
    return;
  }
  console.log('\n  The page is built. Not yours yet:\n');
  for (const { what, todo } of placeholders) console.log(`  – ${what}\n    ${todo}`);
  console.log();
}

/** Drops Vite's preload helper, since no chunk here has imports or styles to preload. */
const withoutPreloading: Plugin = {
  name: 'without-preloading',
  enforce: 'pre',
  load: (id) =>
    id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null,
};

async function bundle(
  { input }: { input: string },
  settings: Settings,
  target: 'browser' | 'ssr' = 'browser',
): Promise<(Rolldown.OutputChunk | Rolldown.OutputAsset)[]> {
  const config = viteConfig(settings);
  const result = await viteBuild({
    ...config,
    css: {
      modules: { generateScopedName: scopedName },
      lightningcss: { exclude: LEFT_AS_THEY_ARE },
    },
    plugins: [...config.plugins, ...(target === 'browser' ? [withoutPreloading] : [])],
    define: {
      ...config.define,
      // Drops React's code for its developer tools.
      __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined',
    },
    build: {
      write: false,
      ssr: target === 'ssr',
      ssrEmitAssets: target === 'ssr',
      cssCodeSplit: target === 'ssr',
      modulePreload: false,
      cssMinify: 'lightningcss',
      target: TARGET,
      minify: target === 'browser' && 'oxc',
      rolldownOptions: {
        input,
        // Radix names each of its functions by calling this. Taken as pure, it no longer keeps the unused ones.
        treeshake: { manualPureFunctions: ['__name'] },
        // So a text that is filled with a constant gets filled here.
        optimization: { inlineConst: { mode: 'all', pass: 2 } },
        onLog(level, log, report) {
          // Libraries use 'use client' for React Server Components, which this page doesn't have.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE' && log.code !== 'PLUGIN_TIMINGS') report(level, log);
        },
        output: {
          entryFileNames: 'assets/[name]-[hash].js',
          chunkFileNames: 'assets/[name]-[hash].js',
          ...(target === 'ssr' && { codeSplitting: { groups: STYLE_GROUPS } }),
          // The hint makes Chromium compile React off the main thread, where it would delay taps.
          postBanner: ({ name, isEntry }) =>
            `${name === 'in-form' ? '//# allFunctionsCalledOnLoad\n' : ''}${isEntry ? '' : `// ../${LICENCES}`}`,
        },
      },
    },
  });
  const [first] = Array.isArray(result) ? result : [result];
  if (!first || !('output' in first)) throw new Error(`Vite built nothing from ${input}`);
  return first.output;
}

/** Runs the prerendering bundle beside a link to the packages, so that its imports resolve. */
async function load(output: (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): Promise<Renderer> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'prerender-'));
  try {
    // Windows asks no rights for a junction.
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
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

async function write(named: string, files: EmittedFile[], now: Date): Promise<void> {
  // In a container it's a link into the volume, which is all that can be written there.
  const folder = await readlink(named).catch(() => named);
  const fresh = `${folder}.new-${process.pid}`;
  try {
    // In containers, the numbers of processes come again.
    await rm(fresh, { recursive: true, force: true });
    for (const { path, body } of files) await writeCompressed(join(fresh, path), Buffer.from(body));
    await keepEarlierFiles(folder, fresh, now.getTime());
    await replaceFolder(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function writeCompressed(path: string, body: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, body);
  if (!COMPRESSIBLE.test(path)) return;
  const encoded = [
    ['.br', await promisify(brotliCompress)(body, brotli(body.length))],
    ['.gz', await promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION })],
  ] as const;
  for (const [extension, smaller] of encoded) {
    if (smaller.length < body.length) await writeFile(path + extension, smaller);
  }
}

const brotli = (size: number) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
});

if (import.meta.main) {
  // `npm start` was ended, whose next one may build, too.
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
  try {
    const settings = readSettings(loadEnv(ROOT));
    const work = (show: Show) => build(settings, DIST, show);
    const isAsked = process.argv.includes(TELL_PARENT);
    if (!isAsked) console.log('Building the site …');
    const notes = isAsked
      ? await work((far) => process.send?.(far))
      : await withProgress('Building', '', work);
    for (const note of [...unknownSettings(ROOT), ...notes]) console.log(`  Note: ${note}`);
    await tellPlaceholders(settings);
  } catch (error) {
    console.error(`\nThe site was not built.\n\n${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
