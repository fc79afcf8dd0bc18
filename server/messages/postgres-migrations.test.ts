import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { newPostgresDatabase } from '../../tests/support/database/test-postgres.ts';
import { migrations } from './migrate.ts';
import { openPostgres } from './postgres.ts';

type Options = Parameters<typeof openPostgres>[1];

async function open(url: string, options?: Options) {
  const database = await openPostgres(url, options);
  onTestFinished(() => database.close());
  return database;
}

test('ten instances that start at once migrate once', async () => {
  const url = await newPostgresDatabase();
  await runSql(
    url,
    `create table noted (tag text);
    create function note() returns event_trigger language plpgsql as $$ begin insert into noted values (tg_tag); end $$;
    create event trigger noting on ddl_command_end when tag in ('CREATE TABLE') execute function note()`,
  );
  await Promise.all(Array.from({ length: 10 }, () => open(url)));
  const said = migrations('postgres').flatMap(({ file }) =>
    readFileSync(file, 'utf8').match(/^create (?:unlogged )?table/gm),
  );
  const made = await runSql(url, 'select count(*)::integer as count from noted');
  expect(made).toEqual([{ count: said.filter(Boolean).length }]);
});

test('a Supabase project shows none of the tables to its visitors', async () => {
  const url = await newPostgresDatabase();
  for (const role of ['anon', 'authenticated']) {
    // Roles belong to the server, so another test may be creating it.
    await runSql(url, `create role ${role}`).catch(() => undefined);
    await runSql(url, `alter default privileges in schema public grant all on tables to ${role}`);
  }
  await open(url);
  const tables = await runSql<{ name: string; locked: boolean }>(
    url,
    "select relname as name, relrowsecurity as locked from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  expect(tables.length).toBeGreaterThan(5);
  expect(tables.filter(({ locked }) => !locked)).toEqual([]);
  for (const { name } of tables) {
    for (const role of ['anon', 'authenticated']) {
      const read = runSql(url, `set role ${role}; select count(*) from ${name}`);
      await expect(read, `${role} reads ${name}`).rejects.toThrow('permission denied');
    }
  }
});
