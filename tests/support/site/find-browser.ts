import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { chromium } from '@playwright/test';

/** Each by the package that brings it on Debian and Ubuntu. */
const PROGRAMS = {
  'chromium-headless-shell': ['chromium-headless-shell'],
  chromium: [
    ...['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'],
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  'firefox-esr': ['firefox-esr', 'firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'],
  'webkit2gtk-driver': ['WebKitWebDriver'],
  xvfb: ['Xvfb'],
  strace: ['strace'],
};
type Package = keyof typeof PROGRAMS;

/** What most systems show before the page's own typeface loads. Browser packages only recommend them. */
const FONTS = ['fonts-dejavu-core', 'fonts-liberation'];

/** Its message says how to get one. */
export class NoBrowserError extends Error {}

const named = () => process.env.CHROMIUM_PATH || undefined;
const installed = () => [...onPath('chromium'), chromium.executablePath()].find(runs);

/** The browser for the tests: CHROMIUM_PATH, else Chromium's headless shell, which has no windows, else a whole Chromium. */
export const findBrowser = (): string =>
  named() ?? onPath('chromium-headless-shell').find(runs) ?? findChromium();

/** The Chromium that visitors use: CHROMIUM_PATH, else an installed one, else Playwright's own. It runs here. */
export function findChromium(): string {
  const found = named() ?? installed();
  if (found) return found;
  throw new NoBrowserError(
    'No Chromium that runs here for the browser tests. Install Chromium or Chrome, set CHROMIUM_PATH to its program file, ' +
      'or run npx playwright install --with-deps chromium',
  );
}

export const findFirefox = (): string => find('firefox-esr', 'Firefox');

/** WebKitGTK's driver, which knows its browser, and the screen that the browser needs. */
export const findWebKit = (): { driver: string; screen: string } => ({
  driver: find('webkit2gtk-driver', 'WebKitGTK'),
  screen: find('xvfb', 'WebKitGTK'),
});

function find(name: Package, engine: string): string {
  const [path] = onPath(name);
  if (!path) throw new NoBrowserError(`no ${engine} (on Debian and Ubuntu: sudo apt install ${name})`);
  return path;
}

function onPath(name: Package): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = PROGRAMS[name].flatMap((program) =>
    isAbsolute(program) ? [program] : folders.map((folder) => join(folder, program)),
  );
  return candidates.filter((path) => existsSync(path));
}

/** Playwright's own browser comes without the system libraries it needs. */
function runs(path: string): boolean {
  // Chrome on Windows would open a window.
  return existsSync(path) && (process.platform === 'win32' || spawnSync(path, ['--version']).status === 0);
}

/** Installs what the tests would like and is missing, if we're allowed to, while something else runs. */
export function installMissing(): { forUnitTests: Promise<void>; browsers: Promise<void> } {
  const absent = (...names: Package[]) => names.filter((name) => onPath(name).length === 0);
  const browsers: string[] = absent('firefox-esr', 'webkit2gtk-driver', 'xvfb');
  if (!process.env.CHROMIUM_PATH) {
    browsers.push(...absent('chromium-headless-shell'));
    if (!installed()) browsers.push('chromium', ...FONTS);
  }
  const mayInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
  const apt = async (...args: string[]) => {
    // Without a network it gives up soon.
    const options = ['Acquire::Retries=0', 'Acquire::http::Timeout=20', 'DPkg::Lock::Timeout=60'];
    const quiet = ['-qq', '-y', '--no-install-recommends', ...options.flatMap((option) => ['-o', option])];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await once(spawn('apt-get', [...quiet, ...args], { stdio: 'ignore', env }), 'close');
  };
  const install = async (names: string[]) => {
    if (!mayInstall || names.length === 0) return;
    console.log(`Installing ${names.join(', ')} for the tests, beside what follows …`);
    await apt('update');
    // Not every system has all of them, and apt-get would then install none.
    for (const name of names) await apt('install', name);
  };
  const forUnitTests = install(absent('strace'));
  return { forUnitTests, browsers: forUnitTests.then(() => install(browsers)) };
}
