import { CompiledQuery } from 'kysely';
import type { Database } from './database.ts';
import { codeOf } from './store-error.ts';
import { COLUMN_TYPES, COLUMNS, type NewMessage } from './table.ts';

type Inserted = { id: string; duplicate: boolean };

type Values = NewMessage & { within: number };
/** How a statement refers to a value. */
type Naming = (name: keyof Values) => string;

/**
 * The same Idempotency-Key at any time, or the same content within a few minutes, before or after. After, because a
 * clock that ran ahead leaves rows in the future, and they mustn't swallow what's sent until then.
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

/** Inserts a message unless it's already there. One statement decides and inserts, so nothing can slip in between. */
export function insertOnce({ db, engine, write }: Database) {
  const insert = prepare(engine, insertSql);
  const twin = prepare(engine, twinSql);
  async function insertOrFind(row: NewMessage, within: number): Promise<Inserted> {
    const values = { ...row, within };
    // On Postgres, concurrent statements don't see each other's rows, so identical content waits for a lock of its own.
    // A row with the same key has the same content, so one lock covers both.
    const inserted = await write({ compile: () => insert(values) }, { lock: row.content_hash });
    const [found] = inserted.rows.length > 0 ? inserted.rows : (await db.executeQuery(twin(values))).rows;
    if (!found) throw new Error('A message was neither inserted nor found');
    return { id: found.id, duplicate: inserted.rows.length === 0 };
  }
  return async (row: NewMessage, within: number): Promise<Inserted> => {
    try {
      return await insertOrFind(row, within);
    } catch (error) {
      // Postgres has restarted since the pool last used this connection. If the message was stored after all, the
      // second try finds it.
      if (!isBroken(error)) throw error;
      return insertOrFind(row, within);
    }
  };
}

/** Compiled by hand, and once: rebuilding the statement took longer than running it. */
function prepare(engine: Database['engine'], sql: (named: Naming) => string) {
  const names: (keyof Values)[] = [];
  const text = sql((name) => {
    names.push(name);
    const place = engine === 'postgres' ? `$${names.length}` : '?';
    return `cast(${place} as ${name === 'within' ? 'bigint' : COLUMN_TYPES[name]})`;
  });
  return (values: Values): CompiledQuery<{ id: string }> =>
    CompiledQuery.raw(
      text,
      names.map((name) => values[name]),
    );
}

function isBroken(error: unknown): boolean {
  const wasCut = error instanceof Error && error.message === 'Connection terminated unexpectedly';
  return wasCut || /^(ECONNRESET|EPIPE|57P0[123])$/.test(codeOf(error));
}
