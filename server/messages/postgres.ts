import { setTimeout as wait } from 'node:timers/promises';
import { type Compilable, Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, type PoolClient, types } from 'pg';
import { USUAL_REPLY_HOURS } from '../../contract/promise.ts';
import { MINUTE } from '../../contract/time.ts';
import { type PostgresAddress, parsePostgresUrl } from '../../settings/postgres-url.ts';
import type { DatabaseOptions, Now, PostgresDatabase, Written } from './database.ts';
import { migrate } from './migrate.ts';
import { codeOf, DatabaseAway, StoreError } from './store-error.ts';
import type { Tables } from './table.ts';

/** For connecting, or for getting a free connection from the pool. */
const CONNECT_MS = 3_000;
/** Postgres cancels a statement slightly before we stop waiting for its answer. */
const STATEMENT_MS = 4_500;
const QUERY_MS = 5_000;
/** How long to wait before retrying a server that was down at startup. */
const AWAY_PAUSE_MS = 1_000;
/** Instances that start together wait this long for the one that migrates. */
const MIGRATE_MS = 10 * MINUTE;
/** Any number no other program uses as a lock. */
const MIGRATION_LOCK = 4_720_118_226_310_901;

type Options = DatabaseOptions & {
  /** False: the tables already exist, and nothing is queried until it's needed. */
  migrate?: boolean;
  /** True: checks the server at once, even without migrating. */
  check?: boolean;
};

/** Same guarantee as a SQLite file: a confirmed commit is on disk. */
export async function openPostgres(
  url: string,
  {
    migrate: shouldMigrate = true,
    check = shouldMigrate,
    onAway,
    connections,
    replyHours = () => USUAL_REPLY_HOURS,
  }: Options = {},
): Promise<PostgresDatabase> {
  const parsed = parsePostgresUrl(url);
  if (typeof parsed === 'string') throw new StoreError(`DATABASE_URL ${parsed}.`);
  const address = parsed;
  const pool = openPool(address, connections);
  const closed = new AbortController();
  /** While it's set, nobody gets a connection. */
  let away: StoreError | undefined;

  async function connect(): Promise<PoolClient> {
    if (away) throw away;
    return pool.connect();
  }

  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { connect, end: async () => undefined, options: {} },
    }),
  });
  const database: PostgresDatabase = {
    engine: 'postgres',
    db,
    now,
    pool,
    location: `Postgres at ${address.location}`,
    write: async (...changes: readonly Compilable[]) => writeAll(await connect(), changes),
    replyHours,
    async close() {
      closed.abort();
      await db.destroy();
      if (!pool.ending) await pool.end();
    },
  };

  /** Returns why it can't be used. */
  async function prepare(): Promise<StoreError | undefined> {
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      if (check) await checkServer(client, address);
      if (shouldMigrate) await bringUpToDate(client, address);
      return undefined;
    } catch (error) {
      return error instanceof StoreError ? error : explain(error, address);
    } finally {
      // With the connection, Postgres ends a half-done migration and its lock.
      client?.release(true);
    }
  }

  async function keepTrying(reported: StoreError, tell: (fault: StoreError) => void): Promise<void> {
    for (let fault: StoreError | undefined = reported; fault; ) {
      await wait(AWAY_PAUSE_MS, undefined, { signal: closed.signal });
      fault = await prepare();
      closed.signal.throwIfAborted();
      if (fault && fault.message !== reported.message) tell(fault);
      reported = fault ?? reported;
    }
    away = undefined;
    database.pending = undefined;
  }

  const fault = check || shouldMigrate ? await prepare() : undefined;
  if (!fault) return database;
  if (onAway && fault instanceof DatabaseAway) {
    onAway(fault);
    away = fault;
    database.pending = keepTrying(fault, onAway);
  } else {
    await database.close();
    throw fault;
  }
  return database;
}

/**
 * Unlike Postgres's `now()`, it's the time once a lock is held. It's also the same for all rows; without that, Postgres
 * wouldn't use an index to find them.
 */
const now: Now = (ms) => sql`(extract(epoch from statement_timestamp()) * 1000)::bigint + ${ms}`;

/** Sends everything in one round trip. */
async function writeAll<Row>(client: PoolClient, changes: readonly Compilable[]): Promise<Written<Row>> {
  const statements = changes.map((change) => change.compile());
  let failed = true;
  try {
    const results = await Promise.all([
      client.query('begin'),
      ...statements.map(({ sql: text, parameters }) => client.query(text, [...parameters])),
      client.query('commit'),
    ]);
    failed = false;
    const last = results.at(-2);
    return { rows: last?.rows as Row[], changes: last?.rowCount ?? 0 };
  } finally {
    // Closing the connection rolls back its transaction.
    client.release(failed);
  }
}

function openPool(
  { ssl, host, port, user, password, database }: PostgresAddress,
  connections: number | undefined,
): Pool {
  const pool = new Pool({
    host,
    port,
    user,
    password,
    database,
    ssl,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    // Sends a transaction's queries together. It also means a query that times out closes its connection, which would
    // otherwise return to the pool with an answer still to come.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // So the name is resolved again within an hour of a failover.
    maxLifetimeSeconds: 3_600,
    application_name: 'contact-form',
    types: { getTypeParser },
    // As statements: poolers of connections refuse those that set these at startup.
    onConnect: async (client) => {
      await client.query(
        `set statement_timeout = ${STATEMENT_MS}; set idle_in_transaction_session_timeout = ${2 * QUERY_MS}`,
      );
    },
  });
  // Whoever uses a broken connection gets the error, and the next query replaces it. Without these two listeners, the
  // driver would crash the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** `bigint` arrives as text because it may not fit in a number; times and counts always do. */
const getTypeParser: typeof types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === types.builtins.INT8 ? Number : types.getTypeParser(id, format as 'text');

async function checkServer(client: PoolClient, { location }: PostgresAddress): Promise<void> {
  const { rows } = await client.query<{ fsync: string; commit: string; replica: boolean }>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      pg_is_in_recovery() as replica`,
  );
  const [server] = rows;
  if (server?.replica) {
    throw new StoreError(
      `The Postgres database at ${location} is a replica, which takes no writes. Name the primary in DATABASE_URL.`,
    );
  }
  if (server?.fsync === 'off' || server?.commit === 'off') {
    throw new StoreError(
      `The Postgres database at ${location} confirms messages before they are on its disk (${server.fsync === 'off' ? 'fsync' : 'synchronous_commit'} is off), ` +
        'so that a crash would lose messages whose senders were told that they arrived. Switch it on.',
    );
  }
}

async function bringUpToDate(client: PoolClient, { location }: PostgresAddress): Promise<void> {
  // `query_timeout` also works for a single query, though the types don't say so.
  const run = (text: string) => client.query({ text, query_timeout: MIGRATE_MS } as { text: string });
  await run(`begin; set local statement_timeout = ${MIGRATE_MS}`);
  await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  await migrate({
    engine: 'postgres',
    location: `at ${location}`,
    ask: async (text) => (await client.query<{ name: string }>(text)).rows,
    run,
  });
  await run('commit');
}

/** What comes and goes: the network, names in it, starts and stops, connections and room. */
const AWAY =
  /^(ENOTFOUND|EAI_AGAIN|ECONN\w+|E(HOST|NET)UNREACH|ENOENT|EPIPE|ETIMEDOUT|57P0[123]|53...|08...)$/;

/**
 * The faults that people meet, in words, and the code of any other. Leaves out the driver's and Postgres's own words, which
 * may repeat the password or a user name.
 */
function explain(error: unknown, { location, ssl }: PostgresAddress): StoreError {
  const code = codeOf(error);
  const message = String(error);
  const said = code && ` (${code})`;
  if (AWAY.test(code) || /time(d )?out|Connection terminated/i.test(message)) {
    const full = code.startsWith('53') ? 'has no connection or space left' : 'does not answer';
    return new DatabaseAway(`The Postgres server at ${location} ${full}${said}.`, { cause: error });
  }
  const wrong = (sentence: string) => new StoreError(`${sentence} Check DATABASE_URL.`, { cause: error });
  const server = `The Postgres server at ${location}`;
  if (/^28/.test(code) || /password/i.test(message))
    return wrong(`${server} refuses the user or password (${code || 'no password'}).`);
  if (code === '3D000') return wrong(`The Postgres server has no database of that name: ${location}.`);
  if (/does not support SSL/i.test(message))
    return wrong(`${server} offers no encryption. If the network is your own, add ?sslmode=disable.`);
  if (ssl && /CERT|VERIFY|SSL|TLS/.test(code)) {
    return wrong(
      `The certificate of the Postgres server at ${location} cannot be trusted${said}. Use the name that it’s for, and name its authority with sslrootcert=FILE.`,
    );
  }
  if (code === '42501')
    return wrong(`The user may not make tables at ${location}${said}: grant create on schema public.`);
  return wrong(`The Postgres database at ${location} cannot be used${said}.`);
}
