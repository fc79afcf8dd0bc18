import { createHash, randomBytes } from 'node:crypto';
import { type CompiledQuery, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { type ContactMessage, eachField, FIELD_NAMES, FIELDS } from '../../contract/contact-message.ts';
import { MINUTE } from '../../contract/time.ts';
import { LONGEST_TOPIC_LINE } from '../../contract/topics.ts';
import {
  claim,
  giveBack,
  mailsOfLastHour,
  makeDue,
  markFailed,
  markSent,
  nextDueAt,
  renew,
  setAside,
} from './claims.ts';
import type { Database } from './database.ts';
import { release } from './owner.ts';
import { countUnsent, failingSince, messageWithId, untriedSince } from './queries.ts';
import type { Sign } from './suspicion.ts';
import { type MessageTable, smallChange } from './table.ts';

export type Store = ReturnType<typeof createStore>;

/** Pressing the button again this soon means the same message. */
const DOUBLE_SUBMIT_MS = 10 * MINUTE;
/** More than once only if the owner judges or erases the earlier message at that moment. */
const MOST_TRIES = 5;

/** A code point takes up to four. */
const LONGEST_MESSAGE_BYTES = 4 * (FIELDS.message.max + LONGEST_TOPIC_LINE);

/** The other columns are filled by later changes. */
const AT_FIRST = [
  ...(['id', 'received_at', 'state', 'next_attempt_at', 'message_id', 'content_hash'] as const),
  ...(['idempotency_key', 'sent_before', 'held_for'] as const),
  ...FIELD_NAMES,
];
type Column = (typeof AT_FIRST)[number];
type NewRow = Record<Column, string | number | null>;

type NewOptions = {
  now: number;
  /** Signs of spam; with any, it's kept as spam and not mailed. */
  heldFor?: readonly Sign[];
  idempotencyKey?: string | undefined;
  /** How many messages its client sent in the hour before. */
  sentBefore?: number;
};

type Options = {
  /** The part of a Message-ID after the @. */
  mailDomain: string;
};

/** What the server does with messages, on one database. */
export function createStore(database: Database, { mailDomain }: Options) {
  const { db, write } = database;
  /** Compiled once, since that takes almost half as long as storing. */
  let insertion: CompiledQuery<Twin> | undefined;

  return {
    /**
     * Returns once the message is on disk. The same message again returns the first one's id, and releases it if it was
     * held and this one isn't. Different words under a known Idempotency-Key are a separate message, so reusing or
     * guessing a key loses nothing.
     *
     * One statement decides and inserts, so nothing can slip in between. A duplicate changed nothing: there's nothing more
     * to mail.
     */
    async add(message: ContactMessage, options: NewOptions): Promise<{ id: string; duplicate: boolean }> {
      const row = newRow(message, options);
      const withValues = (query: CompiledQuery<Twin>): CompiledQuery<Twin> => ({
        ...query,
        // The database's clock has a number of its own.
        parameters: query.parameters.map((name) => (typeof name === 'string' ? row[name as Column] : name)),
      });
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        // On Postgres, concurrent statements don't see each other's rows, so identical content waits for a lock of its
        // own. A row with the same key has the same content, so one lock covers both.
        insertion ??= insertOnce(database).compile(db);
        const insert = withValues(insertion);
        const inserted = await write({ compile: () => insert }, { lock: row.content_hash });
        const [own] = inserted.rows;
        if (own) return { id: own.id, duplicate: false };
        const [twin] = (await db.executeQuery(withValues(firstTwin().compile(db)))).rows;
        if (!twin) continue;
        if (row.state === 'spam' || twin.state !== 'spam') return { id: twin.id, duplicate: true };
        if (await release(database, twin.id, row.received_at)) return { id: twin.id, duplicate: false };
      }
      throw new Error('A message was neither inserted nor found');
    },

    claim: claim.bind(undefined, database),
    renew: renew.bind(undefined, database),
    markSent: markSent.bind(undefined, database),
    markFailed: markFailed.bind(undefined, database),
    giveBack: giveBack.bind(undefined, database),
    setAside: setAside.bind(undefined, database),
    makeDue: makeDue.bind(undefined, database),
    nextDueAt: nextDueAt.bind(undefined, database),
    mailsOfLastHour: mailsOfLastHour.bind(undefined, database),
    has: async (id: string) => (await messageWithId(database, id, 0)) !== undefined,
    counts: () => countUnsent(database),
    failingSince: failingSince.bind(undefined, database),
    untriedSince: untriedSince.bind(undefined, database),

    /**
     * Fails if there's no room for the longest message a visitor may write. `checkWritable` changes one small row in
     * place, which can still work on a full disk. Nobody sees the test message.
     */
    async checkRoom(now: number): Promise<void> {
      const text = randomBytes(LONGEST_MESSAGE_BYTES * 0.75).toString('base64');
      const row = newRow({ ...eachField(() => ''), message: text }, { now, heldFor: ['trap'] });
      const insert = db.insertInto('contact_message').values(row);
      if (database.engine === 'sqlite') {
        const forget = db.deleteFrom('contact_message').where('id', '=', row.id);
        const changes = [insert.compile(), forget.compile()];
        // Committed, since SQLite writes nothing to disk before that.
        await database.transact(() => {
          for (const { sql: text, parameters } of changes) database.sqlite.prepare(text).run(...parameters);
        });
        return;
      }
      const transaction = await db.startTransaction().execute();
      try {
        await transaction.executeQuery(insert);
      } finally {
        await transaction.rollback().execute();
      }
    },

    /** Fails if the disk takes no more writes. */
    async checkWritable(now: number): Promise<void> {
      await write(smallChange(db, now));
    },

    /** Closes the database too. */
    close: (): Promise<void> => database.close(),
  };

  function newRow(
    message: ContactMessage,
    { now, heldFor = [], idempotencyKey, sentBefore = 0 }: NewOptions,
  ) {
    const id = uuidv7();
    const content = digest(contentOf(message));
    return {
      ...eachField((field) => message[field] ?? ''),
      id,
      received_at: now,
      state: heldFor.length > 0 ? ('spam' as const) : ('waiting' as const),
      next_attempt_at: now,
      message_id: `<${id}@${mailDomain}>`,
      content_hash: content,
      idempotency_key: idempotencyKey ? digest(JSON.stringify([idempotencyKey, content])) : null,
      sent_before: sentBefore,
      held_for: heldFor.length > 0 ? heldFor.join(' ') : null,
    } satisfies NewRow;
  }
}

type Twin = Pick<MessageTable, 'id' | 'state'>;

/** In place of a new row's value, its column's name, with the type, which Postgres can't tell by itself here. */
const its = (name: Column) => sql`cast(${name} as ${sql.raw(NUMBERS.includes(name) ? 'bigint' : 'text')})`;
const NUMBERS: readonly Column[] = ['received_at', 'next_attempt_at', 'sent_before'];

/**
 * The same Idempotency-Key at any time, or the same content within a few minutes, before or after. After, because a
 * clock that ran ahead leaves rows in the future, and they mustn't swallow what's sent until then.
 */
const twins = () => sql<Twin>`select id, state from contact_message
  where (idempotency_key = ${its('idempotency_key')}
    or (content_hash = ${its('content_hash')}
      and received_at > ${its('received_at')} - ${sql.lit(DOUBLE_SUBMIT_MS)}
      and received_at < ${its('received_at')} + ${sql.lit(DOUBLE_SUBMIT_MS)}))
    -- What a person sends must not vanish into what the owner called spam, which will not be mailed.
    and (${its('state')} = 'spam' or state <> 'spam' or held_for is not null)`;

/** Whoever asks finds the same one, and one that's held only if there's no other. */
const firstTwin = () => sql<Twin>`${twins()} order by state = 'spam', received_at, id limit 1`;

function insertOnce({ engine, now }: Database) {
  const values: Partial<Record<Column, unknown>> = {
    // Where the key's row is no twin, it keeps the key: a column that is unique.
    idempotency_key: sql`case when not exists
      (select id from contact_message where idempotency_key = ${its('idempotency_key')})
      then ${its('idempotency_key')} end`,
    // An instance whose clock is ahead of the database's, which says what's due, would make its message wait.
    ...(engine === 'postgres' && {
      next_attempt_at: sql`least(${its('next_attempt_at')}, ${now(0)})`,
    }),
  };
  return sql<Twin>`insert into contact_message (${sql.join(AT_FIRST.map((name) => sql.ref(name)))})
    select ${sql.join(AT_FIRST.map((name) => values[name] ?? its(name)))}
    where not exists (${twins()})
    returning id, state`;
}

/**
 * What makes two messages the same. An optional field counts, under its name, only if it's filled in, so a message from
 * before the field existed still matches.
 */
function contentOf(message: ContactMessage): string {
  return JSON.stringify(
    FIELD_NAMES.flatMap((field) => {
      const value = message[field] ?? '';
      if (FIELDS[field].required) return [value];
      return value === '' ? [] : [field, value];
    }),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
