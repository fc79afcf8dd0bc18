import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { nowOf } from './claims.ts';
import type { Database } from './database.ts';
import { release } from './owner.ts';
import { codeOf } from './store-error.ts';
import { COLUMN_TYPES, COLUMNS, type MessageTable, type NewMessage } from './table.ts';

/** A duplicate changed nothing: there's nothing more to mail. */
type Inserted = { id: string; duplicate: boolean };

type Twin = Pick<MessageTable, 'id' | 'state'>;

/** More than once only if the owner judges or erases the earlier message at that moment. */
const MOST_TRIES = 5;

/** A column's value, with the column's type, which Postgres can't tell by itself here. */
function typed(row: NewMessage, name: keyof NewMessage): RawBuilder<unknown> {
  return sql`cast(${row[name]} as ${sql.raw(COLUMN_TYPES[name])})`;
}

/**
 * The same Idempotency-Key at any time, or the same content within a few minutes, before or after. After, because a
 * clock that ran ahead leaves rows in the future, and they mustn't swallow what's sent until then.
 */
const twins = (row: NewMessage, within: number) => sql<Twin>`select id, state from contact_message
  where (idempotency_key = ${typed(row, 'idempotency_key')}
    or (content_hash = ${typed(row, 'content_hash')}
      and received_at > ${typed(row, 'received_at')} - ${sql.lit(within)}
      and received_at < ${typed(row, 'received_at')} + ${sql.lit(within)}))
    -- What a person sends must not vanish into what the owner called spam, which will not be mailed.
    and (${typed(row, 'state')} = 'spam' or state <> 'spam' or held_for is not null)`;

/** Whoever asks finds the same one, and one that's held only if there's no other. */
const firstTwin = (row: NewMessage, within: number) =>
  sql<Twin>`${twins(row, within)} order by state = 'spam', received_at, id limit 1`;

/** Where the key's row is no twin, it keeps the key: a column that is unique. */
const freeKey = (row: NewMessage) => sql`case when not exists
  (select id from contact_message where idempotency_key = ${typed(row, 'idempotency_key')})
  then ${typed(row, 'idempotency_key')} end`;

/** An instance whose clock is ahead of the database's, which says what's due, would make its message wait. */
const dueAt = (row: NewMessage, engine: Database['engine']) =>
  engine === 'postgres'
    ? sql`least(${typed(row, 'next_attempt_at')}, ${nowOf(engine)(0)})`
    : typed(row, 'next_attempt_at');

function columnValue(row: NewMessage, name: keyof NewMessage, engine: Database['engine']) {
  if (name === 'idempotency_key') return freeKey(row);
  return name === 'next_attempt_at' ? dueAt(row, engine) : typed(row, name);
}

const insertion = (
  row: NewMessage,
  within: number,
  engine: Database['engine'],
) => sql<Twin>`insert into contact_message
  (${sql.join(COLUMNS.map((name) => sql.ref(name)))})
  select ${sql.join(COLUMNS.map((name) => columnValue(row, name, engine)))}
  where not exists (${twins(row, within)})
  returning id, state`;

const NAMES = Object.fromEntries(COLUMNS.map((name) => [name, name])) as unknown as NewMessage;

/**
 * Inserts a message unless it's already there; if the one that's there is held and this one isn't, a person sent it
 * again, and it's released. One statement decides and inserts, so nothing can slip in between.
 */
export function insertOnce(database: Database) {
  const { db, engine, write } = database;
  let compiled: CompiledQuery<Twin> | undefined;
  /** Compiled once, since that takes almost half as long as storing: with the columns' names where their values come. */
  function compileFor(row: NewMessage, within: number): CompiledQuery<Twin> {
    compiled ??= insertion(NAMES, within, engine).compile(db);
    const parameters = compiled.parameters.map((name) =>
      // The database's clock has a number of its own.
      typeof name === 'string' ? row[name as keyof NewMessage] : name,
    );
    return { ...compiled, parameters };
  }

  async function insertOrFind(row: NewMessage, within: number): Promise<Inserted> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      // On Postgres, concurrent statements don't see each other's rows, so identical content waits for a lock of its
      // own. A row with the same key has the same content, so one lock covers both.
      const insert = { compile: () => compileFor(row, within) };
      const inserted = await write(insert, { lock: row.content_hash });
      const [own] = inserted.rows;
      if (own) return { id: own.id, duplicate: false };
      const [twin] = (await firstTwin(row, within).execute(db)).rows;
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

function isBroken(error: unknown): boolean {
  const wasCut = error instanceof Error && error.message === 'Connection terminated unexpectedly';
  return wasCut || /^(ECONNRESET|EPIPE|57P0[123])$/.test(codeOf(error));
}
