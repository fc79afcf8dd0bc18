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
import { extract } from 'tar';
import { filesIn, hashOf, NOT_OURS, noteShipped, readJson, SHIPPED } from '../build/shipped.ts';
import { swap } from '../build/swap.mjs';
import { replaceFile } from '../settings/replace-file.ts';
import { loadEnv, PROJECT_ROOT as ROOT, readSettings, type Settings } from '../settings/settings.ts';
import { unpack } from './archive.ts';
import { EXIT, explain, Failed } from './failures.ts';
import { note, write } from './terminal.ts';
import { isNewer, newsOf } from './words/news.ts';

// `npm run update`: another version is made ready in a folder beside, with her words, then swapped with this one.

const at = (...path: string[]) => join(ROOT, '.update', ...path);
const UNDO = '--undo';
/** Where a version from git has the name of its commit. */
const COMMIT = '.update/commit';
/** npm writes it last. */
const INSTALLED = 'node_modules/.package-lock.json';
/** Without these it isn't whole; if anything else is missing, it doesn't start. */
const NEEDED = ['package-lock.json', 'CHANGELOG.md', '.env.example', 'build/build.ts', 'server/main.ts'];

function stop(why: string): never {
  throw new Failed(`${why}\nNothing was changed.`);
}

/** Runs a program, and gives what it wrote. */
function run(
  failed: string,
  program: string,
  args: string[],
  { cwd = ROOT, env = process.env } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : stop(`${failed}\n\n${stderr || error}`);
}

const git = (...args: string[]) => run('Git couldn’t do it:', 'git', args);

/** Brings the files of the other version into .update/next. */
async function fetchNext(given: string | undefined): Promise<void> {
  const unpacked = at('unpacked');
  mkdirSync(unpacked, { recursive: true });
  const file = given === undefined ? at('upstream.tar') : resolve(process.env.INIT_CWD ?? '', given);
  if (given === undefined) {
    if (!existsSync(join(ROOT, '.git')))
      stop('Download a new version, and name the file: npm run update FILE.');
    git('fetch', '--quiet');
    if (git('rev-list', '@{upstream}..HEAD')) stop('There are commits of your own: see git pull.');
    git('archive', '--output', file, '@{upstream}');
  }
  if (!existsSync(file)) stop(`There’s no ${file}.`);
  const isOurs = (path: string) => !NOT_OURS.test(relative(file, path).replaceAll('\\', '/'));
  if (statSync(file).isDirectory()) cpSync(file, unpacked, { recursive: true, filter: isOurs });
  else {
    const way = /\.zip$/i.test(file)
      ? unpack(file, unpacked, () => 1e9, 0o755)
      : extract({ file, cwd: unpacked });
    await way.catch((error: Error) =>
      stop(`It can’t be unpacked. Download it once more.\n\n${error.message}`),
    );
  }
  const [only = ''] = readdirSync(unpacked);
  renameSync(existsSync(join(unpacked, 'package.json')) ? unpacked : join(unpacked, only), at('next'));
  if (given === undefined) await replaceFile(at('next', COMMIT), git('rev-parse', '@{upstream}'));
}

/** What of ours comes and goes, and what of it she has changed by hand. */
function compare(from: string, { wordsDir, mailDir, database }: Settings) {
  const hers = [wordsDir, mailDir, ...(database.engine === 'sqlite' ? [database.file] : [])];
  const isOurs = (path: string) => !hers.some((own) => join(ROOT, path).startsWith(own));
  const { files: shipped } = readJson(join(ROOT, SHIPPED));
  const here = (path: string) => hashOf(join(ROOT, path));
  const files = filesIn(at(from)).filter(isOurs);
  // Without git, what was there at the first build may be hers. Where code is looked for, nothing old can stay.
  const isSure = (path: string) => existsSync(join(ROOT, '.git')) || /^(build|desk|server|site)\//.test(path);
  const old = Object.keys(shipped).filter((path) => isOurs(path) && isSure(path));
  const gone = old.filter((path) => here(path) && !hashOf(at(from, path)));
  const other = [...files, ...gone].filter((path) => here(path) !== hashOf(at(from, path)));
  const byHand = other.filter((path) => here(path) && here(path) !== shipped[path]);
  return { put: files.filter((path) => path !== 'package.json'), gone, isSame: other.length === 0, byHand };
}

/** @param from,kept folders in .update/: where the other version is, and where this one goes */
async function replaceWith(from: string, kept: string): Promise<void> {
  const was = readJson(join(ROOT, 'package.json'));
  const is = readJson(at(from, 'package.json'));
  if (is.name !== was.name || NEEDED.some((path) => !existsSync(at(from, path))))
    stop('That isn’t this site, or not all of it.');
  if (from === 'next' && isNewer(was.version, is.version))
    stop(`You have ${was.version}, and that’s ${is.version}. The way back is: npm run update -- ${UNDO}`);
  const settings = readSettings(loadEnv(ROOT));
  await noteShipped(ROOT);
  const { put, gone, isSame, byHand } = compare(from, settings);
  if (isSame) return write(`You have version ${is.version} already.\n`);
  write(`Version ${is.version} comes in place of ${was.version}. This takes a minute or two.\n`);
  if (byHand.length > 0) write(`You’ve changed these by hand. Yours go to .update/${kept}:\n`);
  for (const path of byHand) write(`  – ${path}\n`);
  makeReady(at(from), settings);
  const news = from === 'next' ? await newsOf(at(from), was.version, settings) : '';
  put.push(...['runtime/node_modules', SHIPPED, 'dist'].filter((path) => existsSync(at(from, path))));
  if (existsSync(at(from, INSTALLED))) put.push('node_modules');
  rmSync(at(kept), { recursive: true, force: true });
  mkdirSync(at(kept));
  if (existsSync(join(ROOT, '.git'))) await replaceFile(at(kept, COMMIT), git('rev-parse', 'HEAD'));
  copyFileSync(join(ROOT, 'package.json'), at(kept, 'package.json'));
  copyFileSync(join(ROOT, 'build/swap.mjs'), at('swap.mjs'));
  const commit = existsSync(at(from, COMMIT)) ? readFileSync(at(from, COMMIT), 'utf8') : undefined;
  // All of it is on the disk before any of it counts. Windows has no such program.
  spawnSync('sync');
  await replaceFile(at('swap.json'), JSON.stringify({ from, kept, put, gone, commit }));
  try {
    swap(ROOT);
  } catch (error) {
    stop(`A file can’t be replaced. Stop the site, close what else may use it, and try again.\n\n${error}`);
  }
  spawnSync(process.env.npm_node_execpath ?? process.execPath, ['build/ensure-install.mjs'], { cwd: ROOT });
  write(`Version ${is.version} is in place. If the site is running, stop it and start it again.\n${news}`);
  if (from === 'next') write(`\nTo take it back: npm run update -- ${UNDO}\n`);
}

/** Installs what's new, builds the page with her words, and has its programs start. */
function makeReady(folder: string, { wordsDir }: Settings): void {
  const failed = 'The other version can’t be installed, built or started here.';
  const packages = (root: string, lock: string) =>
    JSON.stringify({ ...JSON.parse(readFileSync(join(root, lock), 'utf8')).packages, '': '' });
  const isSame = (lock: string) => packages(folder, lock) === packages(ROOT, lock);
  const sameNode = isSame('runtime/package-lock.json');
  const installer = (!sameNode && process.env.npm_node_execpath) || process.execPath;
  // Without packages of its own, it finds those in the folders above.
  if (!existsSync(join(folder, INSTALLED)) && !(sameNode && isSame('package-lock.json')))
    run(failed, installer, ['build/ensure-install.mjs'], { cwd: folder });
  const own = join(folder, 'node_modules/.bin/node');
  const node = existsSync(own) ? own : process.execPath;
  const options = { cwd: folder, env: { ...loadEnv(ROOT), WORDS_DIR: wordsDir } };
  for (const program of ['server/main.ts', 'desk/desk-command.ts'])
    run(failed, node, [program, '--version'], options);
  run(failed, node, ['build/build.ts'], options);
  // They lead into this folder, and are made again where they belong.
  for (const link of [own, `${own}.cmd`]) rmSync(link, { force: true });
}

function clear(...more: string[]): void {
  for (const left of ['next', 'unpacked', 'upstream.tar', ...more])
    rmSync(at(left), { recursive: true, force: true });
}

try {
  swap(ROOT);
  const [, , given] = process.argv;
  clear(...(given === UNDO ? [] : ['undone']));
  if (given !== UNDO) await fetchNext(given);
  else if (!existsSync(at('previous'))) stop('There’s no update that could be taken back.');
  await (given === UNDO ? replaceWith('previous', 'undone') : replaceWith('next', 'previous'));
} catch (error) {
  note(`${explain(error)}\n`);
  process.exitCode = EXIT.failed;
}
// Else the next run goes on from here.
if (!existsSync(at('swap.json'))) clear();
