import { defineConfig } from 'vitest/config';
import config from '../vitest.config.ts';

/** `npm test -- --long`: the same tests with many more rounds, one file at a time. */
export default defineConfig({
  test: {
    ...config.test,
    root: `${import.meta.dirname}/..`,
    include: [
      'server/http/{crash,instances,properties,listen}.test.ts',
      'tests/container.test.ts',
      'tests/*.long.ts',
    ],
    env: { LONG_TESTS: '1' },
    testTimeout: 60 * 60_000,
    fileParallelism: false,
  },
});
