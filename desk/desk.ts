import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { Database, PoolOptions } from '../messages/database.ts';
import { openDatabase } from '../messages/open.ts';
import { loadEnv, PROJECT_ROOT, readSettings, type Settings } from '../settings/settings.ts';
import { unknownSettings } from '../settings/unknown.ts';
import { Failed } from './failures.ts';
import { note } from './terminal.ts';

/**
 * What a command gets. Nothing of it happens before a command asks for it: help works with wrong
 * settings, and a command that needs no database opens none.
 */
export type Desk = {
  /** The same settings as the server's, read and checked once. Throws what names every fault. */
  settings(): Settings;
  /**
   * The database of these settings, opened once and closed when the command has ended. Where there is
   * none it is not made: looking at a mistyped DATABASE_URL must not leave an empty file behind.
   */
  database(): Promise<Database>;
  /** Milliseconds since 1970. */
  now(): number;
};

export function createDesk(): Desk & { close(): Promise<void> } {
  let settings: Settings | undefined;
  let database: Promise<Database> | undefined;
  const desk: Desk = {
    settings() {
      if (settings) return settings;
      // Before what may fail because of one.
      for (const problem of unknownSettings()) note(`${problem}\n`);
      settings = readSettings(loadEnv());
      return settings;
    },
    database() {
      database ??= openExisting(desk.settings());
      return database;
    },
    now: () => Date.now(),
  };
  return {
    ...desk,
    async close() {
      await (await database?.catch(() => undefined))?.close();
    },
  };
}

/** Beside servers that may hold all the others; they give some back within seconds once they notice. */
export const DESK_CONNECTION: PoolOptions = { connections: 1, patienceMs: 15_000 };

async function openExisting({ database }: Settings): Promise<Database> {
  if (database.engine === 'sqlite' && !existsSync(database.file)) {
    throw new Failed(
      `There is no database at ${shortPath(database.file)}: the server makes it at its first start. Is DATABASE_URL right?`,
    );
  }
  return openDatabase(database, DESK_CONNECTION);
}

/** Relative to the project's folder where that is shorter to read. */
export function shortPath(path: string): string {
  const way = relative(PROJECT_ROOT, path);
  return way.startsWith('..') ? path : way;
}
