import { createServer, Socket } from 'node:net';
import { sql } from 'kysely';
import { expect, inject, test, vi } from 'vitest';
import { MINUTE } from '../../contract/time.ts';
import { parsePostgresUrl } from '../../settings/server-url.ts';
import { newPostgresDatabase } from '../../tests/support/database/new-database.ts';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import { portOf } from '../../tests/support/network/free-port.ts';
import { startTcpProxy } from '../../tests/support/network/tcp-proxy.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { MESSAGE, START, stopClocks } from '../../tests/support/service.ts';
import type { DatabaseOptions } from './database.ts';
import { add } from './insert.ts';
import { noteDone } from './last-done.ts';
import { openPostgres } from './postgres.ts';
import { DatabaseAway, MaybeStored, StoreError } from './store-error.ts';

const open = (url: string, options?: DatabaseOptions) =>
  untilEnd(openPostgres(parsePostgresUrl(url), options));

const server = () => `${inject('postgres')}/postgres`;

test('a commit is on disk before it’s confirmed, and sees what others did, whatever the server’s defaults', async () => {
  const url = await newPostgresDatabase();
  const alter = `alter database ${new URL(url).pathname.slice(1)} set`;
  await runSql(
    url,
    `${alter} synchronous_commit = off; ${alter} default_transaction_isolation = serializable`,
  );
  const { db, write } = await open(url);
  const asked = sql`select current_setting('synchronous_commit') as commit, current_setting('transaction_isolation') as isolation`;
  const { rows } = await write({ compile: () => asked.compile(db) });
  expect(rows).toEqual([{ commit: 'on', isolation: 'read committed' }]);
});

test('each connection gives up in time, and one that ends while idle is replaced', async () => {
  const kept = vi.spyOn(Socket.prototype, 'setKeepAlive');
  const { pool } = await open(server(), { migrate: false, connections: 1 });
  const ask = async () => {
    const names = ['statement_timeout', 'idle_in_transaction_session_timeout'];
    const asked = names.map((name) => `current_setting('${name}') as ${name}`).join();
    return (await pool.query(`select ${asked}, pg_backend_pid() as pid`)).rows[0];
  };
  const first = await ask();
  expect(first).toMatchObject({ statement_timeout: '4500ms', idle_in_transaction_session_timeout: '10s' });
  expect(kept).toHaveBeenCalledWith(true, 10_000);
  await runSql(server(), `select pg_terminate_backend(${first.pid})`);
  await expect.poll(() => pool.totalCount).toBe(0);
  expect(await ask()).not.toEqual(first);
});

test('a migration gets ten minutes, and a failed one is undone, so that another can run', async () => {
  const url = await newPostgresDatabase();
  await runSql(
    url,
    `create table noted (timeout text);
    create function note() returns event_trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(1); insert into noted values (current_setting('statement_timeout')); end $$;
    create function refuse() returns event_trigger language plpgsql
      as $$ begin raise exception 'no' using errcode = 'disk_full'; end $$;
    create event trigger noting on ddl_command_end when tag in ('CREATE TABLE') execute function note();
    create event trigger refusing on ddl_command_end when tag in ('ALTER TABLE') execute function refuse()`,
  );
  const onAway = vi.fn();
  const database = await open(url, { onAway, connections: 1 });
  expect(onAway).toHaveBeenCalledOnce();
  expect(await runSql(url, "select tablename as name from pg_tables where schemaname = 'public'")).toEqual([
    { name: 'noted' },
  ]);

  await runSql(url, 'drop event trigger refusing');
  const { pool: other } = await open(url, { migrate: false, connections: 1 });
  await other.query('select pg_advisory_lock(1)');
  stopClocks('setTimeout', 'clearTimeout');
  const first = noteDone(database, 'checked', 1);
  const waits = `select 1 as one from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and locktype = 'advisory' and not granted`;
  await expect.poll(() => runSql(url, waits)).toEqual([{ one: 1 }]);
  await vi.advanceTimersByTimeAsync(9 * MINUTE);
  await other.query('select pg_advisory_unlock(1)');
  expect(await first).toBe(true);
  expect(await runSql(url, 'select distinct timeout from noted')).toEqual([{ timeout: '10min' }]);
});

test('an answer that takes over five seconds ends the connection, so that nobody reads it as theirs', async () => {
  const proxy = await startTcpProxy(server());
  const { pool } = await open(proxy.url, { migrate: false, connections: 1 });
  const client = await pool.connect();
  const ended = new Promise((resolve) => client.once('end', resolve));
  stopClocks('setTimeout', 'clearTimeout');
  proxy.goSilent();
  const late = expect(client.query('select 1')).rejects.toThrow(/timeout/i);
  await vi.advanceTimersByTimeAsync(5_000);
  await late;
  vi.useRealTimers();
  await ended;
  client.release();
  proxy.speak();
  expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
});

/** A server that lets nobody in: without a word, or as Postgres does, or a pooler in front of it. */
async function refusing(code?: string, text = ''): Promise<string> {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${text}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  const answer = Buffer.concat(code ? [head, fields] : []);
  const server = await untilEnd(createServer((client) => client.once('data', () => client.end(answer))));
  return `postgres://postgres@127.0.0.1:${await portOf(server)}/contact`;
}

/** `away`, if the same settings may work later, and what the owner reads. */
async function refusalOf(url: string, options: DatabaseOptions = {}): Promise<string> {
  const error: unknown = await open(url, options).catch((error: unknown) => error);
  if (!(error instanceof StoreError)) throw new Error('It is no error for the owner', { cause: error });
  expect(error.message).not.toContain(new URL(inject('postgres')).password);
  return `${error instanceof DatabaseAway ? 'away' : 'wrong'}: ${error.message}`;
}

test.each([
  ['57P03', 'the database system is starting up', 'away: .* does not answer .57P03'],
  ['53300', 'sorry, too many clients already', 'away: .* has no connection or space left .53300'],
  ['08P01', 'server login has been failing', 'away: .* refuses all logins .08P01'],
  ['28P01', 'no', 'wrong: .* refuses the user or password .28P01.. Check DATABASE_URL.'],
  ['3D000', 'no', 'wrong: The Postgres server has no database of that name: 127.0.0.1:'],
  ['42501', 'no', 'wrong: .*to create tables .*: grant create on schema public. Check DATABASE_URL.'],
  ['XX000', 'Tenant or user not found', 'wrong: .* no such project, or it’s paused .XX000..'],
  ['XX000', 'no', 'wrong: .* cannot be used .XX000.. Check DATABASE_URL.'],
])('a login that is refused with %s, %s, is said in words', async (code, text, words) => {
  const refusal = await refusalOf(await refusing(code, text));
  expect(refusal).toMatch(new RegExp(`^${words}`));
});

test('another user’s tables are reported as that', async () => {
  const url = new URL(await newPostgresDatabase());
  const name = url.pathname.slice(1);
  await open(url.href);
  await runSql(
    url.href,
    `create role ${name} login password 'x'; grant all on all tables in schema public to ${name}`,
  );
  const another = Object.assign(new URL(url), { username: name, password: 'x' });
  expect(await refusalOf(another.href)).toMatch(/^wrong: The tables .* belong to another user/);
  await runSql(url.href, `revoke all on contact_migration from ${name}`);
  expect(await refusalOf(another.href)).toMatch(/^wrong: The tables .* belong to another user/);
});

test('a message cancelled while it waits for one with the same words may be saved', async () => {
  const url = await newPostgresDatabase();
  const database = await open(url);
  const { pool } = await open(url, { migrate: false });
  const client = await pool.connect();
  await client.query('begin; lock contact_message');
  const added = add(database, MESSAGE, { now: START, mailDomain: 'example.com' });
  const refused = expect(added).rejects.toThrow(MaybeStored);
  const cancel =
    "select pg_cancel_backend(pid) as done from pg_locks where not granted and locktype = 'relation'";
  await expect.poll(() => runSql(url, cancel)).toEqual([{ done: true }]);
  await refused;
  client.release(true);
});

test('a name that leads nowhere, and errors without a code, are put in words too, and a wrong setting is no reason to wait', async () => {
  const onAway = vi.fn();
  expect(await refusalOf('postgres://postgres@db.invalid/contact')).toMatch(/^away: .* does not answer/);
  expect(await refusalOf(await refusing())).toMatch(/^away: .* does not answer\.$/);
  const plain = await refusalOf(`${server()}?sslmode=require`, { onAway });
  expect(plain).toMatch(/^wrong: .*offers no encryption.*sslmode=disable/);
  expect(onAway).not.toHaveBeenCalled();
});
