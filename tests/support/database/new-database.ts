import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../../server/messages/open.ts';
import { openSqlite } from '../../../server/messages/sqlite.ts';
import { readSettings } from '../../../settings/settings.ts';
import { untilEnd } from '../network/until-end.ts';
import { temporaryFolder } from '../service.ts';
import { runSql, startPostgres } from './postgres-server.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

export async function newDatabase(engine: Engine): Promise<string> {
  return engine === 'postgres' ? newPostgresDatabase() : `file:${join(temporaryFolder(), 'contact.db')}`;
}

export const openAt = (url: string) => untilEnd(openDatabase(readSettings({ DATABASE_URL: url }).database));

export const openFile = (file = join(temporaryFolder(), 'contact.db')) => untilEnd(openSqlite(file));

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a real Postgres without a database name, for its superuser. */
    postgres: string;
  }
}

/** Vitest's global setup: one Postgres for all test files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgres', server.url);
  return () => server.close();
}

export async function newPostgresDatabase(server: string = inject('postgres')): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runSql(`${server}/postgres`, `create database ${name}`);
  onTestFinished(async () => {
    await runSql(`${server}/postgres`, `drop database if exists ${name} with (force)`);
  });
  return `${server}/${name}`;
}
