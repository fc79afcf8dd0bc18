import { join } from 'node:path';

/** For the environment of any Node that a test starts: half of a start is compiling, which this does once for all. */
export const COMPILED = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/compiled'),
};
