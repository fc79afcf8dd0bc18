import dns from 'node:dns';
import type { ClientBase } from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { runSql } from '../../tests/support/database/postgres-server.ts';
import {
  changed,
  newPostgresDatabase,
  postgresError,
  refusing,
} from '../../tests/support/database/test-postgres.ts';
import { startTcpProxy } from '../../tests/support/network/tcp-proxy.ts';
import { untilEnd } from '../../tests/support/network/until-end.ts';
import { stopClocks } from '../../tests/support/service/open-test-service.ts';
import type { DatabaseOptions } from './database.ts';
import { openPostgres } from './postgres.ts';
import { DatabaseAway, StoreError } from './store-error.ts';

const open = (...how: Parameters<typeof openPostgres>) => untilEnd(openPostgres(...how));

const portOf = (url: string) => Number(new URL(url).port);

/** A database in which nothing is kept. */
const server = () => `${inject('postgres')}/postgres`;

const idOf = async (client: ClientBase): Promise<number> =>
  (await client.query('select pg_backend_pid() as id')).rows[0].id;

/** Returns once Postgres has no such connection any more. */
const end = (id: number) => runSql(server(), `select pg_terminate_backend(${id}, 5000)`);

test('a commit is on the disk before it is confirmed, whatever the server does by itself', async () => {
  const url = await newPostgresDatabase();
  await runSql(url, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
  const { pool } = await open(url);
  expect((await pool.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }]);
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
  const proxy = await startTcpProxy(portOf(server()));
  const behind = changed(server(), { port: String(proxy.port) });
  const { pool } = await open(behind, { migrate: false, connections: 1 });
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

/** `away`, if the same settings may do later, and what the owner reads. */
async function refusalOf(url: string, options: DatabaseOptions = {}): Promise<string> {
  const error: unknown = await open(url, options).catch((error: unknown) => error);
  if (!(error instanceof StoreError)) throw new Error('It is no error for the owner', { cause: error });
  expect(error.message).not.toContain(new URL(inject('postgres')).password);
  return `${error instanceof DatabaseAway ? 'away' : 'wrong'}: ${error.message}`;
}

test.each([
  ['57P03', 'the database system is starting up', 'away: .* does not answer .57P03'],
  ['53300', 'sorry, too many clients already', 'away: .* has no connection or space left .53300'],
  ['08P01', 'server login has been failing', 'away: .* does not answer .08P01'],
  ['28P01', 'no', 'wrong: .* refuses the user or password .28P01.. Check DATABASE_URL.'],
  ['3D000', 'no', 'wrong: The Postgres server has no database of that name: 127.0.0.1:'],
  ['42501', 'no', 'wrong: .*may not make tables .*: grant create on schema public. Check DATABASE_URL.'],
  ['XX000', 'no', 'wrong: .* cannot be used .XX000.. Check DATABASE_URL.'],
])('a login that is refused with %s, %s, is said in words', async (code, text, words) => {
  const refusal = await refusalOf(await refusing(postgresError(code, text)));
  expect(refusal).toMatch(new RegExp(`^${words}`));
});

test.each([
  ['ENOTFOUND', 'away: .*db.test:5432/contact does not answer'],
  ['ECONNREFUSED', 'away: .*db.test:5432/contact does not answer .ECONNREFUSED'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'wrong: The certificate .* cannot be trusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong: The certificate .*Use the name that it’s for'],
])('what this machine says of the way to Postgres, as %s, is said in words', async (code, words) => {
  const fault = Object.assign(new Error('no'), { code });
  vi.spyOn(dns, 'lookup').mockImplementation(((_: string, __: object, done: (error: Error) => void) =>
    done(fault)) as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const url = 'postgres://postgres@db.test/contact?sslmode=verify-full';
  expect(await refusalOf(url)).toMatch(new RegExp(`^${words}`));
});

test('what has no code is said in words too, and a wrong setting is no reason to wait', async () => {
  const onAway = vi.fn();
  expect(await refusalOf(await refusing(''))).toMatch(/^away: .* does not answer\.$/);
  const plain = await refusalOf(`${server()}?sslmode=require`, { onAway });
  expect(plain).toMatch(/^wrong: .*offers no encryption.*sslmode=disable/);
  expect(onAway).not.toHaveBeenCalled();
});
