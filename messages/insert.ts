import type { Database, PostgresDatabase, SqliteDatabase } from './database.ts';
import { COLUMN_TYPES, COLUMNS, type NewMessage } from './table.ts';

type Inserted = { id: string; duplicate: boolean };

type Values = NewMessage & { within: number };
/** How a statement names a parameter: `@id` on SQLite, `$1` on Postgres. */
type Naming = (name: keyof Values) => string;

/**
 * The same Idempotency-Key whenever, or the same content within a few minutes. Both ways: a clock that was ahead and
 * has been corrected leaves rows in the future, which must not swallow what is sent until then.
 */
const twinSql = (named: Naming): string => `select id from contact_message
  where idempotency_key = ${named('idempotency_key')}
    or (content_hash = ${named('content_hash')}
      and received_at > ${named('received_at')} - ${named('within')}
      and received_at < ${named('received_at')} + ${named('within')}
      -- A real message must not vanish into an earlier one that will not be mailed.
      and (${named('state')} = 'spam' or state <> 'spam'))
  limit 1`;

const insertSql = (named: Naming): string =>
  `insert into contact_message (${COLUMNS.join(', ')})
    select ${COLUMNS.map(named).join(', ')} where not exists (${twinSql(named)})
    returning id`;

/** Inserts a message unless it is there already, as one step between which nothing fits. */
export type InsertOnce = (message: { row: NewMessage; within: number }) => Promise<Inserted>;

export function insertOnce(database: Database): InsertOnce {
  return database.engine === 'sqlite' ? insertOnceInSqlite(database) : insertOnceInPostgres(database);
}

/**
 * Prepared once and by hand, because building the statement anew took longer than running it. One
 * statement decides and inserts: neither a second request nor a second process fits between.
 */
function insertOnceInSqlite({ statement, groupCommit }: SqliteDatabase): InsertOnce {
  const insertText = insertSql((name) => `@${name}`);
  const twinText = twinSql((name) => `@${name}`);
  const insert = () => statement<[Values], { id: string }>(insertText);
  const twin = () => statement<[Values], { id: string }>(twinText);
  return ({ row, within }) => {
    const parameters = { ...row, within };
    return groupCommit(() => result(insert().get(parameters), () => twin().get(parameters)));
  };
}

/** The names that a statement uses, in the order of their first use, become `$1`, `$2`, … */
function numbered(sql: (named: Naming) => string) {
  const names: (keyof Values)[] = [];
  const text = sql((name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}::${name === 'within' ? 'bigint' : COLUMN_TYPES[name]}`;
  });
  return (parameters: Values) => ({ text, values: names.map((name) => parameters[name]) });
}

/**
 * Two statements that run at the same time don't see each other's rows, so the same content waits for a
 * lock of its own until the one before it is committed. The key's row has the same content, so one lock serves both.
 */
function insertOnceInPostgres({ pool, runAlone }: PostgresDatabase): InsertOnce {
  const insert = numbered(insertSql);
  const twin = numbered(twinSql);
  async function insertOrFind({ row, within }: Parameters<InsertOnce>[0]): Promise<Inserted> {
    const parameters = { ...row, within };
    const { rows } = await runAlone<{ id: string }>(row.content_hash, insert(parameters));
    const { text, values } = twin(parameters);
    const found = rows[0] ? undefined : await pool.query<{ id: string }>(text, values);
    return result(rows[0], () => found?.rows[0]);
  }
  return async (message) => {
    try {
      return await insertOrFind(message);
    } catch (error) {
      // The database was restarted since the pool last used this connection. Should the message be stored
      // already, the second try finds it.
      if (!isBroken(error)) throw error;
      return insertOrFind(message);
    }
  };
}

function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(ECONNRESET|EPIPE|57P0[123])$/.test(code) || error.message === 'Connection terminated unexpectedly'
  );
}

function result(inserted: { id: string } | undefined, twin: () => { id: string } | undefined): Inserted {
  if (inserted) return { id: inserted.id, duplicate: false };
  const first = twin();
  if (!first) throw new Error('A message was neither inserted nor found');
  return { id: first.id, duplicate: true };
}
