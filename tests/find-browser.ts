import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Its message says how to get one. */
export class NoBrowserError extends Error {}

/**
 * The browser for the tests: CHROMIUM_PATH, else an installed one, else Playwright's own, else Debian's package where
 * we're allowed to install it. It has already been run once.
 *
 * @throws a NoBrowserError if there's none, an Error if CHROMIUM_PATH is wrong
 */
export function findBrowser(): string {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM_PATH names ${named}, and there is no such file`);
  }
  const found = installed() ?? downloaded();
  if (found) return found;
  if (process.getuid?.() === 0 && run('apt-get', ['--version'], 'ignore')) {
    console.log('Installing Chromium for the browser tests …');
    const quiet = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    run('apt-get', ['update', '-qq'], 'ignore', quiet);
    run('apt-get', ['install', '-y', '-qq', 'chromium'], 'ignore', quiet);
    const fresh = installed();
    if (fresh) return fresh;
  }
  if (
    !existsSync(chromium.executablePath()) &&
    run('npx', ['playwright', 'install', 'chromium'], 'inherit')
  ) {
    const fresh = downloaded();
    if (fresh) return fresh;
  }
  throw new NoBrowserError(
    'No Chromium that runs here for the browser tests. Install Chromium or Chrome, or set CHROMIUM_PATH to its program file. ' +
      'Playwright’s own needs libraries that minimal systems lack: sudo npx playwright install-deps chromium',
  );
}

/** Playwright's own browser comes without the system libraries it needs. */
function runs(path: string): boolean {
  // Chrome on Windows would open a window.
  return process.platform === 'win32' || run(path, ['--version'], 'ignore');
}

function installed(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...MAC];
  return candidates.find((path) => existsSync(path) && runs(path));
}

function downloaded(): string | undefined {
  const path = chromium.executablePath();
  return existsSync(path) && runs(path) ? path : undefined;
}

function run(command: string, args: string[], stdio: 'ignore' | 'inherit', env = process.env): boolean {
  return spawnSync(command, args, { stdio, env }).status === 0;
}
