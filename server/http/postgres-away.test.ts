import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_ANON_KEY } from '../../contract/contact-message.ts';
import { runSql, startPostgres } from '../../tests/support/database/postgres-server.ts';
import {
  changed,
  limitedDatabase,
  newPostgresDatabase,
  stopTime,
} from '../../tests/support/database/test-postgres.ts';
import { runDesk } from '../../tests/support/desk/desk-process.ts';
import { certificate } from '../../tests/support/network/certificates.ts';
import { freePort } from '../../tests/support/network/free-port.ts';
import { startTcpProxy } from '../../tests/support/network/tcp-proxy.ts';
import {
  call,
  MESSAGE,
  openTestService,
  START,
  temporaryFolder,
} from '../../tests/support/service/open-test-service.ts';
import { startServer, submit } from '../../tests/support/service/server-process.ts';
import type { PostgresDatabase } from '../messages/database.ts';
import { openPostgres } from '../messages/postgres/postgres.ts';
import { smallChange } from '../messages/table.ts';
import type { AppEnv } from './app.ts';

const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);
/** The address of a pooler in transaction mode before that database, with four connections to it. */
async function throughPgbouncer(url: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = join(temporaryFolder(), 'pgbouncer');
  mkdirSync(folder);
  writeFileSync(join(folder, 'users'), `"${username}" "${password}"`);
  const listenPort = await freePort();
  const isRoot = process.getuid?.() === 0;
  writeFileSync(
    join(folder, 'ini'),
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password} pool_size=4
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users')}
pool_mode = transaction
${isRoot ? 'user = nobody' : ''}`,
  );
  // As root, it runs as somebody else.
  for (const path of [join(folder, '..'), folder]) chmodSync(path, 0o755);
  const child = spawn(PROGRAM ?? '', [join(folder, 'ini')], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const accepts = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(listenPort, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
    });
  await expect.poll(accepts).toBe(true);
  return changed(url, { port: String(listenPort) });
}

/** Each from its own visitor. */
let visitors = 0;
async function submitOver(app: Hono<AppEnv>, message: string): Promise<number> {
  visitors += 1;
  const remoteAddress = `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;
  const peer = { incoming: { socket: { remoteAddress } } };
  return (await app.request(...call({ ...MESSAGE, message }), peer)).status;
}

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
      'the database cannot be used yet; visitors read that nothing was saved, and it is tried again',
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
  const encrypted = async (mode: string, address = url) => {
    const database = await openPostgres(`${address}?sslmode=${mode}`);
    onTestFinished(() => database.close());
    const { rows } = await database.pool.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0].ssl;
  };
  const untrusted = /certificate of .* cannot be trusted.*sslrootcert/;
  expect(await encrypted('disable')).toBe(false);
  expect(await encrypted('require')).toBe(true);
  expect(await encrypted(`verify-full&sslrootcert=${ca}`)).toBe(true);
  await expect(encrypted('verify-full')).rejects.toThrow(untrusted);
  // Not the name on the certificate.
  const other = changed(url, { hostname: 'localhost' });
  await expect(encrypted(`verify-full&sslrootcert=${ca}`, other)).rejects.toThrow(/another name/);
  expect(await encrypted(`verify-ca&sslrootcert=${ca}`, other)).toBe(true);
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

test('servers and the desk that share out a plan’s connections get along', async () => {
  const url = await limitedDatabase(5);
  const env = { DATABASE_URL: url, DATABASE_CONNECTIONS: '2' };
  const servers = [await openTestService(env), await openTestService(env)];
  stopTime();
  // Both keep working for as long as the desk does.
  const statuses: number[] = [];
  let deskIsDone = false;
  const senders = servers.flatMap(({ app }, server) =>
    Array.from({ length: 10 }, async (_, sender) => {
      for (let count = 0; !deskIsDone; count += 1)
        statuses.push(await submitOver(app, `${server} ${sender} ${count}`));
    }),
  );
  const desk = await runDesk(temporaryFolder(), ['list', '--json'], { env: { DATABASE_URL: url } });
  deskIsDone = true;
  await Promise.all(senders);
  expect({ code: desk.code, err: desk.err }).toEqual({ code: 0, err: '' });
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test.skipIf(!PROGRAM)('every path of a message works through PgBouncer in transaction mode', async () => {
  const url = await throughPgbouncer(await newPostgresDatabase());
  const { app, outbox, database } = await openTestService({ DATABASE_URL: url, DATABASE_CONNECTIONS: '5' });
  const other = await openTestService({ DATABASE_URL: url });
  stopTime();
  const both = [app, other.app];
  const statuses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => submitOver(both[index % 2] ?? app, `m ${index}`)),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  const locked = database.write(smallChange(database.db, START), { lock: 'one' });
  expect(await locked).toMatchObject({ changes: 1 });
  expect(await outbox.runDue({ now: START })).toMatchObject({ sent: 20 });
  expect((await app.request('/readyz')).status).toBe(200);
});
