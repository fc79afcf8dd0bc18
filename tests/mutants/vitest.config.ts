import { defineConfig } from 'vitest/config';
import { PARTS } from './parts.ts';

const part = PARTS[process.env.MUTANTS_OF ?? ''];
/** Longer than any of the tests takes: what a mutant makes hang is ended then. */
const HANG_MS = part?.hangMs ?? 10_000;

export default defineConfig({
  test: {
    include: part?.tests ?? [],
    exclude: ['**/node_modules/**'],
    ...(part?.withPostgres
      ? { globalSetup: 'tests/support/database/test-postgres.ts' }
      : { setupFiles: 'tests/mutants/sqlite-only.ts' }),
    // Each mutant is run in a worker of its own, so its test files needn't load everything once more each.
    isolate: false,
    // Each of those loads it anew: as one file rather than two hundred, in a third of the time.
    deps: { optimizer: { ssr: { enabled: true, include: ['kysely'] } } },
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: HANG_MS / 4, interval: 20 } },
  },
});
