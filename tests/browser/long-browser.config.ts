import { defineConfig } from '@playwright/test';
import config from './playwright.config.ts';

process.env.LONG_TESTS = '1';

/** `npm test -- --long` in browsers: every window with every theme. */
export default defineConfig({
  ...config,
  testMatch: ['accessibility.spec.ts', 'old-browsers.long.ts'],
});
