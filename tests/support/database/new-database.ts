import { join } from 'node:path';
import { openDatabase } from '../../../server/messages/open.ts';
import { openSqlite } from '../../../server/messages/sqlite.ts';
import { readSettings } from '../../../settings/settings.ts';
import { untilEnd } from '../network/until-end.ts';
import { temporaryFolder } from '../service/open-test-service.ts';
import { newPostgresDatabase } from './test-postgres.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

/** The DATABASE_URL of one that's empty, and goes with the test. */
export async function newDatabase(engine: Engine): Promise<string> {
  return engine === 'postgres' ? newPostgresDatabase() : `file:${join(temporaryFolder(), 'contact.db')}`;
}

export const openAt = (url: string) => untilEnd(openDatabase(readSettings({ DATABASE_URL: url }).database));

/** A new file, unless it's named. */
export const openFile = (file = join(temporaryFolder(), 'contact.db')) => untilEnd(openSqlite(file));
