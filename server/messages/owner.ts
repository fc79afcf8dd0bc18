import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { MINUTE } from '../../contract/time.ts';
import { byCaller, change, isInHand, isLeased } from './claims.ts';
import type { Database } from './database.ts';
import { DUE, isAnswered, isFrom, isHeld, isToRemind, isUnsent } from './table.ts';

/*
 * A message's states. Each change is one function with one statement, here (the owner's, and `release`) or in claims.ts
 * (the outbox's), and its `where` is the rule: nothing else changes a state.
 *
 *   state      in the table                              ways out
 *   (new)                                                 add: waiting, or held
 *   waiting    waiting                                    claim, makeDue, requeue, markSpam
 *   in hand    waiting, claimed, lease still running      markSent, markFailed, giveBack, setAside, markSpam;
 *                                                         waiting once the lease ends
 *   delivered  sent                                       requeue, markSpam, erase by age
 *   set aside  set_aside                                  requeue, markSpam, erase by age
 *   spam       spam; sent_at set if delivered before      notSpam: delivered, in hand or waiting; erase by age
 *   held       spam, held_for                             release: waiting; markSpam, notSpam, erase by age
 *
 * The owner may erase a message in any state, even in hand. Whether she answered it stands beside the state: `setAnswered`.
 */

/** Small enough that others get to write between batches. */
const AT_ONCE = 500;
/** A message may be long, and all of it is overwritten. */
const ERASED_AT_ONCE = 25;
/** Between batches, so that a visitor's whole request fits in. */
export const PAUSE_MS = 10;
const STORED_WITHIN_MS = MINUTE;

/** As after the insert. */
const QUEUED = {
  state: 'waiting',
  failures: 0,
  first_failure_at: null,
  last_error: null,
  listed_at: null,
  next_attempt_at: DUE,
} as const;

/** Requeues one message, even a delivered one, unless it's in hand or spam. Returns whether it did. */
export async function requeue(database: Database, id: string, now: number): Promise<boolean> {
  const rule = sql<boolean>`id = ${id} and state <> 'spam' and not ${isInHand(byCaller(now))}`;
  return (await change(database, { ...QUEUED, sent_at: null }, rule)) === 1;
}

/** Requeues all that wait for another try or were set aside, a few at a time. */
export async function requeueAll(database: Database): Promise<void> {
  // One in hand has no fault.
  const rule = sql<boolean>`${isUnsent} and state <> 'spam' and last_error is not null`;
  const some = sql`select id from contact_message where ${rule} limit ${sql.lit(AT_ONCE)}`;
  while ((await change(database, QUEUED, sql<boolean>`id in (${some}) and ${rule}`)) === AT_ONCE)
    await wait(PAUSE_MS);
}

/**
 * The owner says it's spam. Undefined if she had said so before, or it's gone; otherwise whether its mail was in hand,
 * and may still arrive.
 */
export async function markSpam(
  { db, write }: Database,
  id: string,
  now: number,
): Promise<{ wasInHand: boolean } | undefined> {
  const marked = db
    .updateTable('contact_message')
    .set({ state: 'spam', ...judged(now) })
    .where(sql<boolean>`id = ${id} and (state <> 'spam' or judged_at is null)`)
    .returning(isLeased(byCaller(now)).as('inHand'));
  const [row] = (await write(marked)).rows;
  return row && { wasInHand: Boolean(row.inHand) };
}

/** What the owner said of a message, with the state that says what. */
const judged = (now: number) => ({ held_for: null, judged_at: now });

/** The same for what isn't spam. Its state afterwards; undefined if it isn't spam, or its mail just went out. */
export async function notSpam(
  database: Database,
  id: string,
  now: number,
): Promise<'sent' | 'waiting' | undefined> {
  const isSpam = sql<boolean>`id = ${id} and state = 'spam'`;
  const leased = isLeased(byCaller(now));
  // Mailed before it was marked: once is enough.
  const sent = { ...judged(now), state: 'sent' } as const;
  if ((await change(database, sent, sql`${isSpam} and sent_at is not null`)) === 1) return 'sent';
  // Marked while its mail was on the way, so it still belongs to whoever is sending it.
  const inHand = { ...judged(now), state: 'waiting' } as const;
  if ((await change(database, inHand, sql`${isSpam} and ${leased}`)) === 1) return 'waiting';
  const queued = { ...judged(now), ...QUEUED };
  const isQueued = await change(database, queued, sql`${isSpam} and sent_at is null and not ${leased}`);
  return isQueued === 1 ? 'waiting' : undefined;
}

/**
 * Queues a held message that a person sent again. What the owner has judged stays as it is.
 *
 * @returns whether it was still held
 */
export async function release(database: Database, id: string): Promise<boolean> {
  return (await change(database, { ...QUEUED, held_for: null }, sql`id = ${id} and ${isHeld}`)) === 1;
}

/**
 * Notes when the owner answered a message, in whatever state it is; null takes that back. A second answer doesn't
 * change the time of the first.
 *
 * @param at milliseconds since 1970
 * @returns whether it changed anything
 */
export async function setAnswered(database: Database, id: string, at: number | null): Promise<boolean> {
  const isNews = at === null ? isAnswered : sql`not ${isAnswered}`;
  return (await change(database, { answered_at: at }, sql`id = ${id} and ${isNews}`)) === 1;
}

/**
 * Notes that the owner is reminded of a delivered message whose sender waits for an answer: once for each message,
 * whoever asks at the same time. Null takes it back.
 *
 * @param at milliseconds since 1970
 * @returns whether it changed anything
 */
export async function setReminded(database: Database, id: string, at: number | null): Promise<boolean> {
  const rule = at === null ? sql`true` : isToRemind;
  return (await change(database, { reminded_at: at }, sql`id = ${id} and ${rule}`)) === 1;
}

/**
 * Notes when messages were first seen: at their own time, if that's between the last night and this one, otherwise now,
 * since the clock was wrong when they came. A time that was noted in the future counts for nothing.
 *
 * @param since the last night, in milliseconds since 1970
 */
export async function setSeen(database: Database, { since, now }: { since: number; now: number }) {
  // It may have been stored a moment after its time.
  const isBelieved = sql`received_at > ${since - STORED_WITHIN_MS} and received_at <= ${now}`;
  const seen_at = sql<number>`case when ${isBelieved} then received_at else cast(${now} as bigint) end`;
  const some = sql`select id from contact_message where seen_at is null or seen_at > ${now}
    limit ${sql.lit(AT_ONCE)}`;
  while ((await change(database, { seen_at }, sql`id in (${some})`)) === AT_ONCE) await wait(PAUSE_MS);
}

/** Notes that a daily mail has told the owner of these, or that she has opened them on a page: the first time counts. */
export async function setTold(
  database: Database,
  how: 'listed' | 'opened',
  ids: readonly string[],
  at: number,
): Promise<void> {
  const column = `${how}_at` as const;
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    if (start > 0) await wait(PAUSE_MS);
    const some = sql.join(ids.slice(start, start + AT_ONCE));
    await change(database, { [column]: at }, sql`id in (${some}) and ${sql.ref(column)} is null`);
  }
}

/** Which messages to erase. One that's waiting to be mailed is never erased by age. */
export type Erasable = { id: string } | { email: string } | { seenBefore: number };

function isErasable(which: Erasable) {
  if ('id' in which) return sql<boolean>`id = ${which.id}`;
  if ('email' in which) return isFrom(which.email);
  return sql<boolean>`seen_at < ${which.seenBefore} and state <> 'waiting'`;
}

/** Deletes the rows of some of them; once it returns none, none are left. `eraseMessages` also overwrites them. */
export async function erase(
  { db, write }: Database,
  which: Erasable,
  now: number,
): Promise<{ id: string; inHand: boolean }[]> {
  // Apart from the change, which would keep others from writing while it looks at the whole table.
  const some = db.selectFrom('contact_message').select('id').where(isErasable(which)).limit(ERASED_AT_ONCE);
  const ids = (await some.execute()).map(({ id }) => id);
  if (ids.length === 0) return [];
  const erased = db
    .deleteFrom('contact_message')
    .where('id', 'in', ids)
    // Checked again, since one may have been requeued in between, and then has to be mailed.
    .where(isErasable(which))
    .returning(['id', isInHand(byCaller(now)).as('inHand')]);
  const { rows } = await write(erased);
  return rows.map(({ id, inHand }) => ({ id, inHand: Boolean(inHand) }));
}
