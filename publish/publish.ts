import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isThisMachine } from '../settings/local-network.ts';
import { loadEnv, PROJECT_ROOT, readSettings, type Settings, SettingsError } from '../settings/settings.ts';
import { unknownSettings } from '../settings/unknown.ts';
import type { Assets, Photo, Picture, Shown } from '../site/ui/assets.ts';
import { checkLinks } from './check-links.ts';
import { keepEarlierFiles } from './earlier-files.ts';
import { type EmittedFile, hashed, writeFiles } from './emitted-files.ts';
import { contentSecurityPolicy, headersFile } from './headers.ts';
import type { Job, Making, Thing } from './make.ts';
import { findPlaceholders, publicAddress } from './placeholders.ts';
import { FOR_PAGES, isBuilt, openProgram, type Renderer, readProgram } from './program.ts';
import { type Show, withProgress } from './progress.mjs';
import { replaceFolder } from './replace-folder.ts';
import { checkedWords, photoFile, readOwn, type Words } from './words.ts';

export const DIST = join(PROJECT_ROOT, 'dist');

/** In the published folder: what it was made of. Files that start with _ aren't served. */
export const PUBLISHED = '_published.json';

/** What a page is made of: with the same again, it would be the same. */
export interface Sources {
  /** The program's version. */
  version: string;
  /** The owner's words. */
  own: Words;
  shown: Shown;
  /** A hash of the photo; undefined without one. */
  photo: string | undefined;
}

/** What takes long to make, and what each was made of. */
type Made = Making & { from: Record<Thing, string> };

type Program = Awaited<ReturnType<typeof openProgram>>;

/**
 * Publishes the page: makes it from words, settings and photo, and puts it in the place of the one in `folder` once it's
 * whole. What open pages may still fetch is kept.
 *
 * @returns what the owner should know about it, one sentence each
 * @throws an Error that tells the owner what's wrong; the page that was there stays
 */
export async function publish(
  settings: Settings,
  folder: string = DIST,
  now: Date = new Date(),
): Promise<string[]> {
  const program = await openProgram();
  const sources = await readSources(settings, program.version);
  const { words } = await checkedWords(settings.wordsDir);
  const renderer = program.render(words);
  // In a container it's a link into the volume, which is all that can be written there.
  const location = await readlink(folder).catch(() => folder);
  const fresh = `${location}.new-${process.pid}`;
  try {
    // In containers, the numbers of processes come again.
    await rm(fresh, { recursive: true, force: true });
    await cp(FOR_PAGES, fresh, { recursive: true });
    const { made: earlier } = await readPublished(location);
    const given = { program, renderer, ...sources, wordsDir: settings.wordsDir };
    const { pages, files, made, policy, notes } = await assemble(given, fresh, {
      folder: location,
      made: earlier,
    });
    await checkLinks(pages['index.html'] ?? '', settings.wordsDir);
    const fixed = [...files.map(({ path }) => path), ...made.pictures.files, 'licences.txt'];
    const headers = headersFile(
      { paths: Object.keys(pages), policy },
      sources.shown.siteUrl,
      fixed.filter((path) => !path.startsWith('assets/')),
    );
    const written = [
      ...files,
      ...Object.entries(pages).map(([path, body]) => ({ path, body })),
      renderer.renderSentences(),
      { path: '_headers', body: headers },
      { path: PUBLISHED, body: JSON.stringify({ sources, made }) },
    ];
    await writeFiles(fresh, written, location);
    await keepEarlierFiles(location, fresh, now.getTime());
    await replaceFolder(fresh, location);
    return notes;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Whether the page in `folder` is made of what's here now. */
export async function isPublished(settings: Settings, folder: string = DIST): Promise<boolean> {
  const { sources } = await readPublished(folder);
  const { version } = await readProgram().catch(() => ({ version: undefined }));
  if (!sources || !version) return false;
  return JSON.stringify(sources) === JSON.stringify(await readSources(settings, version));
}

/** What the page in `folder` was made of, and what was made for it; empty if there's none. */
export async function readPublished(folder: string = DIST): Promise<{ sources?: Sources; made?: Made }> {
  try {
    return JSON.parse(await readFile(join(folder, PUBLISHED), 'utf8')) as { sources: Sources; made: Made };
  } catch {
    return {};
  }
}

async function readSources(settings: Settings, version: string): Promise<Sources> {
  const { own } = await readOwn(settings.wordsDir);
  return { version, own, shown: shownOf(settings), photo: await photoSeal(settings.wordsDir) };
}

/** A hash of the photo; undefined without one. */
export async function photoSeal(wordsDir: string): Promise<string | undefined> {
  const photo = await photoFile(wordsDir);
  return photo && hashOf(await readFile(photo));
}

/** The settings that the page shows or uses. */
export function shownOf(settings: Settings): Shown {
  const { contactEmail, supabaseUrl, supabaseAnonKey, retentionDays, mail, database } = settings;
  return {
    contactEmail,
    siteUrl: publicAddress(settings),
    supabaseUrl,
    supabaseAnonKey,
    retentionDays,
    handlers: {
      mailHost: mail.via === 'smtp' ? elsewhere(mail.host) : undefined,
      storeHost: elsewhere(
        URL.parse(supabaseUrl ?? (database.engine === 'postgres' ? database.url : ''))?.hostname,
      ),
    },
  };
}

function elsewhere(host: string | undefined): string | undefined {
  return host && !isThisMachine(host) ? host : undefined;
}

const hashOf = (...parts: (string | Uint8Array)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

interface Given {
  program: Program;
  renderer: Renderer;
  shown: Shown;
  photo: string | undefined;
  wordsDir: string;
}

/** What was made for another page, and where its files are. */
interface Earlier {
  folder: string;
  made: Made | undefined;
}

/**
 * Renders the pages, and brings the pictures and fonts that they need into `folder`: taken over if they're as they were
 * earlier, or made. Everything else that belongs to them is returned.
 */
export async function assemble(given: Given, folder: string, { folder: before, made: earlier }: Earlier) {
  const { program, renderer, photo, wordsDir } = given;
  const { light, version } = program;
  const { assets, laterWith, drawn, legal, policy } = around(given);

  // Which letters there are is only known once the pages are rendered, and mostly what was made before is still right.
  const isThere = (name: Thing) => earlier?.[name].files.every((path) => existsSync(join(before, path)));
  const draft = { ...NOTHING, ...earlier, ...(photo ? {} : { photo: NOTHING.photo }) };
  if (photo && !draft.photo.photo) draft.photo = { photo: NO_PHOTO, files: [] };
  const pages = await renderer.renderPages(assets(draft));
  const letters = lettersOf(Object.values(pages).join(''));
  const pictures = [renderer.renderParts(), { sharePicture: program.sharePicture, light }] as const;
  const from: Made['from'] = {
    photo: hashOf(version, photo ?? ''),
    pictures: hashOf(version, JSON.stringify(pictures)),
    fonts: hashOf(version, letters),
  };
  const args = { photo: [wordsDir], pictures, fonts: [letters] };
  const isKept = (name: Thing) => earlier?.from[name] === from[name] && isThere(name);
  const things = Object.keys(args) as Thing[];
  const fresh = things.filter((name) => !isKept(name));
  const made = { ...draft, from };
  for (const path of things.filter(isKept).flatMap((name) => made[name].files)) {
    if (before !== folder) await cp(join(before, path), join(folder, path));
  }
  if (fresh.length > 0)
    Object.assign(
      made,
      await makeApart({ folder, ...Object.fromEntries(fresh.map((name) => [name, args[name]])) }),
    );
  const shownWith = assets(made);
  const { missing } = made.fonts;
  return {
    pages: fresh.length > 0 ? await renderer.renderPages(shownWith) : pages,
    assets: shownWith,
    files: [
      laterWith(made),
      ...(Object.keys(pages).some((path) => path.includes('/')) ? [legal] : []),
      ...drawn.files,
      ...renderer.renderMachineReadable(shownWith, made.pictures.icons),
    ] satisfies EmittedFile[],
    made,
    policy,
    notes: [
      ...renderer.notesOnLength(),
      ...(missing.length > 0
        ? [
            `The page's typeface has no ${missing.join(' ')}; browsers will take these characters from another one.`,
          ]
        : []),
    ],
  };
}

/** What the pages are shown with: everything but pictures and fonts that take long to make. */
export function around({ program, renderer, shown }: Pick<Given, 'program' | 'renderer' | 'shown'>) {
  const { styles, light, dark, afterFirstPaint, script } = program;
  const drawn = drawings(renderer, program);
  const legal = hashed('assets/legal.css', styles.legal);
  const policy = contentSecurityPolicy(styles.first, afterFirstPaint, shown.supabaseUrl);
  const laterWith = ({ fonts }: Making) =>
    hashed('assets/later.css', `/* ../licences.txt */${fonts.faces}${styles.later}${drawn.dark}`);
  const assets = (making: Making): Assets => ({
    ...shown,
    policy,
    css: styles.first,
    laterCss: `/${laterWith(making).path}`,
    legalCss: `/${legal.path}`,
    script: `/${script}`,
    afterFirstPaint,
    fonts: making.fonts.files.map((path) => `/${path}`),
    favicon: drawn.pictures.favicon.src,
    sharePicture: making.pictures.share,
    // The header's colour, since the browser's address bar is right above it.
    themeColors: { light: light['--ground'] ?? '', dark: dark['--ground'] ?? '' },
    drawings: drawn.pictures,
    founderPhoto: making.photo.photo,
  });
  return { assets, laterWith, drawn, legal, policy };
}

/** Each that the page shows beyond ASCII, which the fonts have anyway. */
const lettersOf = (text: string) =>
  [...new Set(text)]
    .filter((letter) => letter > '~')
    .sort()
    .join('');

const NO_PHOTO: Photo = { src: '', width: 0, height: 0, sources: [] };
export const NOTHING: Making = {
  photo: { photo: null, files: [] },
  pictures: { share: '', icons: [], files: [] },
  fonts: { faces: '', missing: [], files: [] },
};

/** @throws an Error that tells the owner what's wrong with what it's made of */
async function makeApart(job: Job): Promise<Partial<Making>> {
  const child = fork(join(import.meta.dirname, 'make.ts'), { execArgv: [] });
  child.send(job);
  const said = once(child, 'message');
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`Pictures and fonts couldn’t be made: the process ended with ${code}.`);
  });
  ended.catch(() => {});
  const [answer] = (await Promise.race([said, ended])) as [{ made: Partial<Making> } | { fault: string }];
  if ('fault' in answer) throw new Error(answer.fault);
  return answer.made;
}

function drawings(renderer: Renderer, program: Program) {
  const drawn = renderer.renderDrawings((file) => program.drawings[file] ?? '');
  // One hash for all of them, since eighteen hashes don't compress.
  const folder = hashed('assets/drawings', drawn.map(([, svg]) => svg).join('')).path;
  const files = drawn.map(([name, body]) => ({ path: `${folder}/${name}.svg`, body }));
  const pictures: Record<string, Picture> = Object.fromEntries(
    drawn.flatMap(([file, svg]) => {
      const src = `/${folder}/${file}.svg`;
      const [, width, height] = / width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
      const size = { width: Number(width), height: Number(height) };
      const views = [...svg.matchAll(/<view id="([^"]+)"/g)].map(([, name = '']) => name);
      return [[file, { src, ...size }], ...views.map((name) => [name, { src: `${src}#${name}`, ...size }])];
    }),
  );
  // WebKit doesn't tell pictures of the dark theme.
  const dark = Object.entries(pictures)
    .filter(([name]) => pictures[name + renderer.DARK])
    .map(([, { src }]) => `img[src="${src}"]{content:url("${src}${renderer.DARK}")}`);
  return {
    files,
    pictures: pictures as Assets['drawings'] & { favicon: Picture },
    dark: `@media screen and (prefers-color-scheme:dark){${dark.join('')}}`,
  };
}

/** Builds the program if it's missing or of another version of the source, which needs the build tools. */
export async function ensureProgram(show: Show = () => {}): Promise<void> {
  if (await isBuilt()) return;
  show('building the program');
  const { build } = await import('./build.ts').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'The program has to be built anew, and what that takes isn’t installed. Run: npm install',
    );
  });
  await build();
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

if (import.meta.main) {
  // `npm start` was ended, whose next one may publish, too.
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
  // For `npm start`, whose server says itself what's wrong with the settings.
  const isIfNeeded = process.argv.includes('--if-needed');
  try {
    const settings = readSettings(loadEnv());
    const isNeeded = !(isIfNeeded && (await isBuilt()) && (await isPublished(settings)));
    if (!isNeeded) process.exit();
    console.log('Building the site …');
    const notes = await withProgress('Building', '', async (show) => {
      await ensureProgram(show);
      show('making the page');
      return publish(settings);
    });
    for (const note of [...unknownSettings(), ...notes]) console.log(`  Note: ${note}`);
    await tellPlaceholders(settings);
  } catch (error) {
    if (isIfNeeded && error instanceof SettingsError) process.exit();
    console.error(`\nThe site was not built.\n\n${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
