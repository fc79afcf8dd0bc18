import { cp, readFile, readlink, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import encode from 'qr';
import { NOT_SENT_PAGE } from '../contract/contact-message.ts';
import { replaceFile } from '../server/files.ts';
import { isLocalNetwork, isThisMachine } from '../settings/local-network.ts';
import {
  PROJECT_ROOT,
  readSettings,
  type Settings,
  SettingsError,
  shortPath,
  unknownSettings,
} from '../settings/settings.ts';
import type { Assets, Shown } from '../site/ui/assets.ts';
import {
  type ByPath,
  damagedIn,
  keepEarlierFiles,
  replaceFolder,
  sealOf,
  sizesIn,
  takeOver,
  writeFiles,
} from './folder.ts';
import { fontFaces, fontPaths } from './fonts.ts';
import { contentSecurityPolicy, headersFile } from './headers.ts';
import { makeApart } from './make.ts';
import { photoIn, readPhoto } from './photo.ts';
import { FOR_PAGES, isBuilt, type OpenProgram, openProgram, readProgram } from './program.ts';
import { checkedWords, photoFile, readOwn } from './words.ts';

export const DIST = join(PROJECT_ROOT, 'dist');

/** In a container, the folder is a link into the volume, which is all that can be written there. */
const placeOf = async (folder: string) =>
  resolve(folder, '..', await readlink(folder).catch(() => basename(folder)));

/** Beside a published folder, all of which is public: what it was made of, including words that aren't shown. */
export const recordOf = async (folder: string) => `${await placeOf(folder)}.json`;

/**
 * Makes the page from words, settings and photo, and swaps it in for the one in `folder` once it's whole; if it
 * can't be made, an Error tells the owner why, and that one stays. What open pages may still fetch is kept.
 */
export async function publish(settings: Settings, folder = DIST, now = new Date()): Promise<void> {
  // Before the words, so that words saved meanwhile aren't recorded as published.
  const sources = await readSources(settings, (await readProgram()).version);
  const location = await placeOf(folder);
  const before = await readPublished(location);
  const photo = await photoFile(settings.wordsDir);
  // Before anything is made, so that a huge one is refused at once.
  if (photo && sources.photo !== before.sources?.photo)
    await readPhoto(await readFile(photo), shortPath(photo));
  const words = await checkedWords(settings.wordsDir);
  const program = await openProgram(words);
  // Only beyond ASCII, which the fonts have anyway.
  const beyond = JSON.stringify([words, sources.shown]).replaceAll(/[ -~]/g, '');
  const letters = [...new Set(beyond)].sort().join('');
  const page = dressed(program, sources, letters);
  const pages = program.renderPages(page.assets);
  // Elsewhere, nobody fills it in.
  if (settings.supabaseUrl) delete pages[NOT_SENT_PAGE];
  await replaceFolder(location, async (fresh) => {
    // No page goes without these, and this may be the record of one that was never put in place.
    for (const path of await damagedIn(location, before.sizes))
      if (/^assets\/|\.(br|gz)$/.test(path)) await rm(join(location, path), { force: true });
    await cp(FOR_PAGES, fresh, { recursive: true });
    const isThere = (...paths: string[]) => takeOver(paths, location, fresh);
    const { portrait, shared, share, fonts } = page;
    const { light, sharePicture } = program;
    const making = makeApart({
      folder: fresh,
      photo: !!photo && !!portrait && !(await isThere(portrait)) && [photo, portrait],
      share: !(await isThere(share)) && [shared, { light, sharePicture }, share],
      fonts: !(await isThere(...fonts)) && [letters, fonts],
    });
    const _headers = headersFile(Object.keys(pages), page.assets.policy, page.assets.siteUrl);
    const files = { ...page.files, ...pages, ...program.renderFiles(page.assets), _headers };
    await writeFiles(fresh, files, location, making);
    const earlier = await keepEarlierFiles(location, fresh, before.earlier ?? {}, now.getTime());
    const published: Published = { sources, letters, earlier, sizes: await sizesIn(fresh) };
    // If this goes no further, the sizes show that it isn't the record of the page before.
    await replaceFile(await recordOf(folder), JSON.stringify(published));
  });
}

/** Whether the page in `folder` is whole, and made of what's here now. */
export async function isPublished(settings: Settings, folder = DIST): Promise<boolean> {
  const { version } = await readProgram().catch(() => ({ version: '' }));
  const sources = await wholeFrom(folder);
  return !!sources && JSON.stringify(sources) === JSON.stringify(await readSources(settings, version));
}

/** What the page in `folder` was made of; undefined if it isn't whole. */
async function wholeFrom(folder: string) {
  const { sources, sizes } = await readPublished(folder);
  return (await damagedIn(folder, sizes)).length === 0 ? sources : undefined;
}

/** All that a page is made of: the same sources make the same page. */
async function readSources(settings: Settings, version: string) {
  const { own } = await readOwn(settings.wordsDir);
  const file = await photoFile(settings.wordsDir);
  const photo = file && sealOf(await readFile(file));
  return { version, own, shown: shownOf(settings), photo };
}

interface Published {
  sources?: Awaited<ReturnType<typeof readSources>>;
  /** The letters that its fonts have beyond ASCII. */
  letters?: string;
  /** Since when only earlier pages have a file. */
  earlier?: ByPath;
  /** The sizes of all other files. */
  sizes?: ByPath;
}

/** What the page in `folder` was made of; empty if there's none, or a power cut has damaged it. */
export async function readPublished(folder: string = DIST): Promise<Published> {
  return readFile(await recordOf(folder), 'utf8')
    .then(JSON.parse)
    .catch(() => ({}));
}

/** The page's address for other people. `localhost` would lead them to their own machine. */
export function publicAddress({ siteUrl }: Pick<Settings, 'siteUrl'>): string | undefined {
  return siteUrl && !isThisMachine(new URL(siteUrl).hostname) ? siteUrl : undefined;
}

export function shownOf(settings: Settings): Shown {
  const { contactEmail, supabaseUrl, supabaseAnonKey, retentionDays, mail, database } = settings;
  const elsewhere = (host: string | undefined) => (host && !isLocalNetwork(host) ? host : undefined);
  const store = database.engine === 'postgres' ? database.address.host : undefined;
  return {
    contactEmail,
    siteUrl: publicAddress(settings),
    supabaseUrl,
    supabaseAnonKey,
    retentionDays,
    handlers: {
      mailHost: mail.via === 'smtp' ? elsewhere(mail.host) : undefined,
      storeHost: elsewhere(supabaseUrl ? new URL(supabaseUrl).hostname : store),
    },
  };
}

/** What the pages are shown with. Pictures and fonts needn't be there yet: their names say what they're made of. */
export function dressed(
  program: OpenProgram,
  { shown, photo }: { shown: Shown; photo?: string | undefined },
  letters: string,
) {
  const { version, styles, light, dark, afterFirstPaint, script } = program;
  const policy = contentSecurityPolicy(styles.first, afterFirstPaint, shown.supabaseUrl);
  const drawn = program.renderDrawings(program.drawings, sealOf);
  const portrait = photo && `assets/founder-${sealOf(version, photo)}.webp`;
  const shared = program.renderShared();
  const share = `assets/share-${sealOf(version, JSON.stringify(shared))}.png`;
  const fonts = fontPaths(sealOf(version, letters));
  const css = `/* ../licences.txt */${fontFaces(fonts)}${styles.later}${drawn.styles}${shown.siteUrl ? codeStyles(shown.siteUrl) : ''}`;
  const later = `assets/later-${sealOf(css)}.css`;
  const assets: Assets = {
    ...shown,
    policy,
    css: styles.first,
    laterCss: `/${later}`,
    script: `/${script}`,
    afterFirstPaint,
    fonts: fonts.map((path) => `/${path}`),
    favicon: drawn.pictures.favicon.src,
    sharePicture: `/${share}`,
    // The header's colour, since the browser's address bar is right above it.
    themeColors: { light: light['--ground'] ?? '', dark: dark['--ground'] ?? '' },
    drawings: drawn.pictures,
    founderPhoto: portrait ? photoIn(portrait) : null,
  };
  return { fonts, portrait, shared, share, assets, files: { [later]: css, ...drawn.files } };
}

/** The side of a QR module, in CSS pixels: half a millimetre, which phones read in any light. */
const MODULE = 2;

/** A QR code as a shape, so that nothing is loaded for it: browsers print without waiting for what only paper shows. */
function codeStyles(address: string): string {
  const rows = encode(address, 'raw', { border: 1 });
  const runs = rows.flatMap((row, y) => {
    const signs = row.map((dark) => (dark ? '#' : ' ')).join('');
    return Array.from(signs.matchAll(/#+/g), ({ 0: { length }, index: x }) => {
      const width = length * MODULE;
      return `M${x * MODULE} ${y * MODULE}h${width}v${MODULE}h-${width}z`;
    });
  });
  return `@media print{:root{--code:${rows.length * MODULE}px;--modules:path("${runs.join('')}")}}`;
}

/** Builds the program if it's missing or from another version of the source, which needs the build tools. */
export async function ensureProgram(): Promise<void> {
  if (await isBuilt()) return;
  const { build } = await import('./build.ts');
  await build();
}

if (import.meta.main) {
  // `npm start` has ended, and its next run may publish, too.
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
  // For `npm start`, where the server says what's wrong with the settings.
  const isIfNeeded = process.argv.includes('--if-needed');
  try {
    const settings = readSettings();
    if (isIfNeeded && (await isBuilt()) && (await isPublished(settings))) process.exit();
    console.log('Building the site …');
    await ensureProgram();
    await publish(settings);
    for (const note of isIfNeeded ? [] : unknownSettings()) console.log(`  Note: ${note}`);
    console.log('\n  The page is built. The first page of your desk lists what isn’t yours on it yet.\n');
  } catch (error) {
    if (isIfNeeded && error instanceof SettingsError) process.exit();
    // A comma in words.json, or a file that can't be read, mustn't take the site down at its next start.
    const remains = isIfNeeded && !!(await wholeFrom(DIST));
    const what = remains
      ? 'Your words were not published. Visitors see the page as it was.'
      : 'The site was not built.';
    console.error(`\n${what}\n\n${error instanceof Error ? error.message : error}\n`);
    process.exitCode = remains ? 0 : 1;
  }
}
