import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, fsyncSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MESSAGE, START, temporaryFolder } from '../tests/open-test-service.ts';
import { openSqliteFile } from './sqlite.ts';
import { openStore, type Store } from './store.ts';

vi.mock('node:fs', { spy: true });

async function open(file: string): Promise<Store> {
  const store = await openStore({ engine: 'sqlite', file }, { mailDomain: 'example.com' });
  onTestFinished(() => store.close());
  return store;
}

test('the file is written through to the disk at each commit, and forgets what is deleted', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const database = await openSqliteFile(file);
  onTestFinished(() => database.close());
  const { sqlite } = database;
  const pragma = (name: string) => sqlite.pragma(name, { simple: true });
  expect([
    pragma('journal_mode'),
    pragma('synchronous'),
    pragma('foreign_keys'),
    pragma('secure_delete'),
  ]).toEqual(['wal', 2, 1, 1]);
  expect(pragma('busy_timeout')).toBeGreaterThan(0);
});

test('the names of a new file and of the folders made for it are on the disk before it is used', async () => {
  const parent = temporaryFolder();
  const paths = new Map<number, unknown>();
  const synced: unknown[] = [];
  const { openSync: open_, fsyncSync: sync } = await vi.importActual<typeof import('node:fs')>('node:fs');
  vi.mocked(openSync).mockImplementation((path, ...rest) => {
    const handle = open_(path, ...rest);
    paths.set(handle, path);
    return handle;
  });
  vi.mocked(fsyncSync).mockImplementation((handle) => {
    synced.push(paths.get(handle));
    sync(handle);
  });
  await open(join(parent, 'site/data/contact.db'));
  // SQLite only does this for the folder its files are in.
  expect(synced).toEqual(expect.arrayContaining([join(parent, 'site/data'), join(parent, 'site'), parent]));
  vi.restoreAllMocks();
});

test('nobody else on the machine can read the messages', async () => {
  const folder = join(temporaryFolder(), 'data');
  const store = await open(join(folder, 'contact.db'));
  await store.add(MESSAGE, { now: START });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of ['contact.db', 'contact.db-wal']) {
    expect([name, (statSync(join(folder, name)).mode & 0o777).toString(8)]).toEqual([name, '600']);
  }
});

test('several processes may make the same new database at once', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const script = `const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, 'store.ts'))});
    const store = await openStore(${JSON.stringify({ engine: 'sqlite', file })}, { mailDomain: 'example.com' });
    await store.add(${JSON.stringify(MESSAGE)}, { now: ${START} });
    await store.close();`;
  const codes = await Promise.all(
    Array.from(
      { length: 4 },
      () =>
        new Promise((resolve) => {
          spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }).on(
            'close',
            resolve,
          );
        }),
    ),
  );
  expect(codes).toEqual([0, 0, 0, 0]);
  const sqlite = new Database(file, { readonly: true });
  onTestFinished(() => void sqlite.close());
  expect(sqlite.prepare('select count(*) from contact_message').pluck().get()).toBe(1);
});

test('a file that is no database is refused in words, and left as it is', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const content = 'these are my notes, not a database\n'.repeat(200);
  writeFileSync(file, content);
  await expect(open(file)).rejects.toThrow(/is damaged, or is no SQLite database.*backup/s);
  expect(readFileSync(file, 'utf8')).toBe(content);
});

test('a damaged database is refused in words', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  const store = await openStore({ engine: 'sqlite', file }, { mailDomain: 'example.com' });
  for (let index = 0; index < 50; index += 1) {
    await store.add({ ...MESSAGE, message: `${index} ${'x'.repeat(2000)}` }, { now: START });
  }
  await store.close();
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 8192, 40_960);
  writeFileSync(file, bytes);
  await expect(open(file)).rejects.toThrow(/is damaged/);
});

test('a database of a newer version is used if that left it compatible, or else refused and left alone', async () => {
  const file = join(temporaryFolder(), 'contact.db');
  await (await openStore({ engine: 'sqlite', file }, { mailDomain: 'example.com' })).close();
  const sqlite = new Database(file);
  onTestFinished(() => void sqlite.close());
  sqlite.exec(`alter table contact_message add column later text;
    insert into compatible_migration (name) values ('99980101000000_later')`);
  const store = await open(file);
  const { id } = await store.add(MESSAGE, { now: START });
  expect(await store.claim(START, 1)).toMatchObject({ id });
  sqlite.exec("insert into contact_migration (name) values ('99990101000000_other')");
  await expect(open(file)).rejects.toThrow(/newer version.*\(99990101000000_other\)/);
});

test('a folder that cannot be written is refused in words', async () => {
  const folder = join(temporaryFolder(), 'readonly');
  mkdirSync(folder);
  const file = join(folder, 'contact.db');
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    await expect(open(file)).rejects.toThrow(/cannot be written \(EACCES\).*DATABASE_URL/s);
    return;
  }
  // Root can write anywhere, so another user tries.
  chmodSync(folder, 0o755);
  chmodSync(join(folder, '..'), 0o755);
  const script = `process.setgid(65534); process.setuid(65534);
    const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, 'store.ts'))});
    await openStore(${JSON.stringify({ engine: 'sqlite', file })}, { mailDomain: 'example.com' }).catch((error) => console.log(error.message));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(said).toMatch(/cannot be written \(EACCES\).*DATABASE_URL/s);
});
