import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import { PROJECT_ROOT } from '../settings/settings.ts';
import {
  findBrowser,
  findChromium,
  findFirefox,
  findWebKit,
  installMissing,
  NoBrowserError,
} from './support/site/find-browser.ts';
import { buildTestSite } from './support/site/test-site.ts';

/**
 * `npm test`: runs every check one after another, even when one fails, and counts them on the last line. What this
 * machine can't run (a browser, systemd, a disk of its own) isn't a failure, but it's listed. `npm test -- --long` runs the
 * hardest ones with many more rounds.
 */
const isLong = process.argv.includes('--long');
const report = mkdtempSync(join(tmpdir(), 'site-tests-'));
let passed = 0;
let failed = 0;
const notRun: string[] = [];
const failures: string[] = [];
const secondTry: string[] = [];

// The tests bring their own settings; the machine's own mustn't change them.
const env = { ...process.env };
for (const name of Object.keys(parseEnv(readFileSync(join(PROJECT_ROOT, '.env.example'), 'utf8'))))
  delete env[name];

/** Runs a package's program on the Node that runs this file. */
async function program(
  name: string,
  bin: string,
  args: string[],
  more: NodeJS.ProcessEnv = {},
): Promise<boolean> {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const child = spawn(process.execPath, [join(dirname(manifest), bin), ...args], {
    cwd: PROJECT_ROOT,
    stdio: 'inherit',
    env: { ...env, ...more },
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

function count(ok: boolean): void {
  if (ok) passed += 1;
  else failed += 1;
}

function title(text: string): void {
  console.log(`\n── ${text}`);
}

/** Adds a JSON report's counts. A run without a report, or that failed outside its tests, counts as one failure. */
function addReport(ok: boolean, file: string, read: (json: never) => [passed: number, failed: number]): void {
  try {
    const [good, bad] = read(JSON.parse(readFileSync(file, 'utf8')) as never);
    passed += good;
    failed += bad;
    if (!ok && bad === 0) failed += 1;
  } catch {
    failed += 1;
  }
}

const installing = installMissing();

title('Lint and format');
count(await program('@biomejs/biome', 'bin/biome', ['check', '--error-on-warnings', '.']));

title('Types');
count(await program('typescript', 'bin/tsc', []));

title('Build');
try {
  await buildTestSite();
  count(true);
} catch (error) {
  console.error(error);
  count(false);
}

await installing.forUnitTests;

title('Unit tests');
const unitReport = join(report, 'unit.json');
const unit = await program('vitest', 'vitest.mjs', [
  'run',
  // A machine that others use pauses now and then. Tests of what's never lost set their own to 0.
  '--retry=1',
  ...(isLong ? ['--config', 'tests/long.config.ts'] : []),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${unitReport}`,
]);
type UnitReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};
addReport(unit, unitReport, ({ numPassedTests, numFailedTests, testResults }: UnitReport) => {
  for (const { name, message, assertionResults } of testResults) {
    if (message) failures.push(`${relative(PROJECT_ROOT, name)}: ${message}`);
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (status === 'failed')
        failures.push(`${relative(PROJECT_ROOT, name)}: ${fullName}\n${failureMessages.join('\n')}`);
      else if (status !== 'passed') notRun.push(fullName);
      else if (failureMessages.length > 0) secondTry.push(`${fullName}\n${failureMessages.join('\n')}`);
    }
  }
  return [numPassedTests, numFailedTests];
});

title('Browser and accessibility tests');
type Suite = { suites?: Suite[]; specs: { title: string; tests: { status: string }[] }[] };
type BrowserReport = { suites: Suite[]; stats: { expected: number; flaky: number; unexpected: number } };
const flakyOf = ({ suites = [], specs }: Suite): string[] => [
  ...specs.filter(({ tests }) => tests.some(({ status }) => status === 'flaky')).map(({ title }) => title),
  ...suites.flatMap(flakyOf),
];
try {
  await installing.browsers;
  findBrowser();
  for (const find of [findChromium, findFirefox, findWebKit]) {
    try {
      find();
    } catch (error) {
      if (!(error instanceof NoBrowserError)) throw error;
      notRun.push(`the page in each engine: ${error.message}`);
    }
  }
  const browserReport = join(report, 'browser.json');
  const browser = await program(
    '@playwright/test',
    'cli.js',
    ['test', `--config=tests/browser/${isLong ? 'long-browser' : 'playwright'}.config.ts`],
    {
      PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport,
    },
  );
  addReport(browser, browserReport, ({ suites, stats }: BrowserReport) => {
    secondTry.push(...suites.flatMap(flakyOf));
    return [stats.expected + stats.flaky, stats.unexpected];
  });
} catch (error) {
  if (error instanceof NoBrowserError) {
    console.log(error.message);
    notRun.push('all browser and accessibility tests: no Chromium that runs here');
  } else {
    console.error(error);
    count(false);
  }
}

rmSync(report, { recursive: true, force: true });
// The browser tests name their own failures just above; what failed before them is a long way up.
if (failures.length > 0) console.log(`\nFailed unit tests:\n  – ${failures.join('\n  – ')}`);
if (notRun.length > 0) console.log(`\n${notRun.length} not run:\n  – ${notRun.join('\n  – ')}`);
if (secondTry.length > 0) console.log(`\nPassed on the second try only:\n  – ${secondTry.join('\n  – ')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
