import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Database, SqliteDatabase } from '../../../server/messages/database.ts';
import { openDatabase, openSqlite } from '../../../server/messages/open.ts';
import { readSettings } from '../../../settings/settings.ts';
import { temporaryFolder } from '../service/open-test-service.ts';
import { newPostgresDatabase } from './test-postgres.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

/** The DATABASE_URL of one that's empty, and goes with the test. */
export async function newDatabase(engine: Engine): Promise<string> {
  return engine === 'postgres' ? newPostgresDatabase() : `file:${join(temporaryFolder(), 'contact.db')}`;
}

/** Open until the test ends. */
export async function openAt(url: string): Promise<Database> {
  const database = await openDatabase(readSettings({ DATABASE_URL: url }).database);
  onTestFinished(() => database.close());
  return database;
}

/** The same for a file, a new one unless it's named. */
export async function openFile(file = join(temporaryFolder(), 'contact.db')): Promise<SqliteDatabase> {
  const database = await openSqlite(file);
  onTestFinished(() => database.close());
  return database;
}
