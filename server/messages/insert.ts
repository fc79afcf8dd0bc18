import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { type ContactMessage, eachField, FIELDS } from '../../contract/contact-message.ts';
import { USUAL_REPLY_HOURS } from '../../contract/refusal-sentences.ts';
import { MINUTE } from '../../contract/time.ts';
import { LONGEST_TOPIC_LINE } from '../../contract/topics.ts';
import type { Database } from './database.ts';
import { release } from './owner.ts';
import { codeOf, MaybeStored } from './store-error.ts';
import type { Sign } from './suspicion.ts';
import { DUE, type State } from './table.ts';

/** Pressing the button again this soon means the same message. */
const DOUBLE_SUBMIT_MS = 10 * MINUTE;
/** This soon after a first try, there's time for another: visitors wait ten seconds at most. */
const AGAIN_WITHIN_MS = 2_000;
/** Postgres's code for taking too long. */
const CANCELLED = '57014';
/** More than once only if the owner judges or erases the earlier message at that moment. */
const MOST_TRIES = 5;

export type NewMessage = {
  now: number;
  /** The part of its Message-ID after the @. */
  mailDomain: string;
  /** Within how many hours the page promises an answer. */
  replyHours?: number;
  /** Signs of spam; with any, it's kept as spam and not mailed. */
  heldFor?: readonly Sign[];
  idempotencyKey?: string | undefined;
  /** How many messages its client sent in the hour before. */
  sentBefore?: number;
};

/**
 * Returns once the message is on disk. A repeat gets the first one's id, and releases it if that was held and this
 * isn't; a `duplicate` changed nothing. Other words under a known Idempotency-Key are a message of their own, so reusing
 * or guessing a key loses nothing.
 */
export async function add(database: Database, message: ContactMessage, options: NewMessage) {
  const row = newRow(message, options);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (await insertOrFind(database, row)) return { id: row.id, duplicate: false };
    // Everyone finds the same one, and a held one only if there's no other.
    const order = sql`order by state = 'spam', received_at, id limit 1`;
    const [twin] = (await sql<Twin>`${twins(row)} ${order}`.execute(database.db)).rows;
    if (!twin) continue;
    if (row.state === 'spam' || twin.state !== 'spam') return { id: twin.id, duplicate: twin.id !== row.id };
    if (await release(database, twin.id)) return { id: twin.id, duplicate: false };
  }
  throw new Error('A message was neither inserted nor found');
}

/** Fails if there's no room for the longest message: on a full disk, a small row can still be changed in place. */
export async function checkRoom({ db, write }: Database, now: number): Promise<void> {
  // A code point takes up to four bytes, and so do three in this alphabet.
  const text = randomBytes(3 * (FIELDS.message.max + LONGEST_TOPIC_LINE)).toString('base64');
  // So that nobody sees it.
  const row = newRow({ ...eachField(() => ''), message: text }, { now, mailDomain: '', heldFor: ['trap'] });
  await write(
    db.insertInto('contact_message').values(row),
    db.deleteFrom('contact_message').where('id', '=', row.id),
  );
}

function newRow(message: ContactMessage, options: NewMessage) {
  const { now, mailDomain, replyHours, heldFor = [], idempotencyKey, sentBefore = 0 } = options;
  // By the message's time, even once a fast clock is right again, and in order within a millisecond.
  const id = uuidv7({ msecs: now, seq: (performance.now() * 1000) >>> 0 });
  const texts = eachField((field) => message[field] ?? '');
  const content = digest(JSON.stringify(Object.values(texts)));
  const state: State = heldFor.length > 0 ? 'spam' : 'waiting';
  return {
    ...texts,
    id,
    received_at: now,
    reply_hours: replyHours ?? USUAL_REPLY_HOURS,
    state,
    next_attempt_at: DUE,
    message_id: `<${id}@${mailDomain}>`,
    content_hash: content,
    idempotency_key: idempotencyKey ? digest(JSON.stringify([idempotencyKey, content])) : null,
    sent_before: sentBefore,
    held_for: heldFor.join(' ') || null,
  };
}

type NewRow = ReturnType<typeof newRow>;
type Twin = Pick<NewRow, 'id' | 'state'>;

// The same Idempotency-Key at any time, or the same content within a few minutes. Before or after: rows that a fast clock left
// in the future mustn't swallow what's sent until then.
function twins({ idempotency_key, content_hash, received_at, state }: NewRow) {
  // What a person sends must not vanish into what the owner called spam, which will not be mailed.
  const ofPerson = state === 'spam' ? sql`true` : sql`(state <> 'spam' or held_for is not null)`;
  return sql`select id, state from contact_message
    where ${ofPerson} and (idempotency_key = ${idempotency_key} or (content_hash = ${content_hash}
      and received_at > ${received_at - DOUBLE_SUBMIT_MS} and received_at < ${received_at + DOUBLE_SUBMIT_MS}))`;
}

/** If a connection breaks, the commit may be done. On a second try, the row finds itself as its twin, or it's inserted now. */
async function insertOrFind(database: Database, row: NewRow): Promise<boolean> {
  const startedAt = performance.now();
  try {
    return await insertOnce(database, row);
  } catch (error) {
    // Nobody waits for a silent database twice.
    // This one may have waited for the same words, whose commit hangs.
    if (codeOf(error) === CANCELLED) throw new MaybeStored('Postgres took too long', { cause: error });
    const isLate = performance.now() - startedAt > AGAIN_WITHIN_MS;
    if (isLate || !(error instanceof MaybeStored)) throw error;
    return insertOnce(database, row).catch(() => Promise.reject(error));
  }
}

/** One statement decides and inserts, so nothing can slip in between. False if it has a twin. */
async function insertOnce({ db, engine, write }: Database, row: NewRow): Promise<boolean> {
  const hasKey = sql`exists (select id from contact_message where idempotency_key = ${row.idempotency_key})`;
  const values = Object.entries(row).map(([name, value]) => {
    // If the key's row isn't a twin, it keeps the key: the column is unique.
    if (name === 'idempotency_key') return sql`case when not ${hasKey} then ${value} end`;
    // Postgres would take it for a text here.
    return typeof value === 'number' ? sql`cast(${value} as bigint)` : value;
  });
  const insert = sql`insert into contact_message (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
    select ${sql.join(values)} where not exists (${twins(row)})`;
  // On Postgres, concurrent statements don't see each other's rows, so identical content waits for a lock of its own until
  // the commit. A row with the same key has the same content, so one lock covers both.
  const lock = sql`pg_advisory_xact_lock(hashtextextended(${row.content_hash}, 0))`.as('lock');
  const before = engine === 'postgres' ? [db.selectNoFrom(lock)] : [];
  return (await write(...before, { compile: () => insert.compile(db) })).changes === 1;
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
