import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Only a hang takes so long, however slow and busy the machine is. */
const HANG_MS = 300_000;

export default defineConfig({
  test: {
    include: ['**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'dist/**'],
    globalSetup: 'tests/support/database/test-postgres.ts',
    // Two more than there are cores, since many tests wait for other programs.
    maxWorkers: availableParallelism() + 2,
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: HANG_MS / 2, interval: 20 } },
  },
});
