import type { DatabaseSetting } from '../settings/checks.ts';
import type { Database, PostgresOptions, SqliteDatabase } from './database.ts';

/**
 * Opens the database and brings its tables up to date.
 *
 * @throws {StoreError} with a sentence for the owner when it cannot be used
 */
export async function openDatabase(
  setting: DatabaseSetting,
  options: PostgresOptions = {},
): Promise<Database> {
  // Each engine is loaded only where it is used: an edge function has no SQLite, and most servers no pg.
  if (setting.engine === 'sqlite') return openSqlite(setting.file);
  return (await import('./postgres.ts')).openPostgres(setting.url, options);
}

/** A file of SQLite's, whichever engine keeps the messages. */
export async function openSqlite(file: string): Promise<SqliteDatabase> {
  // By a variable, so that what packs an edge function does not follow it to SQLite's native code.
  const path = './sqlite.ts';
  const sqlite = (await import(path)) as typeof import('./sqlite.ts');
  return sqlite.openSqliteFile(file);
}
