import { join } from 'node:path';

/** Of any Node that a test starts. Half of a start is compiling, which this does once for all. */
export const NODE_ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/compiled'),
};
