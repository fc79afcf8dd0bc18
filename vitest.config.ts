import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Only a hang takes so long, however slow and busy the machine is. */
const HANG_MS = 300_000;

/** Begins with the file that waits two minutes for a lease to end, or the others would have to wait for it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFirst = ({ moduleId }: TestSpecification) => moduleId.endsWith('/instances.test.ts');
    return (await super.sort(files)).toSorted((one, other) => Number(isFirst(other)) - Number(isFirst(one)));
  }
}

export default defineConfig({
  test: {
    include: ['**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'dist/**'],
    globalSetup: 'tests/support/database/test-postgres.ts',
    // Two more than there are cores, since many tests wait for other programs.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: HANG_MS / 2, interval: 20 } },
  },
});
