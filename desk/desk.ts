import { existsSync } from 'node:fs';
import type { Database, PoolOptions } from '../server/messages/database.ts';
import { openDatabase } from '../server/messages/open.ts';
import { StoreError } from '../server/messages/store-error.ts';
import { loadEnv, readSettings, type Settings, shortPath } from '../settings/settings.ts';
import { unknownSettings } from '../settings/unknown.ts';
import { note } from './terminal.ts';

/** Servers may hold all the other connections; they release some within seconds. */
export const DESK_CONNECTION: PoolOptions = { connections: 1, patienceMs: 15_000 };

export type Desk = ReturnType<typeof createDesk>;

/** What commands need, loaded on demand, so that help works with wrong settings or no database. */
export function createDesk() {
  let settings: Settings | undefined;
  let database: Promise<Database> | undefined;
  return {
    settings(): Settings {
      if (settings) return settings;
      // First, since a mistyped name may be why `readSettings` fails.
      for (const problem of unknownSettings()) note(`${problem}\n`);
      settings = readSettings(loadEnv());
      return settings;
    },
    /** Never creates a file: a mistyped DATABASE_URL must not leave an empty database behind. */
    database(): Promise<Database> {
      const setting = this.settings().database;
      if (setting.engine === 'sqlite' && !existsSync(setting.file)) {
        throw new StoreError(
          `There is no database at ${shortPath(setting.file)}: the server makes it at its first start. Is DATABASE_URL right?`,
        );
      }
      // If it's away now, it may be back later.
      database ??= openDatabase(setting, DESK_CONNECTION).catch((error: unknown) => {
        database = undefined;
        throw error;
      });
      return database;
    },
    async close() {
      await (await database?.catch(() => undefined))?.close();
    },
  };
}
