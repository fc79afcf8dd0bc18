import type { DatabaseSetting } from '../../settings/checks.ts';
import type { Database, DatabaseOptions } from './database.ts';

/** Opens the database and brings its tables up to date. @throws {StoreError} with a sentence for the owner */
export async function openDatabase(setting: DatabaseSetting, options?: DatabaseOptions): Promise<Database> {
  // Loads each engine only where it's used: an edge function has no SQLite, and most servers have no pg.
  if (setting.engine === 'postgres')
    return (await import('./postgres.ts')).openPostgres(setting.url, options);
  // A variable, so that a bundler for an edge function doesn't follow it to SQLite's native code.
  const path = './sqlite.ts';
  const { openSqlite }: typeof import('./sqlite.ts') = await import(path);
  return openSqlite(setting.file, options);
}
