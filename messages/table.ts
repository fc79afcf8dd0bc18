import type Sqlite from 'better-sqlite3';
import type { Generated, Insertable } from 'kysely';
import type { ContactMessage } from '../contract/contact.ts';
import type { Database, PostgresDatabase, SqliteDatabase } from './database.ts';

export type MessageTable = ContactMessage & {
  id: string;
  received_at: number;
  state: 'waiting' | 'sent' | 'set_aside' | 'spam';
  /** Counted when a message is taken, not when it has failed, so that a crash counts as well. */
  attempts: Generated<number>;
  /** While a message is being sent, the end of its lease. */
  next_attempt_at: number;
  failures: Generated<number>;
  first_failure_at: number | null;
  /** A label such as `retry smtp-451`, never the words of a mail server. None while it is being sent. */
  last_error: string | null;
  sent_at: number | null;
  message_id: string;
  content_hash: string;
  idempotency_key: string | null;
  /** How many messages its client had sent within the hour before; whoever sent none is mailed first. */
  sent_before: Generated<number>;
};

type NewMessage = Insertable<MessageTable>;
export type Inserted = { id: string; duplicate: boolean };

/** All of them, in the order of the table. */
export const COLUMNS = [
  'id',
  'received_at',
  'name',
  'email',
  'message',
  'state',
  'attempts',
  'next_attempt_at',
  'failures',
  'first_failure_at',
  'last_error',
  'sent_at',
  'message_id',
  'content_hash',
  'idempotency_key',
  'sent_before',
] as const satisfies (keyof NewMessage)[];

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
function insertOnceInSqlite({ statement, share }: SqliteDatabase): InsertOnce {
  const insertText = insertSql((name) => `@${name}`);
  const twinText = twinSql((name) => `@${name}`);
  const insert = () => statement<[Values], { id: string }>(insertText);
  const twin = () => statement<[Values], { id: string }>(twinText);
  return ({ row, within }) => {
    const parameters = { ...row, within };
    return share(() => result(insert().get(parameters), () => twin().get(parameters)));
  };
}

const TYPES: Partial<Record<keyof Values, string>> = {
  received_at: 'bigint',
  attempts: 'integer',
  next_attempt_at: 'bigint',
  failures: 'integer',
  first_failure_at: 'bigint',
  sent_at: 'bigint',
  sent_before: 'integer',
  within: 'bigint',
};

/** The names that a statement uses, in the order of their first use, become `$1`, `$2`, … */
function numbered(sql: (named: Naming) => string) {
  const names: (keyof Values)[] = [];
  const text = sql((name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}::${TYPES[name] ?? 'text'}`;
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

const UNDELIVERED = "from contact_message where state <> 'sent'";

export function countUndelivered(sqlite: Sqlite.Database): number {
  return sqlite.prepare<[], number>(`select count(*) ${UNDELIVERED}`).pluck().get() ?? 0;
}

/** Adds what nobody has been mailed yet and the other file lacks. Returns how many those are. */
export function copyUndelivered(from: Sqlite.Database, to: Sqlite.Database): number {
  const insert = to.prepare<[MessageTable]>(
    `insert or ignore into contact_message (${COLUMNS.join(', ')}) values (${COLUMNS.map((name) => `@${name}`).join(', ')})`,
  );
  const copy = to.transaction(() => {
    let copied = 0;
    const rows = from.prepare<[], MessageTable>(`select ${COLUMNS.join(', ')} ${UNDELIVERED}`);
    for (const row of rows.iterate()) copied += insert.run(row).changes;
    return copied;
  });
  return copy.immediate();
}
