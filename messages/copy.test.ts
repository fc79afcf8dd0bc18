import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { MESSAGE, START, temporaryFolder } from '../tests/open-test-service.ts';
import { backUp, restore, withBackup } from './copy.ts';
import type { Database, SqliteDatabase } from './database.ts';
import { noteDone } from './last-done.ts';
import { openSqlite } from './open.ts';
import { createStore } from './store.ts';

const HELD = 450;

async function openEmpty(file = join(temporaryFolder(), 'contact.db')): Promise<SqliteDatabase> {
  const database = await openSqlite(file);
  onTestFinished(() => database.close());
  return database;
}

/** More of everything than is copied at once. */
async function openFull(): Promise<SqliteDatabase> {
  const database = await openEmpty();
  const store = createStore(database, { mailDomain: 'example.com' });
  await Promise.all(
    Array.from({ length: HELD }, (_, index) =>
      store.add({ ...MESSAGE, message: `m ${index}` }, { now: START, heldFor: index < 2 ? ['trap'] : [] }),
    ),
  );
  await noteDone(database, 'digest', START);
  return database;
}

/** All that's worth keeping. */
const contentsOf = ({ sqlite }: SqliteDatabase) =>
  ['contact_message', 'last_done'].map((table) =>
    sqlite.prepare(`select * from ${table} order by 1`).all(),
  );

test('a backup holds everything, in one file, and fills an empty database again', async () => {
  const full = await openFull();
  const folder = temporaryFolder();
  const file = join(folder, 'backup.db');
  expect(await backUp(full, file)).toBe(HELD);
  expect(readdirSync(folder)).toEqual(['backup.db']);
  const sqlite = new Sqlite(file, { readonly: true });
  onTestFinished(() => void sqlite.close());
  expect(sqlite.pragma('journal_mode', { simple: true })).toBe('delete');

  const empty = await openEmpty();
  await noteDone(empty, 'alert', START);
  const restored = await withBackup(file, 'backup.db', (backup) => restore(empty, backup));
  expect(restored).toEqual({ messages: HELD, waiting: HELD - 2 });
  expect(contentsOf(empty)).toEqual(contentsOf(full));
  expect(contentsOf(full).map((rows) => rows.length)).toEqual([HELD, 1]);
});

test('a database in which nothing is yet can be backed up and restored as well', async () => {
  const file = join(temporaryFolder(), 'backup.db');
  expect(await backUp(await openEmpty(), file)).toBe(0);
  const restored = await withBackup(file, 'backup.db', async (backup) => restore(await openEmpty(), backup));
  expect(restored).toEqual({ messages: 0, waiting: 0 });
});

test('a database that holds a message is left as it is', async () => {
  const target = await openEmpty();
  await createStore(target, { mailDomain: 'example.com' }).add(MESSAGE, { now: START });
  await noteDone(target, 'alert', START);
  const before = contentsOf(target);
  expect(await restore(target, await openEmpty())).toEqual({ held: 1 });
  expect(contentsOf(target)).toEqual(before);
});

/** A little of everything. */
async function openSmall(): Promise<SqliteDatabase> {
  const database = await openEmpty();
  const options = { mailDomain: 'example.com' };
  await createStore(database, options).add(MESSAGE, { now: START });
  await noteDone(database, 'digest', START);
  return database;
}

test.each([
  ['contact_message', "message = 'other'"],
  ['last_done', 'at = 7'],
])('when %s arrives other than it was, it’s neither restored nor called a backup', async (table, change) => {
  const full = await openSmall();
  const spoilt = await openEmpty();
  spoilt.sqlite.exec(
    `create trigger spoilt after insert on ${table} begin update ${table} set ${change}; end`,
  );
  await expect(restore(spoilt, full)).rejects.toThrow(/differs from the backup.*nothing was restored/);
  expect(contentsOf(spoilt)).toEqual([[], [], []]);
  await expect(backUp(full, spoilt.place)).rejects.toThrow(/copy differs from the database.*thrown away/);
});

test('a copy in which SQLite finds a fault is no backup', async () => {
  const full = await openSmall();
  const file = join(temporaryFolder(), 'backup.db');
  const sqlite = new Sqlite(file);
  // A row that its index has otherwise, which only a whole check notices.
  sqlite.exec('create table other (a); create index by_a on other (a); insert into other values (1)');
  sqlite.unsafeMode();
  sqlite.pragma('writable_schema = ON');
  sqlite.exec(`create temp table kept as select * from sqlite_schema where name = 'by_a';
    delete from sqlite_schema where name = 'by_a'`);
  sqlite.pragma('writable_schema = RESET');
  sqlite.exec('update other set a = 2');
  sqlite.pragma('writable_schema = ON');
  sqlite.exec('insert into sqlite_schema select * from kept');
  sqlite.close();
  await expect(backUp(full, file)).rejects.toThrow(/copy differs/);
  // Closed, or its log would still be there.
  expect(existsSync(`${file}-wal`)).toBe(false);
});

test('a backup is read from a copy that goes again, with the log that was copied beside it', async () => {
  const live = await openEmpty();
  await createStore(live, { mailDomain: 'example.com' }).add(MESSAGE, { now: START });
  const folder = temporaryFolder();
  const file = join(folder, 'by-hand.db');
  for (const end of ['', '-wal']) copyFileSync(`${live.sqlite.name}${end}`, `${file}${end}`);
  const restores = () => readdirSync(tmpdir()).filter((name) => name.startsWith('restore-'));
  let read: Database | undefined;
  const messages = await withBackup(file, 'by-hand.db', async (backup) => {
    read = backup;
    expect(restores().some((name) => backup.place.includes(name))).toBe(true);
    return (await backup.db.selectFrom('contact_message').select('message').execute()).map(
      ({ message }) => message,
    );
  });
  expect(messages).toEqual([MESSAGE.message]);
  expect(read).toMatchObject({ sqlite: { open: false } });
  expect(existsSync(read?.place ?? '')).toBe(false);
  expect(readdirSync(folder).toSorted()).toEqual(['by-hand.db', 'by-hand.db-wal']);
});

test('a file that is no backup is refused under the name that the owner typed', async () => {
  const file = join(temporaryFolder(), 'notes.db');
  writeFileSync(file, 'these are my notes\n'.repeat(500));
  const refused = withBackup(file, 'notes.db', async () => 'read');
  await expect(refused).rejects.toThrow(
    /^notes\.db is no backup that this version can read: The database notes\.db is damaged/,
  );
});
