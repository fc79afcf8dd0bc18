// @ts-check
// Installs what's missing, and makes node_modules/.bin/node the Node that the site runs on: npm puts that folder first
// in PATH. Runs before the npm scripts and after each install, on whatever Node the machine has and before anything is
// installed, so it's plain JavaScript without dependencies. Silent when there's nothing to do.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Node for machines whose own is too old: npm packages with just the program, pinned by a lock file. */
const runtime = join(root, 'runtime');
const onWindows = process.platform === 'win32';
/** `npm test` needs all packages; everything else only needs those for building and serving. */
const forTests = process.argv.includes('--tests');
/** npm doesn't report a package for one system that it couldn't get. */
const AGAIN =
  'Run the same command again, in case the network was down. If that doesn’t help, install Node 24 (https://nodejs.org).';

/** @typedef {{ version?: string, dev?: boolean, devOptional?: boolean, os?: string[], cpu?: string[], libc?: string[], optional?: boolean, bin?: { node?: string } }} LockedPackage */

/**
 * @param {string} file
 * @returns {Record<string, LockedPackage>}
 */
function lockedPackages(file) {
  // npm writes the lock file in node_modules last, so if it's there, the install is complete.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).packages ?? {}) : {};
}

function isInstalled() {
  const wanted = lockedPackages(join(root, 'package-lock.json'));
  const present = lockedPackages(join(root, 'node_modules/.package-lock.json'));
  // As in an image: the program is built, and the build tools are gone.
  if (
    existsSync(join(root, 'program/program.json')) &&
    present['node_modules/react'] &&
    !present['node_modules/vite']
  )
    return Object.entries(present).every(([path, { version }]) => wanted[path]?.version === version);
  return Object.entries(wanted).every(
    ([path, { version, dev, devOptional, ...more }]) =>
      path === '' ||
      (present[path]?.version === version && existsSync(join(root, path))) ||
      // What's `devOptional` is for tests, or for a package that does without it.
      (!present[path] && ((more.optional && !isForHere(more)) || ((dev || devOptional) && !forTests))),
  );
}

/**
 * Whether it's this machine's build of a package. npm leaves that out, too, if its own Node is too old.
 *
 * @param {LockedPackage} locked
 */
function isForHere({ os, cpu, libc }) {
  if (!os?.includes(process.platform) || (cpu && !cpu.includes(process.arch))) return false;
  if (!libc) return true;
  /** @type {{ header?: { glibcVersionRuntime?: string } }} */
  const { header } = process.report.getReport();
  return libc.includes(header?.glibcVersionRuntime ? 'glibc' : 'musl');
}

/** The path of Node in runtime/, or undefined if the version in the lock file isn't installed. */
function fetchedNode() {
  const wanted = lockedPackages(join(runtime, 'package-lock.json'));
  const present = lockedPackages(join(runtime, 'node_modules/.package-lock.json'));
  const [path, found] = Object.entries(present)[0] ?? [];
  if (!path || !found?.bin?.node || found.version !== wanted[path]?.version) return undefined;
  return join(runtime, path, found.bin.node);
}

/**
 * What the site is tested on: LTS releases from 24 on. 25 isn't one.
 *
 * @param {string} version
 */
function isSupported(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return (major === 24 && minor >= 11) || major >= 26;
}

/**
 * Installs from the lock file. No package needs its install script.
 *
 * @param {string[]} args
 */
function install(...args) {
  mustBeWritable();
  const { status } = spawnSync(
    onWindows ? 'npm.cmd' : 'npm',
    // The site doesn't run on the machine's older Node, so npm's warnings about it would be misleading.
    ['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error', ...args],
    { cwd: root, stdio: 'inherit', shell: onWindows, env: { ...process.env, NODE_ENV: '' } },
  );
  if (status !== 0)
    fail('The install did not finish, see above. If the network was down, run the same command again.');
}

function mustBeWritable() {
  try {
    accessSync(root, constants.W_OK);
  } catch {
    fail(
      `This user can’t write to ${root}, where the packages go. Make the folder yours, or unpack it elsewhere.`,
    );
  }
}

/** @returns {string} the Node to run the site on: the machine's own if it's new enough, otherwise the one in runtime/ */
function chooseNode() {
  const own = !process.execPath.startsWith(root);
  if (own && isSupported(process.versions.node)) return process.execPath;
  if (!fetchedNode()) {
    console.log('Fetching a Node, since the site needs a newer one (once; needs the network) …');
    install('--prefix', 'runtime');
  }
  const node = fetchedNode();
  if (!node) {
    fail(`A Node for ${process.platform} on ${process.arch} could not be fetched, or there is none.`, AGAIN);
  }
  const { status, stderr, error } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status !== 0) {
    fail(
      'The Node that was fetched does not run on this machine:',
      (stderr || error?.message || `it ended with ${status}`).trim(),
      'Install what is missing, or Node 24 (https://nodejs.org), and run the same command again.',
    );
  }
  return node;
}

/** @param {string} node */
function putFirst(node) {
  const bin = join(root, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  if (onWindows) {
    writeFileSync(join(bin, 'node.cmd'), `@"${node}" %*\r\n`);
    return;
  }
  const link = join(bin, 'node');
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === node) return;
  mustBeWritable();
  rmSync(link, { force: true });
  symlinkSync(node, link);
}

/**
 * @param {string[]} lines
 * @returns {never}
 */
function fail(...lines) {
  console.error(`\n${lines.join('\n')}`);
  process.exit(1);
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(`Node ${process.versions.node} is too old: please install Node 20 or newer (https://nodejs.org).`);
}
const [sign] = new RegExp(`[#?*${delimiter}]`).exec(root) ?? [];
if (sign) {
  fail(`The path of this folder has a ${sign}, so the page can't be built in it: ${root}`, 'Rename it.');
}
const node = chooseNode();
if (!isInstalled()) {
  console.log('Installing what is missing (once; needs the network) …');
  process.env.PATH = [dirname(node), process.env.PATH].join(delimiter);
  install(forTests ? '--include=dev' : '--omit=dev');
  if (!isInstalled()) fail('npm left out what this machine needs.', AGAIN);
}
putFirst(node);
