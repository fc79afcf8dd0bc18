import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseEnv } from 'node:util';
import type { JSONReport } from '@playwright/test/reporter';
import type { JsonTestResults } from 'vitest/node';
import { PROJECT_ROOT } from '../settings/settings.ts';
import {
  findBrowser,
  findFirefox,
  findWebKit,
  installMissing,
  NoBrowserError,
} from './support/site/find-browser.ts';
import buildTestSite from './support/site/test-site.ts';

/**
 * `npm test`: runs every check one after another, even when one fails, and counts them on the last line. What this
 * machine can't run (a browser, systemd, its own disk) isn't a failure, but it's listed. `npm test -- --long` runs the
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
if (isLong) env.LONG_TESTS = '1';

/** Runs a package's program on the Node that runs this file. Returns whether all went well. */
async function run(name: string, bin: string, args: string[], more: NodeJS.ProcessEnv = {}) {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const child = spawn(process.execPath, [join(dirname(manifest), bin), ...args], {
    cwd: PROJECT_ROOT,
    stdio: 'inherit',
    env: { ...env, ...more },
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

type Counts = [passed: number, failed: number];
const one = (isFine: boolean): Counts => (isFine ? [1, 0] : [0, 1]);

/** One check, or a group that counts its own tests. A break outside of them counts as one failure. */
async function check(title: string, work: () => Promise<Counts>): Promise<void> {
  console.log(`\n── ${title}`);
  const counts = await work().catch((error: unknown) => {
    console.error(error);
    return one(false);
  });
  passed += counts[0];
  failed += counts[1];
}

const installing = installMissing();

await check('Lint and format', async () =>
  one(await run('@biomejs/biome', 'bin/biome', ['check', '--error-on-warnings', '.'])),
);
await check('Types', async () => one(await run('typescript', 'bin/tsc', [])));
await check('Build', () => buildTestSite().then(() => one(true)));

await installing.forUnitTests;
await check('Unit tests', async () => {
  const file = join(report, 'unit.json');
  const isFine = await run('vitest', 'vitest.mjs', [
    'run',
    // A shared machine pauses now and then. Tests of what's never lost set their own to 0.
    '--retry=1',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  const { numPassedTests, numFailedTests, testResults }: JsonTestResults = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  for (const { name, message, assertionResults } of testResults) {
    const path = relative(PROJECT_ROOT, name);
    if (message) failures.push(`${path}: ${message}`);
    for (const { status, fullName, failureMessages } of assertionResults) {
      const why = (failureMessages ?? []).join('\n');
      if (status === 'failed') failures.push(`${path}: ${fullName}\n${why}`);
      else if (status !== 'passed') notRun.push(fullName);
      else if (why) secondTry.push(`${fullName}\n${why}`);
    }
  }
  return [numPassedTests, numFailedTests || Number(!isFine)];
});

await check('Browser and accessibility tests', async () => {
  await installing.browsers;
  const missing = [findBrowser, findFirefox, findWebKit].map((find) => {
    try {
      find();
      return undefined;
    } catch (error) {
      if (error instanceof NoBrowserError) return error.message;
      throw error;
    }
  });
  const [all, ...engines] = missing;
  if (all) {
    console.log(all);
    notRun.push('all browser and accessibility tests: no Chromium that runs here');
    return [0, 0];
  }
  for (const why of engines) if (why) notRun.push(`the page in each engine: ${why}`);
  const file = join(report, 'browser.json');
  const isFine = await run(
    '@playwright/test',
    'cli.js',
    ['test', '--config=tests/browser/playwright.config.ts'],
    { PLAYWRIGHT_JSON_OUTPUT_FILE: file },
  );
  const { stats }: JSONReport = JSON.parse(readFileSync(file, 'utf8'));
  return [stats.expected + stats.flaky, stats.unexpected || Number(!isFine)];
});

rmSync(report, { recursive: true, force: true });
// The browser tests name their own just above; what came before is a long way up.
for (const [title, names] of [
  ['Failed unit tests', failures],
  [`${notRun.length} not run`, notRun],
  ['Unit tests that passed on the second try only', secondTry],
] as const)
  if (names.length > 0) console.log(`\n${title}:\n  – ${names.join('\n  – ')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
