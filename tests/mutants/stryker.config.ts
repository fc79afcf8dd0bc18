import { PARTS } from './parts.ts';

const part = process.env.MUTANTS_OF ?? '';

export default {
  mutate: PARTS[part]?.mutate ?? [],
  testRunner: 'vitest',
  vitest: { configFile: 'tests/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: process.env.ZZ_STATIC !== '1',
  // TypeScript 7 has no API that could rewrite it, and nothing here needs it.
  tsconfigFile: 'none',
  ignorePatterns: ['dist', 'data', 'mine*', 'shots', 'test-results', '.bench-*', 'bench', 'runtime', 'docs'],
  reporters: ['clear-text', 'progress-append-only'],
  incremental: true,
  incrementalFile: `reports/mutants/${part}.json`,
  thresholds: { high: 95, low: 90, break: 85 },
  timeoutMS: 20_000,
  dryRunTimeoutMinutes: 15,
  allowConsoleColors: false,
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
};
