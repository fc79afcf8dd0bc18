import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { sql } from 'kysely';
import { Client, type ClientBase } from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../../../tests/support/database/open-store.ts';
import { runSql } from '../../../tests/support/database/postgres-server.ts';
import {
  changed,
  limitedDatabase,
  newPostgresDatabase,
  postgresError,
} from '../../../tests/support/database/test-postgres.ts';
import { startTcpProxy } from '../../../tests/support/network/tcp-proxy.ts';
import { MESSAGE, START } from '../../../tests/support/service/open-test-service.ts';
import { type Clock, machineClock } from '../../clock.ts';
import type { DatabaseOptions } from '../database.ts';
import { openDatabase } from '../open.ts';
import type { Store } from '../store.ts';
import { DatabaseAway, StoreError } from '../store-error.ts';
import { smallChange } from '../table.ts';
import { openPostgres } from './postgres.ts';

type Options = Parameters<typeof openPostgres>[1];

async function open(url: string, options?: Options) {
  const database = await openPostgres(url, options);
  onTestFinished(() => database.close());
  return database;
}

async function store(url: string): Promise<Store> {
  const opened = await openStore({ engine: 'postgres', url }, { mailDomain: 'example.com' });
  onTestFinished(() => opened.close());
  return opened;
}

/** `away`, if the same settings may do later, and what the owner is told. */
async function refusalOf(url: string, options: DatabaseOptions = {}): Promise<string> {
  const error = await openDatabase({ engine: 'postgres', url }, options).then(
    (database) => database.close().then(() => 'opened'),
    (error: unknown) => error,
  );
  if (!(error instanceof StoreError)) throw new Error('It is no error for the owner', { cause: error });
  expect(error.message).not.toContain(new URL(inject('postgres')).password);
  return `${error instanceof DatabaseAway ? 'away' : 'wrong'}: ${error.message}`;
}

const portOf = (url: string) => Number(new URL(url).port);

/** A server that lets nobody in. */
async function refusing(answer: Buffer | string): Promise<string> {
  const { port } = await startTcpProxy([], { most: 0, refusal: answer });
  return `postgres://postgres@127.0.0.1:${port}/contact`;
}

/** A clock of its own on which waiting takes no time. `meanwhile` is called with the number of each wait. */
function quickClock(meanwhile: (wait: number) => unknown = () => undefined) {
  let time = 0;
  const waits: number[] = [];
  const every = vi.fn(machineClock.every);
  const clock: Clock = {
    ...machineClock,
    every,
    ticks: () => time,
    async wait(ms, signal) {
      time += ms;
      await meanwhile(waits.push(ms));
      signal?.throwIfAborted();
    },
  };
  return { clock, waits, every, pass: (ms: number) => (time += ms) };
}

/** A database in which nothing is kept. */
const server = () => `${inject('postgres')}/postgres`;

const idOf = async (client: ClientBase): Promise<number> =>
  (await client.query('select pg_backend_pid() as id')).rows[0].id;

/** Returns once Postgres has no such connection any more. */
const end = (id: number) => runSql(server(), `select pg_terminate_backend(${id}, 5000)`);

/** A connection that isn't ours. */
async function connectOther(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // The database may be dropped before it.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('what keeps it from being used is said in words, without the password', async () => {
  const url = server();
  expect(await refusalOf(`${url}?sslmode=require`)).toMatch(
    /^wrong: .*offers no encryption.*sslmode=disable/,
  );
  expect(await refusalOf('postgres://127.0.0.1')).toMatch(/^wrong: DATABASE_URL names no database.*\.$/);
  expect(await refusalOf(await refusing(''))).toMatch(/^away: .* breaks the connection off\.$/);
});

const MAX = 'max clients reached - in Session mode max clients are limited to pool_size';

test.each([
  ['57P01', 'terminating connection', 'away: .* is starting or stopping .57P01'],
  ['57P03', 'the database system is starting up', 'away: .* is starting or stopping'],
  ['53300', 'sorry, too many clients already', 'away: .* has no connection or space left .53300'],
  ['53100', 'could not extend file', 'away: .* has no connection or space left'],
  ['08P01', 'no more connections allowed (max_client_conn)', 'away: .* has no connection or space left'],
  ['08P01', 'client connections exceeded (max_db_client_connections)', 'away: .* has no connection'],
  ['XX000', `MaxClientsInSessionMode: ${MAX}`, 'away: .* has no connection or space left .XX000'],
  ['XX000', 'Max client connections reached', 'away: .* has no connection or space left'],
  ['28P01', 'no', 'wrong: .* refuses the user or password .28P01.. Check DATABASE_URL.'],
  ['28000', 'no', 'wrong: .* refuses the user or password'],
  ['08P01', 'SASL auth failed', 'wrong: .* refuses the user or password'],
  ['08P01', 'no such user: owner', 'wrong: .* refuses the user or password'],
  ['3D000', 'no', 'wrong: The Postgres server has no database of that name: 127.0.0.1:'],
  ['08P01', 'no such database: contact', 'wrong: The Postgres server has no database of that name'],
  ['42501', 'no', 'wrong: .*Give it the right: grant create on schema public. Check DATABASE_URL.'],
  ['08P01', 'server login has been failing', 'away: .* breaks the connection off .08P01'],
  ['XX000', 'no', 'wrong: .* cannot be used .XX000.. Check DATABASE_URL.'],
])('a login that is refused with %s, %s, is said in words', async (code, text, words) => {
  const refusal = await refusalOf(await refusing(postgresError(code, text)), { patienceMs: -1 });
  expect(refusal).toMatch(new RegExp(`^${words}`));
});

test.each([
  ['ENOTFOUND', 'away: .*db.test:5432/contact is not found: no machine has that name'],
  ['EAI_AGAIN', 'away: .*db.test:5432/contact is not found'],
  ['ECONNREFUSED', 'away: No Postgres server answers at db.test:5432/contact'],
  ['EHOSTUNREACH', 'away: No Postgres server answers'],
  ['ETIMEDOUT', 'away: No Postgres server answers'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'wrong: The certificate .* cannot be trusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong: .*a certificate for another name'],
  // It doesn't send the certificate between its own and its authority's.
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'wrong: The certificate .* cannot be trusted'],
  ['', 'wrong: The Postgres database at db.test:5432/contact cannot be used. Check DATABASE_URL.'],
])('what this machine says of the way to Postgres, as %s, is said in words', async (code, words) => {
  const fault = Object.assign(new Error('no'), code && { code });
  vi.spyOn(dns, 'lookup').mockImplementation(((_: string, __: object, done: (error: Error) => void) =>
    done(fault)) as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const url = 'postgres://postgres@db.test/contact?sslmode=verify-full';
  expect(await refusalOf(url)).toMatch(new RegExp(`^${words}`));
});

test('a connection for which there is no password is ended', async () => {
  const server = createServer((socket) => {
    // Begins to ask for one.
    socket.once('data', () => {
      socket.write('R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0');
      socket.once('data', () => socket.write('R\0\0\0\x08\0\0\0\x0b'));
    });
    socket.once('close', () => server.close());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const refusal = await refusalOf(`postgres://postgres@127.0.0.1:${port}/contact`);
  expect(refusal).toMatch(/^wrong: .*refuses the user or password \(no password\)/);
  if (server.listening) await once(server, 'close');
});

test('without migrating, nothing is asked of the server until it is needed, or only what it is', async () => {
  const gone = await refusing('');
  const every = vi.fn(machineClock.every);
  const database = await open(gone, { migrate: false, clock: { ...machineClock, every } });
  expect(every).not.toHaveBeenCalled();
  expect(database.place).toMatch(/^Postgres at 127\.0\.0\.1:\d+\/contact$/);
  await expect(open(gone, { migrate: false, check: true })).rejects.toThrow(/breaks the connection off/);
  await open(server(), { migrate: false, check: true });
  expect(await runSql(server(), "select 1 from pg_tables where tablename = 'contact_message'")).toEqual([]);
});

test('each connection says whose it is, gives up in time, and reads times as numbers', async () => {
  const kept = vi.spyOn(Socket.prototype, 'setKeepAlive');
  onTestFinished(() => void vi.restoreAllMocks());
  const database = await open(server(), { migrate: false });
  const { rows } = await database.pool.query(
    `select application_name as name, current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, 5::bigint as time, true as yes
      from pg_stat_activity where pid = pg_backend_pid()`,
  );
  expect(rows).toEqual([{ name: 'contact-form', statement: '4500ms', idle: '10s', time: 5, yes: true }]);
  expect(kept).toHaveBeenCalledWith(true, 10_000);
});

test('what is written is counted, and with a lock it is one process at a time', async () => {
  const url = await newPostgresDatabase();
  const database = await open(url);
  const { db, pool } = database;
  expect(await database.write(smallChange(db, START))).toEqual({ rows: [], changes: 1 });
  expect(await database.write(db.deleteFrom('last_done'))).toEqual({ rows: [], changes: 0 });
  const change = smallChange(db, START).returning('checked_at');
  expect(await database.write(change)).toEqual({ rows: [{ checked_at: START }], changes: 1 });
  expect(await database.write(change, { lock: 'one' })).toEqual({
    rows: [{ checked_at: START }],
    changes: 1,
  });
  expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);

  const other = await connectOther(url);
  await other.query("begin; select pg_advisory_xact_lock(hashtextextended('one', 0))");
  const waiting = database.write(change, { lock: 'one' });
  const blocked = () =>
    runSql(
      url,
      'select 1 from pg_locks join pg_database on database = pg_database.oid where datname = current_database() and not granted',
    );
  await expect.poll(blocked).toHaveLength(1);
  expect(await database.write(change, { lock: 'another' })).toMatchObject({ changes: 1 });
  await other.query('commit');
  expect(await waiting).toMatchObject({ changes: 1 });
  expect(pool.idleCount).toBe(pool.totalCount);
});

test('a server that is away at the start is tried each second, and each new reason is told once', async () => {
  const url = server();
  const starting = portOf(await refusing(postgresError('57P03', 'no')));
  const noDatabase = portOf(await refusing(postgresError('3D000', 'no')));
  const behind = [0];
  const { port } = await startTcpProxy(behind);
  const told: string[] = [];
  const { clock, waits, every } = quickClock(async (wait) => {
    await expect(sql`select 1`.execute((await opening).db)).rejects.toThrow(told[0]);
    behind[0] = [0, starting, starting, noDatabase, portOf(url)][wait - 1] ?? 0;
  });
  const onAway = ({ message }: Error) => void told.push(message);
  const opening = openPostgres(changed(url, { port: String(port) }), {
    migrate: false,
    check: true,
    clock,
    onAway,
  });
  const database = await opening;
  onTestFinished(() => database.close());
  expect(every).not.toHaveBeenCalled();
  await database.pending;
  expect(told).toEqual([
    expect.stringMatching(/breaks the connection off\.$/),
    expect.stringMatching(/is starting or stopping/),
    expect.stringMatching(/no database of that name/),
  ]);
  expect(waits).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
  expect(database.pending).toBeUndefined();
  expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  expect(every).toHaveBeenCalledTimes(1);
});

test('whoever closes it while the server is away, or just as it comes, leaves nothing behind', async () => {
  const url = server();
  const { port } = await startTcpProxy([]);
  const away = changed(url, { port: String(port) });
  const database = await openPostgres(away, { migrate: false, check: true, onAway: () => undefined });
  const pending = expect(database.pending).rejects.toThrow(/abort/i);
  await database.close();
  await pending;

  const behind = [0];
  const { port: other } = await startTcpProxy(behind);
  const { clock, every } = quickClock(async () => {
    behind[0] = portOf(url);
    // Once it's on its way to the server.
    setImmediate(async () => (await opening).close());
  });
  const opening = openPostgres(changed(url, { port: String(other) }), {
    migrate: false,
    check: true,
    clock,
    onAway: () => undefined,
  });
  const { pool, pending: coming } = await opening;
  await expect(coming).rejects.toThrow(/abort/i);
  expect(pool.ended).toBe(true);
  expect(every).not.toHaveBeenCalled();
});

test('a wrong setting is no reason to wait', async () => {
  const onAway = vi.fn();
  expect(await refusalOf(await refusing(postgresError('28P01', 'no')), { onAway })).toMatch(/^wrong: /);
  expect(onAway).not.toHaveBeenCalled();
});

test('while the database has no connection free, one is tried for again and again, for as long as patience lasts', async () => {
  const url = await limitedDatabase(1);
  const other = await idOf(await connectOther(url));
  const { clock, waits } = quickClock((wait) => wait === 3 && end(other));
  const { db, pool } = await open(url, { migrate: false, clock, patienceMs: 300 });
  await sql`select 1`.execute(db);
  expect(waits).toEqual([100, 100, 100]);
  await pool.end();

  await connectOther(url);
  waits.length = 0;
  const impatient = await open(url, { migrate: false, clock, patienceMs: 300 });
  await expect(sql`select 1`.execute(impatient.db)).rejects.toMatchObject({ code: '53300' });
  expect(waits).toEqual([100, 100, 100, 100]);
  waits.length = 0;
  const gone = await open(await refusing(postgresError('3D000', 'no')), { migrate: false, clock });
  await expect(sql`select 1`.execute(gone.db)).rejects.toMatchObject({ code: '3D000' });
  expect(waits).toEqual([]);
});

test('a connection that ends, in use or not, is replaced, and crashes nothing', async () => {
  const { pool } = await open(server(), { migrate: false });
  const used = await pool.connect();
  const ended = new Promise((resolve) => used.once('end', resolve));
  await end(await idOf(used));
  await ended;
  used.release();
  expect(pool.totalCount).toBe(0);
  const idle = await pool.connect();
  const id = await idOf(idle);
  idle.release();
  const removed = new Promise((resolve) => pool.once('remove', resolve));
  await end(id);
  await removed;
  expect((await pool.query('select 1')).rowCount).toBe(1);
});

test('an answer that does not come in five seconds ends the connection, so that nobody reads it as theirs', async () => {
  const proxy = await startTcpProxy([portOf(server())]);
  const { pool } = await open(changed(server(), { port: String(proxy.port) }), {
    migrate: false,
    connections: 1,
  });
  const client = await pool.connect();
  const ended = new Promise((resolve) => client.once('end', resolve));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
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

test('its clock is read once a minute, and unless the answer is slow', async () => {
  const url = await newPostgresDatabase();
  const serverTime = async () =>
    (
      await runSql<{ now: number }>(
        url,
        'select (extract(epoch from clock_timestamp()) * 1000)::float as now',
      )
    )[0]?.now ?? 0;
  // This machine's is a day fast.
  vi.useFakeTimers({
    now: Date.now() + 86_400_000,
    toFake: ['Date', 'performance', 'setInterval', 'clearInterval'],
  });
  onTestFinished(() => void vi.useRealTimers());
  const before = await serverTime();
  const database = await openPostgres(url);
  const opened = database.clock.now();
  expect(opened).toBeGreaterThanOrEqual(Math.trunc(before));
  expect(opened).toBeLessThanOrEqual(Math.ceil(await serverTime()));
  vi.advanceTimersByTime(59_999);
  expect(database.clock.now()).toBe(opened + 59_999);
  // Until somebody asks, it's this machine's.
  expect((await open(server(), { migrate: false })).clock.now()).toBe(Date.now());

  const answer = (afterMs: number, now: number) => {
    const asked = vi.spyOn(database.pool, 'query').mockImplementationOnce(async () => {
      vi.setSystemTime(Date.now());
      vi.advanceTimersByTime(afterMs);
      return { rows: [{ now }] };
    });
    return asked;
  };
  const asked = answer(999, 7_000);
  vi.advanceTimersByTime(1);
  expect(asked).toHaveBeenCalledTimes(1);
  await new Promise(setImmediate);
  // The answer was given half-way through.
  expect(database.clock.now()).toBe(Math.round(7_000 + 999 / 2));
  answer(1_000, 9_000);
  vi.advanceTimersByTime(60_000 - 999);
  await new Promise(setImmediate);
  expect(database.clock.now()).toBe(Math.round(7_000 + 999 / 2) + 60_000 - 999 + 1_000);
  vi.spyOn(database.pool, 'query').mockRejectedValueOnce(new Error('away') as never);
  vi.advanceTimersByTime(60_000);
  await new Promise(setImmediate);
  await database.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('what is due, and until when a lease runs, is told by the clock of the database', async () => {
  const url = await newPostgresDatabase();
  const [fast, slow] = [await store(url), await store(url)];
  const now = Date.now();
  await fast.add(MESSAGE, { now });
  // A clock a day slow still finds what's due, and one a day fast doesn't claim it again.
  expect(await slow.claim(now - 86_400_000, 60_000)).toMatchObject(MESSAGE);
  expect(await fast.claim(now + 86_400_000, 60_000)).toBeUndefined();
  const database = await open(url);
  expect(Math.abs(database.clock.now() - Date.now())).toBeLessThan(1_000);
});

test('a database that takes no writes, or confirms what is not on its disk, is refused', async () => {
  const url = await newPostgresDatabase();
  const set = (setting: string) =>
    runSql(url, `alter database ${new URL(url).pathname.slice(1)} set ${setting}`);
  await set('synchronous_commit = off');
  expect(await refusalOf(url)).toMatch(/\(synchronous_commit is off\).*lose messages.*Switch it on\.$/);
  // Found before those of Postgres.
  await set('search_path = public, pg_catalog');
  await runSql(
    url,
    `create function current_setting(text) returns text language sql
      as $$ select case $1 when 'fsync' then 'off' else 'on' end $$`,
  );
  expect(await refusalOf(url)).toMatch(/\(fsync is off\).*lose messages/);
  await runSql(url, "create function pg_is_in_recovery() returns boolean language sql as 'select true'");
  expect(await refusalOf(url)).toMatch(/is a replica, which takes no writes\. Name the primary/);
});

test('a migration is given ten minutes, and if it fails, nothing of it stays', async () => {
  const url = await newPostgresDatabase();
  await runSql(
    url,
    `create table noted (timeout text);
    create function note() returns event_trigger language plpgsql
      as $$ begin insert into noted values (current_setting('statement_timeout')); end $$;
    create function refuse() returns event_trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create event trigger noting on ddl_command_end when tag in ('CREATE TABLE') execute function note();
    create event trigger refusing on ddl_command_end when tag in ('ALTER TABLE') execute function refuse()`,
  );
  await expect(open(url)).rejects.toThrow(/cannot be used \(P0001\)/);
  const tables = "select tablename as name from pg_tables where schemaname = 'public'";
  expect(await runSql(url, tables)).toEqual([{ name: 'noted' }]);
  await runSql(url, 'drop event trigger refusing');
  await open(url);
  expect(await runSql(url, 'select distinct timeout from noted')).toEqual([{ timeout: '10min' }]);
  // Its own connection is closed again.
  const connected =
    "from pg_stat_activity where application_name = 'contact-form' and datname = current_database()";
  await expect.poll(() => runSql(url, `select 1 ${connected}`)).toEqual([]);
});

test('ten instances that start at once migrate once', async () => {
  const url = await newPostgresDatabase();
  await runSql(
    url,
    `create table noted (tag text);
    create function note() returns event_trigger language plpgsql as $$ begin insert into noted values (tg_tag); end $$;
    create event trigger noting on ddl_command_end when tag in ('CREATE TABLE') execute function note()`,
  );
  await Promise.all(Array.from({ length: 10 }, () => open(url)));
  const made = await runSql(url, 'select count(*)::integer as count from noted');
  const tables = await runSql(
    url,
    "select count(*)::integer as count from pg_tables where schemaname = 'public' and tablename <> 'noted'",
  );
  expect(made).toEqual(tables);
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
