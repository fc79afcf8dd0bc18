import { cpSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { storedTexts } from '../../tests/support/database/message-rows.ts';
import { openFile } from '../../tests/support/database/new-database.ts';
import {
  call,
  MESSAGE,
  openTestService,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';

async function openWithFile() {
  const service = await openTestService();
  const { app, database } = service;
  if (database.engine !== 'sqlite') throw new Error('These tests are about a file');
  const send = async (message: string) => (await app.request(...call({ ...MESSAGE, message }))).status;
  return { ...service, database, folder: dirname(service.databaseFile), send };
}

/** What the next start finds if the process is killed now. */
function textsAtNextStart(file: string): string[] {
  const copy = join(temporaryFolder(), 'copy');
  cpSync(dirname(file), copy, { recursive: true });
  return storedTexts(join(copy, basename(file)));
}

test.each([
  ['its folder is moved', '../away/contact.db', ''],
  ['it is moved', '../away.db', 'contact.db'],
  ['its log is deleted', 'contact.db', 'contact.db-wal'],
  ['the index of its log is deleted', 'contact.db', 'contact.db-shm'],
])('once %s, visitors hear that nothing was saved, and what was is in the file', async (_, at, name) => {
  const { database, folder, send, readiness, outbox } = await openWithFile();
  expect([await send('saved'), await readiness(), database.isInPlace()]).toEqual([200, 200, true]);
  const file = join(folder, at);
  if (at === 'contact.db') rmSync(join(folder, name));
  else renameSync(join(folder, name), name ? file : dirname(file));
  expect([await send('after'), await readiness(), database.isInPlace()]).toEqual([503, 503, false]);
  await expect(outbox.runDue()).rejects.toThrow(/no longer the file/);
  database.emptyLog();
  expect(textsAtNextStart(file)).toEqual(['saved']);
});

test('while another program needs the log of a file that was replaced, it is not brought to the file, and then it is', async () => {
  const { location: backup, close } = await openFile();
  await close();
  const { databaseFile, database, send } = await openWithFile();
  const away = join(temporaryFolder(), 'contact.db');
  await send('one');
  const reader = new Database(databaseFile, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.exec('begin; select * from contact_message');
  await send('two');
  renameSync(databaseFile, away);
  renameSync(backup, databaseFile);
  expect(database.emptyLog()).toBe(false);
  reader.exec('commit');
  expect(database.emptyLog()).toBe(true);
  expect([textsAtNextStart(away), textsAtNextStart(databaseFile)]).toEqual([['one', 'two'], []]);
});

test('a message is not acknowledged if the file is moved while it is committed', async () => {
  const { database, databaseFile } = await openWithFile();
  database.sqlite.function('move', () => renameSync(databaseFile, `${databaseFile}.away`));
  const change = database.write({ compile: () => sql`select move()`.compile(database.db) });
  await expect(change).rejects.toThrow(/no longer the file/);
});
