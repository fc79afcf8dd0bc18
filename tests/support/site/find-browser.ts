import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { chromium } from '@playwright/test';

const SHELL = 'chromium-headless-shell';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

type Program = { debian: string; names: string[] };
const FIREFOX: Program = {
  debian: 'firefox-esr',
  names: ['firefox-esr', 'firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'],
};
const WEBKIT: Program = { debian: 'webkit2gtk-driver', names: ['WebKitWebDriver'] };
const SCREEN: Program = { debian: 'xvfb', names: ['Xvfb'] };
const STRACE: Program = { debian: 'strace', names: ['strace'] };

/** What most systems show before the page's own typeface comes. Browsers only recommend them. */
const FONTS = ['fonts-dejavu-core', 'fonts-liberation'];

const QUIET = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
/** Without a network it gives up soon. Test files that run side by side may want the same package. */
const CAREFUL = [
  ...['-qq', '-y', '--no-install-recommends'],
  ...['Acquire::Retries=0', 'Acquire::http::Timeout=20', 'DPkg::Lock::Timeout=60'].flatMap((one) => [
    '-o',
    one,
  ]),
];

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

/**
 * Installs what the tests would rather have and isn't here, where we're allowed to: first what unit tests need, then the
 * browsers. It mostly waits for the network and the disk, so something else can run meanwhile.
 */
export function installMissing(): { forUnitTests: Promise<void>; browsers: Promise<void> } {
  const absent = (programs: Program[]) =>
    programs.filter(({ names }) => onPath(names).length === 0).map(({ debian }) => debian);
  const small = absent([STRACE]);
  const browsers = absent([FIREFOX, WEBKIT, SCREEN]);
  if (!process.env.CHROMIUM_PATH) {
    browsers.push(...absent([{ debian: SHELL, names: [SHELL] }]));
    if (!(installed() ?? downloaded())) browsers.push('chromium', ...FONTS);
  }
  if (small.length + browsers.length === 0 || !mayInstall())
    return { forUnitTests: Promise.resolve(), browsers: Promise.resolve() };
  console.log(`Installing ${[...small, ...browsers].join(', ')} for the tests, beside what follows …`);
  const apt = async (...args: string[]) => {
    const child = spawn('apt-get', [...CAREFUL, ...args], { stdio: 'ignore', env: QUIET });
    await once(child, 'close');
  };
  const install = async (packages: string[]) => {
    // Not every system has all of them, and apt-get would then install none.
    const known = packages.filter((name) => run('apt-cache', ['show', name], 'ignore'));
    if (known.length > 0) await apt('install', ...known);
  };
  const forUnitTests = apt('update').then(() => install(small));
  return { forUnitTests, browsers: forUnitTests.then(() => install(browsers)) };
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
  installPackages('Chromium', ['chromium', ...FONTS]);
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
  const [firefox] = findPrograms('Firefox', [FIREFOX]);
  return firefox;
}

/** WebKitGTK's driver, which knows its browser, and the screen that the browser needs. */
export function findWebKit(): { driver: string; screen: string } {
  const [driver, screen] = findPrograms('WebKitGTK', [WEBKIT, SCREEN]);
  return { driver, screen };
}

/** A path for each, Debian's packages installed first if one is missing and we're allowed to. */
function findPrograms<Programs extends Program[]>(
  engine: string,
  programs: [...Programs],
): { [At in keyof Programs]: string } {
  const packages = programs.map(({ debian }) => debian);
  const find = () => programs.map(({ names }) => onPath(names)[0]);
  let found = find();
  if (found.includes(undefined)) {
    installPackages(engine, packages);
    found = find();
  }
  if (found.includes(undefined))
    throw new NoBrowserError(`no ${engine} (on Debian and Ubuntu: sudo apt install ${packages.join(' ')})`);
  return found as { [At in keyof Programs]: string };
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

function mayInstall(): boolean {
  return process.getuid?.() === 0 && run('apt-get', ['--version'], 'ignore');
}

/** Where we're allowed to. */
function installPackages(engine: string, packages: string[]): void {
  if (!mayInstall()) return;
  console.log(`Installing ${engine} for the tests …`);
  run('apt-get', [...CAREFUL, 'update'], 'ignore', QUIET);
  run('apt-get', [...CAREFUL, 'install', ...packages], 'ignore', QUIET);
}

function downloaded(): string | undefined {
  const path = chromium.executablePath();
  return existsSync(path) && runs(path) ? path : undefined;
}

function run(command: string, args: string[], stdio: 'ignore' | 'inherit', env = process.env): boolean {
  return spawnSync(command, args, { stdio, env }).status === 0;
}
