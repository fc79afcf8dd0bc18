import { stat } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Settings } from '../../settings/settings.ts';
import type { DatabaseOptions } from './database.ts';
import { noteDone } from './last-done.ts';
import { missingSteps } from './migrate.ts';
import { readQueue } from './queries.ts';
import { codeOf, StoreError } from './store-error.ts';

/** Opens the database and brings its tables up to date. @throws {StoreError} with a sentence for the owner */
export async function openDatabase(setting: Settings['database'], options?: DatabaseOptions) {
  // Loads each engine only where it's used: an edge function has no SQLite, and most servers have no pg.
  if (setting.engine === 'postgres')
    return (await import('./postgres.ts')).openPostgres(setting.address, options);
  // A variable, so that a bundler for an edge function doesn't follow it to SQLite's native code.
  const path = './sqlite.ts';
  const { openSqlite }: typeof import('./sqlite.ts') = await import(path);
  return openSqlite(setting.file, options);
}

type Queue = Awaited<ReturnType<typeof readQueue>>;

/** What was found in a database. `location` says which one, without credentials. */
export type DatabaseReport = { location: string } & (
  | { state: 'absent' | 'older' }
  | { state: 'ok'; queue: Queue }
  /** `fault` is for the owner. With a queue, the database can be read and not written. */
  | { state: 'wrong'; fault: string; queue?: Queue }
);

/** Looks at a database without migrating it, unlike opening it for the server. */
export async function inspectDatabase(
  settings: Settings,
  { now, ...options }: DatabaseOptions & { now: number },
): Promise<DatabaseReport> {
  const { database: setting } = settings;
  let location = setting.engine === 'sqlite' ? setting.file : 'Postgres';
  try {
    // Not if access is denied: opening it then says so.
    if (setting.engine === 'sqlite' && (await stat(setting.file).catch(codeOf)) === 'ENOENT')
      return { state: 'absent', location };
    await using database = await openDatabase(setting, { ...options, migrate: false });
    const { engine, db } = database;
    location = database.location;
    const ask = async (query: string) => (await sql.raw<{ name: string }>(query).execute(db)).rows;
    const { missing } = await missingSteps({ engine, location, ask });
    if (missing.length > 0) return { state: 'older', location };
    const queue = await readQueue(database, settings, now);
    try {
      await noteDone(database, 'checked', now);
      return { state: 'ok', queue, location };
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const fault = `${location} can’t be written (${codeOf(error)}). So no message can be stored.`;
      return { state: 'wrong', fault, queue, location };
    }
  } catch (error) {
    if (error instanceof StoreError) return { state: 'wrong', fault: error.message, location };
    throw error;
  }
}
