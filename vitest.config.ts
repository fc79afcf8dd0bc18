import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { inLongRun } from './tests/long.ts';

/** Only a hang takes so long, however slow and busy the machine is. */
const HANG_MS = 300_000;

/** `npm test -- --long`: these with many more rounds, one file at a time. */
const LONG = ['desk/door/attacks', 'server/http/{never-lost,properties}'];

export default defineConfig({
  test: {
    include: inLongRun([...LONG.map((path) => `${path}.test.ts`), 'tests/*.long.ts'], ['**/*.test.{ts,tsx}']),
    exclude: ['**/node_modules/**', 'dist/**'],
    // What one test mocks, the next one finds as it was.
    mockReset: true,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    globalSetup: 'tests/support/database/new-database.ts',
    // Two more than there are cores, since many tests wait for other programs.
    maxWorkers: inLongRun(1, availableParallelism() + 2),
    testTimeout: inLongRun(60 * 60_000, HANG_MS),
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: HANG_MS / 2, interval: 20 } },
  },
});
