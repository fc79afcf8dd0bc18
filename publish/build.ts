import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type InlineConfig, mergeConfig, type Plugin, type Rolldown, build as viteBuild } from 'vite';
import { PROJECT_ROOT } from '../settings/settings.ts';
import { LEFT_AS_THEY_ARE, STYLE_TARGETS, TARGET, withFallbacks } from './browsers.ts';
import { type Files, replaceFolder, sizesIn, writeFiles } from './folder.ts';
import { FONT_LICENCE } from './fonts.ts';
import { buildIcons } from './pictures.ts';
import { FOR_DESK, FOR_PAGES, MANIFEST, openRenderer, PROGRAM, type Program, versionOf } from './program.ts';
import { drawingStyles, readTokens, sharePictureStyles } from './tokens.ts';
import { laidOver, readParts } from './words.ts';

/** Inlined in every page. */
const AFTER_FIRST_PAINT = 'after-first-paint';

type Output = (Rolldown.OutputChunk | Rolldown.OutputAsset)[];

/** The two style sheets. A style file says by its name whether the first view needs it: `Hero.first.module.css`. */
const STYLE_GROUPS = [
  { name: 'first', test: /\.first\.(module\.)?css$/ },
  { name: 'later', test: /\.css$/ },
];

/** Builds the program. The one that's there is only replaced once the new one is whole. */
export async function build(): Promise<void> {
  const parts = await readParts();
  const browser = await bundle(FOR_BROWSERS);
  const renderer = await bundle({ ...FOR_RENDERING, plugins: [withGivenWords(parts)] });
  const desk = await bundle(FOR_DESK_PAGES);

  const chunks = browser.filter((file) => file.type === 'chunk');
  const inline = chunks.find(({ name }) => name === AFTER_FIRST_PAINT);
  const scripts = chunks.filter((chunk) => chunk !== inline);
  const { light, dark } = readTokens();
  await replaceFolder(PROGRAM, async (fresh) => {
    await writeFiles(fresh, filesOf(renderer.filter((file) => file.type === 'chunk')));
    const { renderShared, DARK } = openRenderer(fresh, laidOver(parts, {}));
    const icons = await buildIcons(renderShared().mark, light['--sheet'] ?? '');
    const forPages = { ...filesOf(scripts), [LICENCES]: await licences(filesOf(browser)), ...icons };
    await writeFiles(join(fresh, basename(FOR_PAGES)), forPages);
    await writeFiles(join(fresh, basename(FOR_DESK)), filesOf(desk));
    const program: Program = {
      version: versionOf(),
      script: scripts.find(({ isEntry }) => isEntry)?.fileName ?? '',
      afterFirstPaint: inline?.code.trim() ?? '',
      styles: { first: stylesOf(renderer, 'first'), later: stylesOf(renderer, 'later') },
      drawings: drawingStyles(DARK),
      sharePicture: sharePictureStyles(light),
      light,
      dark,
      sizes: await sizesIn(fresh),
    };
    await writeFile(join(fresh, MANIFEST), JSON.stringify(program));
  });
}

async function bundle(config: InlineConfig): Promise<Output> {
  const result = await viteBuild(mergeConfig(config, SHARED));
  const [first] = Array.isArray(result) ? result : [result];
  if (!first || !('output' in first)) throw new Error('Vite built nothing');
  return first.output;
}

const filesOf = (output: Output): Files =>
  Object.fromEntries(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]));

function stylesOf(output: Output, group: string): string {
  const sheet = output.find((file) => file.type === 'asset' && file.names.includes(`${group}.css`));
  if (sheet?.type !== 'asset') throw new Error(`The renderer has no ${group}.css`);
  return String(sheet.source).trim();
}

/** In `dist/`. The scripts and the later styles name it in a comment, since licences require their notices to come along. */
const LICENCES = 'licences.txt';

async function licences({ [LICENCES]: ofScripts }: Files): Promise<string> {
  if (!ofScripts) throw new Error(`Vite made no ${LICENCES}`);
  return `${ofScripts}\n## @fontsource-variable/archivo\n\n${await readFile(FONT_LICENCE, 'utf8')}`;
}

const SHARED: InlineConfig = {
  root: PROJECT_ROOT,
  configFile: false,
  // Off, since Vite would read `.env` itself, without the schema's checks.
  envDir: false,
  publicDir: false,
  plugins: [withFallbacks],
  // Libraries use 'use client', which Vite warns about.
  logLevel: 'error',
  // Whatever the environment says.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  css: {
    transformer: 'lightningcss',
    // Each name is one component's alone, which a test checks: with a file's hash, the first view would have 300 bytes more.
    lightningcss: {
      targets: STYLE_TARGETS,
      exclude: LEFT_AS_THEY_ARE,
      cssModules: { pattern: '[local]' },
    },
  },
  build: {
    write: false,
    modulePreload: false,
    cssMinify: 'lightningcss',
    target: TARGET,
    rolldownOptions: {
      // Radix names each of its functions by calling this. Taken as pure, it no longer keeps the unused ones.
      treeshake: { manualPureFunctions: ['__name'] },
    },
  },
};

/** Drops Vite's preload helper, since no chunk here has imports or styles to preload. */
const withoutPreloading: Plugin = {
  name: 'without-preloading',
  enforce: 'pre',
  load: (id) =>
    id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null,
};

const FOR_BROWSERS: InlineConfig = {
  plugins: [withoutPreloading],
  // Whatever the environment says, or tests would build with Radix's development code.
  resolve: { conditions: ['module', 'browser', 'production'] },
  build: {
    cssCodeSplit: false,
    minify: 'oxc',
    license: { fileName: LICENCES },
    rolldownOptions: {
      input: {
        islands: 'site/islands/islands.ts',
        [AFTER_FIRST_PAINT]: 'site/islands/after-first-paint.ts',
      },
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        // The hint makes Chromium compile React off the main thread, where it would delay taps.
        postBanner: ({ name, isEntry }) =>
          `${name === 'in-form' ? '//# allFunctionsCalledOnLoad\n' : ''}${isEntry ? '' : `// ../${LICENCES}`}`,
      },
    },
  },
};

const FOR_RENDERING: InlineConfig = {
  build: {
    ssr: true,
    ssrEmitAssets: true,
    cssCodeSplit: true,
    minify: false,
    rolldownOptions: {
      input: { renderer: 'publish/render.tsx' },
      output: {
        format: 'cjs',
        entryFileNames: '[name].cjs',
        chunkFileNames: '[name].cjs',
        codeSplitting: { groups: STYLE_GROUPS },
      },
    },
  },
};

const FOR_DESK_PAGES: InlineConfig = {
  base: './',
  build: {
    rolldownOptions: {
      input: { desk: 'desk/sheet/desk.css', editor: 'desk/words/editor/main.ts' },
      output: { entryFileNames: '[name]-[hash].js', assetFileNames: '[name]-[hash][extname]' },
    },
  },
};

/** Their values fill in the others. */
const FILLING = ['business.ts', 'packages.ts', 'site.ts'];

/**
 * The words passed to each call of the renderer, in place of those that came with the project, and with their
 * {places} filled in.
 */
const withGivenWords = (parts: Awaited<ReturnType<typeof readParts>>): Plugin => ({
  name: 'given-words',
  load(id) {
    const filled = FILLING.includes(basename(id)) ? '' : 'filled';
    const given = [...parts].filter(([, { file }]) => file === id);
    const lines = given.map(([name]) => `export const ${name} = ${filled}(WORDS.${name});`);
    if (filled) lines.unshift('import { filled } from "../ui/words.ts";');
    return given.length > 0 ? lines.join('\n') : null;
  },
});

if (import.meta.main) await build();
