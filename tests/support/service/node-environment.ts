import { join } from 'node:path';

/** For any Node that a test starts. Half of a start is compiling, which is done once for all here. */
export const NODE_ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/compiled'),
};

/** For a server on a free port of this machine, with its files in that folder. */
export const serverEnvironment = (folder: string) => ({
  ...NODE_ENVIRONMENT,
  HOST: '127.0.0.1',
  PORT: '0',
  DATABASE_URL: `file:${join(folder, 'contact.db')}`,
  MAIL_DIR: join(folder, 'mail'),
});
