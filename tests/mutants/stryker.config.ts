import { PARTS } from './parts.ts';

const name = process.env.MUTANTS_OF ?? '';
const part = PARTS[name];

export default {
  mutate: part?.mutate ?? [],
  testRunner: 'vitest',
  vitest: { configFile: 'tests/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: !part?.withStatic,
  // TypeScript 7 has no API that could rewrite it, and nothing here needs it.
  tsconfigFile: 'none',
  ignorePatterns: ['dist', 'data', 'mine*', 'shots', 'test-results', '.bench-*', 'runtime', 'docs'],
  reporters: ['clear-text', 'progress-append-only'],
  // It would take over what's static from the last run, even if a test has come that notices it.
  incremental: !part?.withStatic,
  incrementalFile: `reports/mutants/${name}.incremental.json`,
  thresholds: { high: 95, low: 90, break: 85 },
  timeoutMS: 5_000,
  dryRunTimeoutMinutes: 15,
  allowConsoleColors: false,
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false },
};
