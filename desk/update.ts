import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readOwn, readParts, valueAt } from '../build/owners-words.ts';
import { filesIn, hashOf, NOT_OURS, readJson, SHIPPED, type Shipped } from '../build/shipped.ts';
import { swap } from '../build/swap.mjs';
import { replaceFile } from '../settings/replace-file.ts';
import { loadEnv, PROJECT_ROOT as ROOT, readSettings, type Settings } from '../settings/settings.ts';
import { unpack } from './archive.ts';
import { EXIT, explain, Failed } from './failures.ts';
import { note, write } from './terminal.ts';
import { inWords, leaves, nameOf } from './words/differences.ts';

// `npm run update`: another version is made ready in a folder beside, with her words, then swapped with this one.

const at = (...path: string[]) => join(ROOT, '.update', ...path);
const UNDO = '--undo';
/** Where a version of git keeps its commit, below its folder. */
const COMMIT = '.update/commit';
/** A copy that has these came whole, or its build says what's missing. */
const NEEDED = ['package-lock.json', 'CHANGELOG.md', '.env.example', 'build/build.ts', 'server/main.ts'];
/** npm writes it last. */
const INSTALLED = 'node_modules/.package-lock.json';

const manifestIn = (folder: string) => ({
  name: '',
  version: '',
  ...readJson<{ name: string; version: string }>(join(folder, 'package.json')),
});

if (import.meta.main) {
  try {
    await main(process.argv[2]);
  } catch (error) {
    note(`${explain(error)}\n`);
    process.exitCode = EXIT.failed;
  }
}

async function main(given: string | undefined): Promise<void> {
  swap(ROOT);
  if (given === UNDO) {
    if (!existsSync(at('previous/package.json')))
      throw new Failed('There’s no update that could be taken back.');
    return replaceWith('previous', 'undone');
  }
  try {
    await fetchTo(at('next'), given);
    await replaceWith('next', 'previous');
  } finally {
    if (!existsSync(at('swap.json')))
      for (const left of ['next', 'unpacked', 'upstream.tar'])
        rmSync(at(left), { recursive: true, force: true });
  }
}

/** Runs a program, and gives what it wrote. */
function run(
  program: string,
  args: string[],
  failed: string,
  cwd = ROOT,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0)
    throw new Failed(`${failed}\n\n${(stderr || error?.message || `It ended with ${status}.`).trim()}`);
  return stdout.trim();
}

const git = (...args: string[]) => run('git', args, 'Git couldn’t do it, so nothing was changed.');

/** Brings the files of the new version into a folder. */
async function fetchTo(folder: string, given: string | undefined): Promise<void> {
  const unpacked = at('unpacked');
  for (const old of [folder, unpacked]) rmSync(old, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  let file = resolve(process.env.INIT_CWD ?? '', given ?? '');
  let commit = '';
  if (given === undefined) {
    if (!existsSync(join(ROOT, '.git')))
      throw new Failed('Download the new version, and name the file: npm run update FILE');
    git('fetch', '--quiet');
    commit = git('rev-parse', '@{upstream}');
    if (git('rev-list', '--count', `${commit}..HEAD`) !== '0')
      throw new Failed(
        'There are commits of your own here, so nothing was changed. Bring the two together with git pull.',
      );
    file = at('upstream.tar');
    git('archive', '--output', file, commit);
  }
  if (!existsSync(file)) throw new Failed(`There’s no ${file}.`);
  const isOurs = (from: string) => !NOT_OURS.test(relative(file, from).replaceAll('\\', '/'));
  const bad = 'The archive can’t be unpacked, so nothing was changed. Download it once more.';
  if (statSync(file).isDirectory()) cpSync(file, unpacked, { recursive: true, filter: isOurs });
  else if (!/\.zip$/i.test(file)) run('tar', ['-xf', relative(unpacked, file)], bad, unpacked);
  else
    await unpack(
      file,
      unpacked,
      () => Number.POSITIVE_INFINITY,
      ({ executable }) => (executable ? 0o755 : 0o644),
    ).catch((error: Error) => {
      throw new Failed(`${bad}\n\n${error.message}`);
    });
  const [only = ''] = readdirSync(unpacked);
  renameSync(existsSync(join(unpacked, 'package.json')) ? unpacked : join(unpacked, only), folder);
  if (commit) await replaceFile(join(folder, COMMIT), commit);
}

/** @param from,kept folders in .update/: where the other version is, and where this one goes */
async function replaceWith(from: string, kept: string): Promise<void> {
  const [was, is] = [manifestIn(ROOT), manifestIn(at(from))];
  if (is.name !== was.name || NEEDED.some((path) => !existsSync(at(from, path))))
    throw new Failed('That isn’t this site, or not all of it, so nothing was changed.');
  if (from === 'next' && isNewer(was.version, is.version))
    throw new Failed(
      `That’s version ${is.version}, and yours is ${was.version}, so nothing was changed. To take your last update back: npm run update -- ${UNDO}`,
    );
  const settings = readSettings(loadEnv(ROOT));
  const { wordsDir, mailDir, database } = settings;
  const hers = [wordsDir, mailDir, ...(database.engine === 'sqlite' ? [database.file] : [])].map((path) =>
    relative(ROOT, path).replaceAll('\\', '/'),
  );
  const isOurs = (path: string) => !hers.some((own) => path.startsWith(own));
  const shipped = await shippedHere(was.version);
  const here = (path: string) => hashOf(join(ROOT, path));
  const files = filesIn(at(from)).filter((path) => path !== 'package.json' && isOurs(path));
  const gone = Object.keys(shipped).filter(
    (path) => isOurs(path) && here(path) && !existsSync(at(from, path)),
  );
  const other = [...files, ...gone].filter((path) => here(path) !== hashOf(at(from, path)));
  if (other.length === 0) return write(`You have version ${is.version} already.\n`);
  const byHand = other.filter((path) => here(path) && here(path) !== shipped[path]);
  write(`Version ${is.version} comes in place of ${was.version}. This takes a minute or two.\n`);
  if (byHand.length > 0)
    write(
      `You’ve changed these files by hand. The other version’s come in their place, and yours stay in .update/${kept}:\n${byHand.map((path) => `  – ${path}\n`).join('')}`,
    );

  makeReady(
    at(from),
    settings,
    `Version ${is.version} can’t be installed, built or started here, so everything is as it was.`,
  );
  const tidings = from === 'next' ? await news(at(from), was.version, wordsDir) : '';
  const made = ['runtime/node_modules', SHIPPED, 'dist'].filter((path) => existsSync(at(from, path)));
  const packages = existsSync(at(from, INSTALLED)) ? ['node_modules'] : [];
  rmSync(at(kept), { recursive: true, force: true });
  mkdirSync(at(kept));
  if (existsSync(join(ROOT, '.git'))) await replaceFile(at(kept, COMMIT), git('rev-parse', 'HEAD'));
  copyFileSync(join(ROOT, 'package.json'), at(kept, 'package.json'));
  copyFileSync(join(ROOT, 'build/swap.mjs'), at('swap.mjs'));
  const commit = existsSync(at(from, COMMIT)) ? readFileSync(at(from, COMMIT), 'utf8') : undefined;
  // All of it is on the disk before any of it counts; Windows has no such program.
  spawnSync('sync');
  await replaceFile(
    at('swap.json'),
    JSON.stringify({ from, kept, put: [...files, ...packages, ...made], gone, commit }),
  );
  try {
    swap(ROOT);
  } catch (error) {
    throw new Failed(
      `Everything is as it was, since a file can’t be replaced. Stop the site, close what else may use it, and try again.\n\n${error}`,
    );
  }
  spawnSync(process.env.npm_node_execpath ?? process.execPath, ['build/ensure-install.mjs'], { cwd: ROOT });
  write(
    `\nVersion ${is.version} is in place. If the site is running, stop it and start it again.\n${tidings}`,
  );
  if (from === 'next') write(`To take this update back: npm run update -- ${UNDO}\n`);
}

const isNewer = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true }) > 0;

/** The hashes of the files that came with this version. */
async function shippedHere(version: string): Promise<Shipped['files']> {
  const noted = readJson<Shipped>(join(ROOT, SHIPPED));
  if (noted.files && noted.version === version) return noted.files;
  const inGit = existsSync(join(ROOT, '.git')) ? git('ls-tree', '-rz', 'HEAD').split('\0') : [];
  const files = Object.fromEntries(
    inGit.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/\s/)[2] ?? '']),
  );
  await replaceFile(join(ROOT, SHIPPED), JSON.stringify({ version, files } satisfies Shipped));
  return files;
}

/** Installs what's new, builds the page with her words, and has its programs start. */
function makeReady(folder: string, { wordsDir }: Settings, failed: string): void {
  const isSame = (path: string) => hashOf(join(folder, path)) === hashOf(join(ROOT, path));
  const sameNode = isSame('runtime/package-lock.json');
  // Without packages of its own, it finds those in the folders above.
  if (!existsSync(join(folder, INSTALLED)) && !(sameNode && isSame('package-lock.json')))
    run(
      (sameNode ? undefined : process.env.npm_node_execpath) ?? process.execPath,
      ['build/ensure-install.mjs'],
      failed,
      folder,
    );
  const own = join(folder, 'node_modules/.bin/node');
  const node = existsSync(own) ? own : process.execPath;
  for (const program of [
    ['build/build.ts'],
    ['server/main.ts', '--version'],
    ['desk/desk-command.ts', '--version'],
  ])
    run(node, program, failed, folder, { ...loadEnv(ROOT), WORDS_DIR: wordsDir });
  // They lead into this folder, and are made again where they belong.
  for (const link of [own, `${own}.cmd`]) rmSync(link, { force: true });
}

/** What's new, in the words of the changelog; and what of it concerns her words and settings. */
async function news(folder: string, since: string, wordsDir: string): Promise<string> {
  const changes = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
    .split(/^(?=## )/m)
    .filter((part) => isNewer(/^## ([\d.]+)/.exec(part)?.[1] ?? '', since));
  const [before, after] = [await readParts(), await readParts(join(folder, 'site/content'))];
  const { own } = await readOwn(wordsDir);
  const texts = leaves(own).flatMap(({ path: [part = '', ...rest] }) => {
    const [old, now] = [before, after].map((parts) => valueAt(parts.get(String(part))?.ours, rest));
    return isDeepStrictEqual(old, now)
      ? []
      : [`  – ${nameOf(after, own, [part, ...rest])}: ${inWords(now)}\n`];
  });
  const settingsIn = (root: string) =>
    readFileSync(join(root, '.env.example'), 'utf8').match(/^[A-Z_]+(?==)/gm) ?? [];
  const old = new Set(settingsIn(ROOT));
  const settings = settingsIn(folder).filter((name) => !old.has(name));
  return [
    `\n${changes.join('')}`,
    texts.length > 0
      ? `Yours stay, but these texts that came with the page are new (npm run desk shows both):\n${texts.join('')}`
      : '',
    settings.length > 0 ? `New settings, which .env.example explains: ${settings.join(', ')}\n` : '',
  ].join('');
}
