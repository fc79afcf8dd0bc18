import { CompiledQuery } from 'kysely';
import type { Database } from './database.ts';
import { codeOf } from './store-error.ts';
import { COLUMN_TYPES, COLUMNS, type NewMessage } from './table.ts';

type Inserted = { id: string; duplicate: boolean };

type Values = NewMessage & { within: number };
/** How a statement takes a value. */
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

/** Inserts a message unless it's there already. One statement decides and inserts, so that nothing fits between. */
export function insertOnce({ db, engine, write }: Database) {
  const insert = prepare(engine, insertSql);
  const twin = prepare(engine, twinSql);
  async function insertOrFind(row: NewMessage, within: number): Promise<Inserted> {
    const values = { ...row, within };
    // On Postgres two statements that run at the same time don't see each other's rows, so the same content waits for a
    // lock of its own. The key's row has the same content, so one lock serves both.
    const inserted = await write({ compile: () => insert(values) }, { lock: row.content_hash });
    const [found] = inserted.rows.length > 0 ? inserted.rows : (await db.executeQuery(twin(values))).rows;
    if (!found) throw new Error('A message was neither inserted nor found');
    return { id: found.id, duplicate: inserted.rows.length === 0 };
  }
  return async (row: NewMessage, within: number): Promise<Inserted> => {
    try {
      return await insertOrFind(row, within);
    } catch (error) {
      // Postgres was restarted since the pool last used this connection. Should the message be stored already, the
      // second try finds it.
      if (!isBroken(error)) throw error;
      return insertOrFind(row, within);
    }
  };
}

/** By hand and once, because building the statement anew took longer than running it. */
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
