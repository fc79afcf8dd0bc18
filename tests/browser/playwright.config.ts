import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { inLongRun } from '../long.ts';
import { findBrowser } from '../support/site/find-browser.ts';

export default defineConfig({
  testDir: '.',
  // `npm test -- --long` looks at every window with every theme.
  testMatch: inLongRun(['accessibility.spec.ts', 'old-browsers.long.ts'], ['*.spec.ts']),
  globalSetup: '../support/site/test-site.ts',
  outputDir: '../../test-results',
  fullyParallel: true,
  // Two more than there are cores, since most of a test is waiting for the page to come to rest.
  workers: availableParallelism() + 2,
  // Among a hundred or so on a shared machine, one may hit a pause of seconds. It’s named at the end.
  retries: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? 1 : 0,
  forbidOnly: true,
  // Only a hang takes this long, however slow and busy the machine is.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  // The JSON is for the count at the end of `npm test`, which sets a file for it.
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['list'], ['json']] : 'list',
  use: {
    browserName: 'chromium',
    // A new context per test takes as long as most of the tests themselves.
    reuseContext: true,
    launchOptions: {
      executablePath: findBrowser(),
      args: [
        '--no-sandbox',
        // The headless shell would round letters to whole pixels, and break lines unlike visitors' browsers.
        '--font-render-hinting=none',
      ],
    },
    locale: 'en-CA',
    timezoneId: 'America/Toronto',
    // Motion is half the time of opening the page. Tests that depend on it ask for it, as visitors have it.
    reducedMotion: 'reduce',
    // Traces are half of a run: `npx playwright test -c tests/browser/playwright.config.ts --trace on` makes one.
    trace: 'off',
  },
});
