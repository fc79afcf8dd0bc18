import { CompiledQuery } from 'kysely';
import type { Database } from './database.ts';
import { release } from './states.ts';
import { codeOf } from './store-error.ts';
import { COLUMN_TYPES, COLUMNS, type MessageTable, type NewMessage } from './table.ts';

/** A duplicate changed nothing: there's nothing more to mail. */
type Inserted = { id: string; duplicate: boolean };

/** More than once only if the owner judges or erases the earlier message at that moment. */
const MOST_TRIES = 5;

type Values = NewMessage & { within: number };
/** How a statement refers to a value. */
type Naming = (name: keyof Values) => string;

/**
 * The same Idempotency-Key at any time, or the same content within a few minutes, before or after. After, because a
 * clock that ran ahead leaves rows in the future, and they mustn't swallow what's sent until then.
 */
const twinsSql = (named: Naming): string => `select id, state from contact_message
  where (idempotency_key = ${named('idempotency_key')}
    or (content_hash = ${named('content_hash')}
      and received_at > ${named('received_at')} - ${named('within')}
      and received_at < ${named('received_at')} + ${named('within')}))
    -- What a person sends must not vanish into what the owner called spam, which will not be mailed.
    and (${named('state')} = 'spam' or state <> 'spam' or held_for is not null)`;

/** Whoever asks finds the same one, and one that's held only if there's no other. */
const twinSql = (named: Naming): string =>
  `${twinsSql(named)} order by state = 'spam', received_at, id limit 1`;

/** Where the key's row is no twin, it keeps the key: a column that is unique. */
const valueSql = (named: Naming) => (name: keyof NewMessage) =>
  name === 'idempotency_key'
    ? `case when not exists (select id from contact_message where idempotency_key = ${named(name)}) then ${named(name)} end`
    : named(name);

const insertSql = (named: Naming): string =>
  `insert into contact_message (${COLUMNS.join(', ')})
    select ${COLUMNS.map(valueSql(named)).join(', ')} where not exists (${twinsSql(named)})
    returning id, state`;

/**
 * Inserts a message unless it's already there; if the one that's there is held and this one isn't, a person sent it
 * again, and it's released. One statement decides and inserts, so nothing can slip in between.
 */
export function insertOnce(database: Database) {
  const { db, engine, write } = database;
  const insert = prepare(engine, insertSql);
  const findTwin = prepare(engine, twinSql);
  async function insertOrFind(row: NewMessage, within: number): Promise<Inserted> {
    const values = { ...row, within };
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      // On Postgres, concurrent statements don't see each other's rows, so identical content waits for a lock of its
      // own. A row with the same key has the same content, so one lock covers both.
      const inserted = await write({ compile: () => insert(values) }, { lock: row.content_hash });
      const [own] = inserted.rows;
      if (own) return { id: own.id, duplicate: false };
      const [twin] = (await db.executeQuery(findTwin(values))).rows;
      if (!twin) continue;
      if (row.state === 'spam' || twin.state !== 'spam') return { id: twin.id, duplicate: true };
      if (await release(database, twin.id, row.received_at)) return { id: twin.id, duplicate: false };
    }
    throw new Error('A message was neither inserted nor found');
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
  return (values: Values): CompiledQuery<Pick<MessageTable, 'id' | 'state'>> =>
    CompiledQuery.raw(
      text,
      names.map((name) => values[name]),
    );
}

function isBroken(error: unknown): boolean {
  const wasCut = error instanceof Error && error.message === 'Connection terminated unexpectedly';
  return wasCut || /^(ECONNRESET|EPIPE|57P0[123])$/.test(codeOf(error));
}
