// @ts-check
// Runs before every npm script, on whatever Node the machine has, before anything is installed:
// hence plain JavaScript without a dependency. It installs what the lock file asks for and the
// installed tree lacks, and is silent otherwise.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** @typedef {{ version?: string, optional?: boolean }} LockedPackage */

/**
 * @param {string} file
 * @returns {Record<string, LockedPackage>}
 */
function lockedPackages(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).packages ?? {};
}

function isInstalled() {
  // npm writes its own lock file into node_modules last, so its presence means that the install ended.
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) return false;
  if (!existsSync(join(root, 'node_modules/node/bin'))) return false;
  const wanted = lockedPackages('package-lock.json');
  const present = lockedPackages('node_modules/.package-lock.json');
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || present[path]?.version === version || (optional && !present[path]),
  );
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(
    `Node ${process.versions.node} is too old: please install Node 20 or newer (https://nodejs.org).`,
  );
  process.exit(1);
}

if (!isInstalled()) {
  console.log('Installing what is missing (once; needs the network) …');
  // A warning about the machine's older Node would mislead: the site runs on the one it brings along.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, NODE_ENV: '' },
  });
  if (status !== 0) {
    console.error('\nThe install did not finish. Run the same command again once the network is back.');
    process.exit(1);
  }
}

// The scripts that serve start with `exec`, so that Node takes the place of the shell: a signal to npm goes to the
// process that npm started, and a shell would die of it and leave Node running. cmd.exe has no such word.
if (process.platform === 'win32') writeFileSync(join(root, 'node_modules/.bin/exec.cmd'), '@%*\r\n');
