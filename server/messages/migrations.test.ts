import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { compareHistory, migrate, migrations } from './migrations.ts';

function newSqlite() {
  const sqlite = new Database(':memory:');
  onTestFinished(() => void sqlite.close());
  const ask = (query: string) => sqlite.prepare<[], { name: string }>(query).all();
  const target = { engine: 'sqlite', place: 'here', ask, run: (text: string) => sqlite.exec(text) } as const;
  return { sqlite, ask, target };
}

test('both engines run the same steps, SQLite its own from the one that makes all it had up to then', () => {
  const postgres = migrations('postgres');
  const names = (all: { name: string }[]) => all.map(({ name }) => name);
  const [first] = migrations('sqlite');
  expect(first?.name).toBe('20261121000003_compatible_migrations');
  expect(names(migrations('sqlite'))).toEqual(names(postgres).slice(3));
  expect(names(postgres)).toEqual(names(postgres).toSorted());
  expect(postgres.every(({ file }) => !file.includes('sqlite'))).toBe(true);
  expect(first?.file).toMatch(/migrations\/sqlite\/20261121000003_compatible_migrations\.sql$/);
});

test('a new database lacks every step, and then none', async () => {
  const { ask, target } = newSqlite();
  const all = migrations('sqlite').map(({ name }) => name);
  expect(await compareHistory('sqlite', ask)).toEqual({ missing: all, unknown: [] });
  await migrate(target);
  expect(await compareHistory('sqlite', ask)).toEqual({ missing: [], unknown: [] });
  await migrate(target);
});

test('a step that a newer version needs to know is named, a compatible one is not', async () => {
  const { sqlite, ask, target } = newSqlite();
  await migrate(target);
  const [known = ''] = migrations('sqlite').map(({ name }) => name);
  sqlite.exec(`insert into compatible_migration (name) values ('9998_later');
    insert or ignore into contact_migration (name) values ('9999_one'), ('9999_two'), ('${known}')`);
  expect(await compareHistory('sqlite', ask)).toEqual({ missing: [], unknown: ['9999_one', '9999_two'] });
  await expect(migrate(target)).rejects.toThrow(
    /The database here was .*newer version.*\(9999_one, 9999_two\)/,
  );
});

test('a step that does not record itself is a fault', async () => {
  const { target } = newSqlite();
  const [first] = migrations('sqlite');
  await expect(migrate({ ...target, run: () => undefined })).rejects.toThrow(
    `The migration ${first?.name} does not record itself`,
  );
});
