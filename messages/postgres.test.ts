import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_ANON_KEY } from '../contract/contact.ts';
import type { AppEnv } from '../server/app.ts';
import { certificate } from '../tests/certificates.ts';
import { runDesk } from '../tests/desk-process.ts';
import { call, MESSAGE, openTestService, START, temporaryFolder } from '../tests/open-test-service.ts';
import { newPostgresDatabase, stopTime } from '../tests/postgres.ts';
import { runSql, startPostgres } from '../tests/postgres-server.ts';
import { startServer, submit } from '../tests/server-process.ts';
import { startTcpProxy } from '../tests/tcp-proxy.ts';
import type { PostgresDatabase } from './database.ts';
import { openDatabase } from './open.ts';
import { openPostgres } from './postgres.ts';
import { openStore, type Store } from './store.ts';

async function open(url: string) {
  const database = await openPostgres(url);
  onTestFinished(() => database.close());
  return database;
}

async function store(url: string): Promise<Store> {
  const opened = await openStore({ engine: 'postgres', url }, { mailDomain: 'example.com' });
  onTestFinished(() => opened.close());
  return opened;
}

async function refusalOf(url: string): Promise<string> {
  const outcome = await openDatabase({ engine: 'postgres', url }).then(
    (database) => database.close().then(() => 'opened'),
    (error: Error) => `${error.name}: ${error.message}`,
  );
  expect(outcome).not.toContain(new URL(inject('postgres')).password);
  return outcome;
}

/** The same server with another port, or another part of its address changed. */
function changed(url: string, change: Partial<URL>): string {
  return Object.assign(new URL(url), change).href;
}

/** A database whose owner has a connection limit, as on most providers' plans. */
async function limitedDatabase(connections: number): Promise<{ url: string }> {
  const user = `user_${randomBytes(6).toString('hex')}`;
  // Registered first so it runs last: what the role owns must go before it.
  onTestFinished(async () => void (await runSql(`${inject('postgres')}/postgres`, `drop role ${user}`)));
  const url = await newPostgresDatabase();
  const name = new URL(url).pathname.slice(1);
  await runSql(url, `create role ${user} login password 'hunter2' connection limit ${connections}`);
  await runSql(url, `alter database ${name} owner to ${user}`);
  await runSql(url, `alter schema public owner to ${user}`);
  return { url: changed(url, { username: user, password: 'hunter2' }) };
}

/** What Postgres, or a pooler in front of it, answers when it refuses a login. */
function postgresError(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Each from its own visitor. */
let visitors = 0;
async function submitOver(app: Hono<AppEnv>, message: string): Promise<number> {
  visitors += 1;
  const remoteAddress = `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;
  const peer = { incoming: { socket: { remoteAddress } } };
  return (await app.request(...call({ ...MESSAGE, message }), peer)).status;
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
  const made = await runSql(url, 'select count(*)::integer as count from noted');
  const tables = await runSql(
    url,
    "select count(*)::integer as count from pg_tables where schemaname = 'public' and tablename <> 'noted'",
  );
  expect(made).toEqual(tables);
});

test('a database of a newer version is used if that left it compatible, or else refused and left alone', async () => {
  const url = await newPostgresDatabase();
  await (await open(url)).close();
  await runSql(
    url,
    `alter table contact_message add column later text;
    insert into compatible_migration (name) values ('99980101000000_later')`,
  );
  const older = await store(url);
  const { id } = await older.add(MESSAGE, { now: START });
  expect(await older.claim(START, 1)).toMatchObject({ id });
  await runSql(url, "insert into contact_migration (name) values ('99990101000000_other')");
  expect(await refusalOf(url)).toMatch(/^StoreError: .*newer version.*\(99990101000000_other\)/);
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

test('what keeps it from being used is said in words, without the password', async () => {
  const url = await newPostgresDatabase();
  const proxy = await startTcpProxy([Number(new URL(url).port)]);
  proxy.goSilent();
  const silent = changed(url, { port: String(proxy.port) });
  expect(await refusalOf(silent)).toMatch(/does not answer within 3 seconds/);
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  const { port } = free.address() as { port: number };
  await new Promise((resolve) => free.close(resolve));
  expect(await refusalOf(changed(url, { port: String(port) }))).toMatch(/No Postgres server answers at 127/);
  expect(await refusalOf(changed(url, { password: 'wrong' }))).toMatch(/refuses the user or password/);
  expect(await refusalOf(changed(url, { pathname: '/nowhere' }))).toMatch(
    /no database of that name: .*nowhere/,
  );
  expect(await refusalOf(`${url}?sslmode=require`)).toMatch(/offers no encryption.*sslmode=disable/);
  expect(await refusalOf(changed(url, { hostname: 'nobody.invalid' }))).toMatch(/is not found/);
});

test('a server that starts while Postgres is away shows the page, saves nothing, and begins by itself when it comes', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  await postgres.stop();
  const folder = temporaryFolder();
  const env = { DATABASE_URL: `${postgres.url}/postgres` };
  const [server, stopped] = await Promise.all([
    startServer(folder, env),
    startServer(temporaryFolder(), env),
  ]);
  stopped.kill('SIGTERM');
  expect(await stopped.exited).toBe(0);
  expect(server.out()).toMatch(/NOT STORED YET/);
  expect((await fetch(server.url)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const [path, init] = call(MESSAGE, { apikey: DEFAULT_ANON_KEY });
  const refused = await fetch(server.url + path, init);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await refused.json()).toMatchObject({ error: expect.stringContaining('could not be saved') });

  await postgres.start();
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  await expect.poll(ready).toBe(200);
  expect(await submit(server.url, 'after')).toBe(200);
  await expect.poll(() => server.out()).toMatch(/"msg":"mail sent"/);
  expect(readdirSync(join(folder, 'mail'))).toHaveLength(1);
  const away = server
    .out()
    .split('\n')
    .filter((line) => /ECONNREFUSED.*cannot be used yet/.test(line));
  expect(away).toEqual([
    expect.stringContaining(
      'the database cannot be used yet; visitors are told that nothing was saved, and it is tried again',
    ),
  ]);
  expect(server.out()).not.toContain(new URL(postgres.url).password);
});

test('what comes after the start is looked at before a message is trusted to it', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const url = `${postgres.url}/postgres`;
  await runSql(url, 'alter system set synchronous_commit = off');
  await postgres.stop();
  const service = await openTestService({ DATABASE_URL: url });
  const status = async () => (await service.app.request(...call())).status;
  expect(await status()).toBe(503);
  await postgres.start();
  await expect.poll(() => service.lines.join('')).toMatch(/synchronous_commit is off/);
  expect(await status()).toBe(503);
  await runSql(url, 'alter system reset synchronous_commit');
  await runSql(url, 'select pg_reload_conf()');
  await service.database.pending;
  expect(await status()).toBe(200);
});

test('no wrong setting is taken for a Postgres that is away', async () => {
  const url = await newPostgresDatabase();
  const start = (DATABASE_URL: string) => openTestService({ DATABASE_URL }).then(() => 'started', String);
  expect(await start(changed(url, { password: 'wrong' }))).toMatch(/refuses the user or password/);
  expect(await start(changed(url, { pathname: '/nowhere' }))).toMatch(/no database of that name/);
  expect(await start(`${url}?sslmode=require`)).toMatch(/offers no encryption/);
  await runSql(url, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
  expect(await start(url)).toMatch(/synchronous_commit is off/);
});

test('a database that confirms what is not on its disk is refused', async () => {
  const url = await newPostgresDatabase();
  const name = new URL(url).pathname.slice(1);
  await runSql(url, `alter database ${name} set synchronous_commit = off`);
  expect(await refusalOf(url)).toMatch(/synchronous_commit is off.*lose messages/);
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

test('a connection that says nothing any more keeps no visitor waiting for over ten seconds', async () => {
  const url = await newPostgresDatabase();
  const proxy = await startTcpProxy([Number(new URL(url).port)]);
  const { app, lines } = await openTestService({ DATABASE_URL: changed(url, { port: String(proxy.port) }) });
  let visitors = 0;
  const submit = async (text: string) => {
    visitors += 1;
    const peer = { incoming: { socket: { remoteAddress: `203.0.113.${visitors}` } } };
    return (await app.request(...call({ ...MESSAGE, message: text }), peer)).status;
  };
  expect(await submit('before')).toBe(200);
  proxy.goSilent();
  // On this test's clock exactly ten seconds pass, however long the machine takes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const answers = Promise.all(Array.from({ length: 30 }, (_, index) => submit(`silence ${index}`)));
  for (let passed = 0; passed < 10_000; passed += 20) {
    await vi.advanceTimersByTimeAsync(20);
    await new Promise(setImmediate);
  }
  const statuses = await Promise.race([answers, ['none yet']]);
  vi.useRealTimers();
  expect(new Set<number | string>(statuses)).toEqual(new Set([503]));
  expect((await app.request('/readyz')).status).toBe(503);
  proxy.speak();
  expect(await submit('after')).toBe(200);
  expect(lines.join('')).not.toContain(new URL(url).password);
});

test('the connection is encrypted, and whoever answers is checked, as sslmode says', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const { key, cert } = await certificate({ trusted: false });
  const url = `${postgres.url}/postgres`;
  for (const [name, pem] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
    const lines = pem
      .trim()
      .split(/\r?\n/)
      .map((line) => `('${line}')`);
    // Written by the Postgres server, which must own the key and be the only one able to read it.
    await runSql(url, `copy (values ${lines.join(', ')}) to program 'umask 077; cat > ${name}'`);
  }
  await runSql(url, 'alter system set ssl = on');
  await postgres.stop();
  await postgres.start();
  const ca = join(temporaryFolder(), 'ca.pem');
  writeFileSync(ca, cert);
  const encrypted = async (mode: string) => {
    const database = await open(`${url}?sslmode=${mode}`);
    const { rows } = await database.pool.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0].ssl;
  };
  expect(await encrypted('disable')).toBe(false);
  expect(await encrypted('require')).toBe(true);
  expect(await encrypted(`verify-full&sslrootcert=${ca}`)).toBe(true);
  expect(await refusalOf(`${url}?sslmode=verify-full`)).toMatch(
    /certificate of .* cannot be trusted.*sslrootcert/,
  );
  // Not the name on the certificate.
  const other = changed(url, { hostname: 'localhost' });
  expect(await refusalOf(`${other}?sslmode=verify-full&sslrootcert=${ca}`)).toMatch(/cannot be trusted/);
  expect(await refusalOf(`${other}?sslmode=verify-ca&sslrootcert=${ca}`)).toBe('opened');
});

test('a restart of the database is survived, an orderly one and one as when the power fails', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const url = `${postgres.url}/postgres`;
  const { app, store: messages, outbox } = await openTestService({ DATABASE_URL: url });
  const submit = async (text: string) => (await app.request(...call({ ...MESSAGE, message: text }))).status;
  let stored = 0;
  for (const end of ['stop', 'kill'] as const) {
    expect(await submit(`before ${end}`)).toBe(200);
    await postgres[end]();
    expect(await submit(`during ${end}`)).toBe(503);
    await postgres.start();
    expect(await submit(`after ${end}`)).toBe(200);
    stored += 2;
    expect((await messages.counts()).waiting).toBe(stored);
  }
  expect(await outbox.runDue({ now: START })).toMatchObject({ sent: stored });
});

test('many messages at once share a few connections', async () => {
  const url = await newPostgresDatabase();
  const messages = await store(url);
  stopTime();
  const adding = Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      messages.add({ ...MESSAGE, message: `m ${index}` }, { now: START }),
    ),
  );
  const count = await runSql<{ count: number }>(
    url,
    'select count(*)::integer as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await adding;
  expect(count[0]?.count).toBeLessThanOrEqual(10);
  expect((await messages.counts()).waiting).toBe(300);
});

test('a process holds no more connections than DATABASE_CONNECTIONS says', async () => {
  const url = await newPostgresDatabase();
  const { database, app } = await openTestService({ DATABASE_URL: url, DATABASE_CONNECTIONS: '2' });
  stopTime();
  const adding = Promise.all(Array.from({ length: 40 }, (_, index) => submitOver(app, `m ${index}`)));
  const pool = (database as PostgresDatabase).pool;
  let most = 0;
  pool.on('acquire', () => {
    most = Math.max(most, pool.totalCount);
  });
  expect(new Set(await adding)).toEqual(new Set([200]));
  expect(most).toBe(2);
});

test('three servers and the desk get along on a plan of five connections', async () => {
  const { url } = await limitedDatabase(5);
  const servers: Awaited<ReturnType<typeof openTestService>>[] = [];
  for (let count = 0; count < 3; count += 1) servers.push(await openTestService({ DATABASE_URL: url }));
  stopTime();
  // All three keep working for as long as the desk does.
  const statuses: number[] = [];
  let deskIsDone = false;
  const senders = servers.flatMap(({ app }, server) =>
    Array.from({ length: 10 }, async (_, sender) => {
      for (let count = 0; !deskIsDone; count += 1)
        statuses.push(await submitOver(app, `${server} ${sender} ${count}`));
    }),
  );
  const folder = temporaryFolder();
  const runs = [];
  for (let run = 0; run < 3; run += 1)
    runs.push(await runDesk(folder, ['list', '--json'], { env: { DATABASE_URL: url } }));
  deskIsDone = true;
  await Promise.all(senders);
  expect(runs.map(({ code, err }) => ({ code, err }))).toEqual(Array(3).fill({ code: 0, err: '' }));
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(statuses.length).toBeGreaterThanOrEqual(30);
});

test.each([
  ['PgBouncer', '08P01', 'no more connections allowed (max_client_conn)'],
  ['PgBouncer', '08P01', 'client connections exceeded (max_db_client_connections)'],
  [
    'Supavisor',
    'XX000',
    'MaxClientsInSessionMode: max clients reached - in Session mode max clients are limited to pool_size',
  ],
  ['Supavisor', 'XX000', 'Max client connections reached'],
])(
  'a %s that takes no more connections (%s, %s) is as good as one that takes few',
  async (_, code, message) => {
    const url = await newPostgresDatabase();
    const pooler = await startTcpProxy([Number(new URL(url).port)], {
      most: 1,
      refusal: postgresError(code, message),
    });
    const { app } = await openTestService({
      DATABASE_URL: changed(url, { port: String(pooler.port) }),
    });
    stopTime();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => submitOver(app, `m ${index}`)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  },
);

test('a folder of mails and a log name the database, and never its password', async () => {
  const url = await newPostgresDatabase();
  const { database, lines } = await openTestService({ DATABASE_URL: url, MAIL_DIR: temporaryFolder() });
  expect(database.place).toMatch(/^Postgres at 127\.0\.0\.1:\d+\/test_/);
  expect(JSON.stringify([database.place, lines])).not.toContain(new URL(url).password);
});
