import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { chromium } from '@playwright/test';

const SHELL = 'chromium-headless-shell';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const MAC_FIREFOX = '/Applications/Firefox.app/Contents/MacOS/firefox';

/** Its message says how to get one. */
export class NoBrowserError extends Error {}

/**
 * The browser for the tests: CHROMIUM_PATH, else Chromium's headless shell, which spends no time on windows of its
 * own, else a whole Chromium.
 *
 * @throws as findChromium does
 */
export function findBrowser(): string {
  return named() ?? onPath([SHELL]).find(runs) ?? findChromium();
}

/** Installs what findBrowser would rather have, where we're allowed to. */
export function installHeadlessShell(): void {
  if (!named() && onPath([SHELL]).length === 0) installPackages('Chromium’s headless shell', [SHELL]);
}

/**
 * The Chromium that visitors use: CHROMIUM_PATH, else an installed one, else Playwright's own, else Debian's package
 * where we're allowed to install it. It has already been run once.
 *
 * @throws a NoBrowserError if there's none, an Error if CHROMIUM_PATH is wrong
 */
export function findChromium(): string {
  const found = named() ?? installed() ?? downloaded();
  if (found) return found;
  installPackages('Chromium', ['chromium']);
  const fresh = installed();
  if (fresh) return fresh;
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

function named(): string | undefined {
  const path = process.env.CHROMIUM_PATH;
  if (path && !existsSync(path)) throw new Error(`CHROMIUM_PATH names ${path}, and there is no such file`);
  return path || undefined;
}

/** Firefox needs no driver. */
export function findFirefox(): string {
  const [firefox] = findPrograms('Firefox', ['firefox-esr'], [['firefox-esr', 'firefox', MAC_FIREFOX]]);
  return firefox;
}

/** WebKitGTK's driver, which knows its browser, and the screen that the browser needs. */
export function findWebKit(): { driver: string; screen: string } {
  const [driver, screen] = findPrograms(
    'WebKitGTK',
    ['webkit2gtk-driver', 'xvfb'],
    [['WebKitWebDriver'], ['Xvfb']],
  );
  return { driver, screen };
}

/** A mail server for the tests of the mailbox. */
export function findDovecot(): string {
  const [dovecot] = findPrograms('Dovecot', ['dovecot-imapd'], [['dovecot', '/usr/sbin/dovecot']]);
  return dovecot;
}

/** Shows the system calls of other programs. */
export function findStrace(): string {
  const [strace] = findPrograms('strace', ['strace'], [['strace']]);
  return strace;
}

/** A path for each list of names, Debian's packages installed first if one is missing and we're allowed to. */
function findPrograms<Names extends string[][]>(
  engine: string,
  packages: string[],
  programs: [...Names],
): { [At in keyof Names]: string } {
  const find = () => programs.map((names) => onPath(names)[0]);
  let found = find();
  if (found.includes(undefined)) {
    installPackages(engine, packages);
    found = find();
  }
  if (found.includes(undefined))
    throw new NoBrowserError(`no ${engine} (on Debian and Ubuntu: sudo apt install ${packages.join(' ')})`);
  return found as { [At in keyof Names]: string };
}

/** Playwright's own browser comes without the system libraries it needs. */
function runs(path: string): boolean {
  // Chrome on Windows would open a window.
  return process.platform === 'win32' || run(path, ['--version'], 'ignore');
}

function installed(): string | undefined {
  return onPath([...NAMES, ...MAC]).find(runs);
}

/** Which of these, names or paths, are here. */
function onPath(names: string[]): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = names.flatMap((name) =>
    isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name)),
  );
  return candidates.filter((path) => existsSync(path));
}

/** Where we're allowed to. */
function installPackages(engine: string, packages: string[]): void {
  if (process.getuid?.() !== 0 || !run('apt-get', ['--version'], 'ignore')) return;
  console.log(`Installing ${engine} for the tests …`);
  const quiet = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Without a network it gives up soon. Test files that run side by side may want the same package.
  const network = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20'];
  const apt = ['-qq', ...network, '-o', 'DPkg::Lock::Timeout=60'];
  run('apt-get', [...apt, 'update'], 'ignore', quiet);
  run('apt-get', [...apt, 'install', '-y', ...packages], 'ignore', quiet);
}

function downloaded(): string | undefined {
  const path = chromium.executablePath();
  return existsSync(path) && runs(path) ? path : undefined;
}

function run(command: string, args: string[], stdio: 'ignore' | 'inherit', env = process.env): boolean {
  return spawnSync(command, args, { stdio, env }).status === 0;
}
