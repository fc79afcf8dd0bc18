import { type Compilable, Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, type PoolClient, types } from 'pg';
import { MINUTE } from '../../contract/time.ts';
import type { PostgresAddress } from '../../settings/server-url.ts';
import type { DatabaseOptions, PostgresDatabase, Written } from './database.ts';
import { migrate } from './migrate.ts';
import { codeOf, DatabaseAway, MaybeStored, StoreError } from './store-error.ts';
import type { Tables } from './table.ts';

/** For connecting, or for a free connection from the pool. */
const CONNECT_MS = 3_000;
/** Postgres cancels a statement slightly before we stop waiting for its answer. */
const STATEMENT_MS = 4_500;
const QUERY_MS = 5_000;
/** Instances that start together wait this long for the one that migrates. */
const MIGRATE_MS = 10 * MINUTE;
/** Any number that no other program locks. */
const MIGRATION_LOCK = 4_720_118_226_310_901;

/** Same guarantee as a SQLite file: a confirmed commit is on disk. Without migrating, nothing is asked until it's needed. */
export async function openPostgres(
  address: PostgresAddress,
  { migrate: shouldMigrate = true, ...options }: DatabaseOptions = {},
): Promise<PostgresDatabase> {
  const pool = openPool(address, options.connections);
  let isPrepared = !shouldMigrate;

  async function connect(): Promise<PoolClient> {
    try {
      if (!isPrepared) await bringUpToDate(pool, address);
      isPrepared = true;
      return await pool.connect();
    } catch (error) {
      throw error instanceof StoreError ? error : explain(error, address);
    }
  }

  async function close(): Promise<void> {
    if (!pool.ending) await pool.end();
  }

  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect, end: async () => undefined, options: {} } }),
  });
  const database: PostgresDatabase = {
    ...{ engine: 'postgres', db, now, pool, location: `Postgres at ${address.location}` },
    write: async (...changes: readonly Compilable[]) => writeAll(await connect(), changes),
    close,
    [Symbol.asyncDispose]: close,
  };
  if (!shouldMigrate) return database;
  try {
    (await connect()).release();
  } catch (error) {
    if (!options.onAway || !(error instanceof DatabaseAway)) {
      await close();
      throw error;
    }
    options.onAway(error);
  }
  return database;
}

/** Unlike Postgres's `now()`, the time once a lock is held; still the same for all rows, so that an index can be used. */
const now: PostgresDatabase['now'] = (ms) =>
  sql`(extract(epoch from statement_timestamp()) * 1000)::bigint + ${ms}`;

/** Within the transaction, since a pooler may give each another session. Unlike `off`, the other modes wait for the disk. */
const BEGIN = `begin isolation level read committed;
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`;

/** Sends everything in one round trip. */
async function writeAll<Row>(client: PoolClient, changes: readonly Compilable[]): Promise<Written<Row>> {
  const statements = changes.map((change) => change.compile());
  let failed = true;
  try {
    const results = await Promise.all([
      client.query(BEGIN),
      ...statements.map(({ sql: text, parameters }) => client.query(text, [...parameters])),
      client.query('commit'),
    ]);
    failed = false;
    const last = results.at(-2);
    return { rows: last?.rows as Row[], changes: last?.rowCount ?? 0 };
  } catch (error) {
    // If Postgres itself gives a reason, it has done nothing.
    if (error instanceof Error && 'severity' in error) throw error;
    throw new MaybeStored('The connection ended before the answer', { cause: error });
  } finally {
    // Closing the connection rolls back its transaction.
    client.release(failed);
  }
}

function openPool({ location: _, ...address }: PostgresAddress, connections: number | undefined): Pool {
  const pool = new Pool({
    ...address,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    // Sends a transaction's queries together. Also, a query that times out closes its connection, rather than returning it
    // to the pool with an answer still to come.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // So that the name is resolved again within an hour of a failover.
    maxLifetimeSeconds: 3_600,
    application_name: 'contact-form',
    types: { getTypeParser },
    // As statements: connection poolers refuse clients that set these at startup.
    onConnect: async (client) => {
      await client.query(
        `set statement_timeout = ${STATEMENT_MS}; set idle_in_transaction_session_timeout = ${2 * QUERY_MS}`,
      );
    },
  });
  // Whoever uses a broken connection gets the error anyway. Without these listeners, the driver would crash the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** `bigint` arrives as text because it may not fit in a number; times and counts always do. */
const getTypeParser: typeof types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === types.builtins.INT8 ? Number : types.getTypeParser(id, format as 'text');

async function bringUpToDate(pool: Pool, { location }: PostgresAddress): Promise<void> {
  const client = await pool.connect();
  // `query_timeout` also works for a single query, though the types don't say so.
  const run = (text: string) => client.query({ text, query_timeout: MIGRATE_MS } as { text: string });
  try {
    await run(`begin isolation level read committed; set local statement_timeout = ${MIGRATE_MS}`);
    await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const ask = async (text: string) => (await client.query<{ name: string }>(text)).rows;
    await migrate({ engine: 'postgres', location: `at ${location}`, ask }, run);
    await run('commit');
  } finally {
    // When the connection ends, so do a half-done migration and its lock.
    client.release(true);
  }
}

/** Temporary faults: the network, its names, starts and stops, connections and room. */
const AWAY =
  /^(ENOTFOUND|EAI_AGAIN|ECONN\w+|E(HOST|NET)UNREACH|ENOENT|EPIPE|ETIMEDOUT|57P0[123]|53...|08...)$/;

/** The faults that people meet, in words. The driver's and Postgres's own words may repeat the password or a user name. */
function explain(cause: unknown, { location, ssl }: PostgresAddress): StoreError {
  const code = codeOf(cause);
  const message = String(cause);
  const said = code && ` (${code})`;
  const server = `The Postgres server at ${location}`;
  if (AWAY.test(code) || /time(d )?out|Connection terminated/i.test(message)) {
    const full = code.startsWith('53') && 'has no connection or space left';
    // What connection poolers say, whatever the reason
    const fault = full || (code === '08P01' ? 'refuses all logins' : 'does not answer');
    return new DatabaseAway(`${server} ${fault}${said}.`, { cause });
  }
  let words = `The Postgres database at ${location} cannot be used${said}.`;
  if (/^28/.test(code) || /password/i.test(message))
    words = `${server} refuses the user or password (${code || 'no password'}).`;
  else if (code === '3D000') words = `The Postgres server has no database of that name: ${location}.`;
  // Supabase's pooler
  else if (/tenant/i.test(message)) words = `${server} has no such project, or it’s paused${said}.`;
  else if (/does not support SSL/i.test(message))
    words = `${server} offers no encryption. If the network is your own, add ?sslmode=disable.`;
  else if (ssl && /CERT|VERIFY|SSL|TLS/.test(code))
    words = `The certificate of the Postgres server at ${location} cannot be trusted${said}. Use the name that it’s for, and name its authority with sslrootcert=FILE.`;
  else if (code === '42501')
    words = `The user isn’t allowed to create tables at ${location}${said}: grant create on schema public.`;
  return new StoreError(`${words} Check DATABASE_URL.`, { cause });
}
