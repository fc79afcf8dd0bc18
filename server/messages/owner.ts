import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { MINUTE } from '../../contract/time.ts';
import { change, changeOne } from './claims.ts';
import type { Database } from './database.ts';
import { FILED, forget, lastDoneAt } from './last-done.ts';
import {
  DUE,
  isAnswered,
  isAny,
  isHeld,
  isInHand,
  isLeased,
  isNew,
  isSent,
  isToRemind,
  type Rule,
} from './table.ts';

/*
 * A message's states. Each change is one function with one statement, here (the owner's, and `release`) or in claims.ts
 * (the outbox's), and its `where` is the rule: nothing else changes a state.
 *
 *   state      in the table                              ways out
 *   (new)                                                 add: waiting, or held
 *   waiting    waiting                                    claim, makeDue, requeue, markSpam
 *   in hand    waiting, claimed, lease still running      markSent, markFailed, putOff, setAside, markSpam;
 *                                                         waiting once the lease ends
 *   delivered  sent                                       requeue, requeueFiled, markSpam, erase by age
 *   set aside  set_aside                                  requeue, markSpam, erase by age
 *   spam       spam; sent_at set if delivered before      notSpam: delivered, in hand or waiting; erase by age
 *   held       spam, held_for                             release: waiting; markSpam, notSpam, erase by age
 *
 * The owner may erase a message in any state, even in hand. Whether she answered it stands beside the state: `setAnswered`.
 */

/** In a batch, small enough that others get to write in between. */
const AT_ONCE = 500;
/** Between batches, so that a visitor's whole request fits in. */
export const PAUSE_MS = 10;

/** As after the insert. */
const QUEUED = {
  state: 'waiting',
  failures: 0,
  first_failure_at: null,
  last_error: null,
  listed_at: null,
  next_attempt_at: DUE,
} as const;

// Each change of one message returns whether it changed anything: not if the message is gone, or in no state for it.

/** Requeues a message, even a delivered one, unless it's in hand or spam. */
export function requeue(database: Database, id: string, now: number): Promise<boolean> {
  const rule = sql<boolean>`state <> 'spam' and not ${isInHand(now)}`;
  return changeOne(database, id, { ...QUEUED, sent_at: null }, rule);
}

/** What was only filed is mailed once there's a mail server, unless she has seen it on her desk. */
export async function requeueFiled(database: Database): Promise<void> {
  if ((await lastDoneAt(database, FILED)) === undefined) return;
  const isFiled = sql<boolean>`${isSent} and last_error = ${FILED} and ${isNew}`;
  await changeAll(database, { ...QUEUED, sent_at: null }, isFiled);
  // The same for what a daily mail listed, since that may have become a file, too.
  await changeAll(database, { listed_at: null }, sql`listed_at is not null and ${isNew}`);
  await forget(database, FILED);
}

/** A few at a time. After a change, the rule mustn't hold any more. */
async function changeAll(database: Database, values: Parameters<typeof change>[1], rule: Rule) {
  const some = sql`select id from contact_message where ${rule} limit ${sql.lit(AT_ONCE)}`;
  while ((await change(database, values, sql`id in (${some}) and ${rule}`)) === AT_ONCE) await wait(PAUSE_MS);
}

/** If its mail was in hand, it may still arrive. */
export function markSpam(database: Database, id: string, now: number): Promise<boolean> {
  const isNews = sql<boolean>`(state <> 'spam' or judged_at is null)`;
  return changeOne(database, id, { state: 'spam', ...judged(now) }, isNews);
}

const judged = (now: number) => ({ held_for: null, judged_at: now });

export async function notSpam(database: Database, id: string, now: number): Promise<boolean> {
  const leased = isLeased(now);
  const ways = [
    // Mailed before it was marked: once is enough.
    [{ state: 'sent' }, sql`sent_at is not null`],
    // Marked while its mail was on the way, so it still belongs to whoever is sending it.
    [{ state: 'waiting' }, leased],
    [QUEUED, sql`sent_at is null and not ${leased}`],
  ] as const;
  for (const [values, rule] of ways)
    if (await changeOne(database, id, { ...values, ...judged(now) }, sql`state = 'spam' and ${rule}`))
      return true;
  return false;
}

/** Queues a held message that a person sent again. What the owner has judged stays as it is. */
export function release(database: Database, id: string): Promise<boolean> {
  return changeOne(database, id, { ...QUEUED, held_for: null }, isHeld);
}

/** The first time that the owner answered counts. Null takes it back. */
export function setAnswered(database: Database, id: string, at: number | null): Promise<boolean> {
  return changeOne(database, id, { answered_at: at }, at === null ? isAnswered : sql`not ${isAnswered}`);
}

/** Of several servers at the same time, only one may remind her. Null takes it back. */
export function setReminded(database: Database, id: string, at: number | null): Promise<boolean> {
  return changeOne(database, id, { reminded_at: at }, at === null ? isAny : isToRemind(at));
}

/** Notes what came since last night (`since`) as first seen at its own time, or at `now` if it came by a wrong clock. */
export function setSeen(database: Database, { since, now }: { since: number; now: number }): Promise<void> {
  // It may have been stored a moment after its time.
  const isBelieved = sql`received_at > ${since - MINUTE} and received_at <= ${now}`;
  const seen_at = sql<number>`case when ${isBelieved} then received_at else cast(${now} as bigint) end`;
  // A time in the future doesn't count.
  return changeAll(database, { seen_at }, sql`(seen_at is null or seen_at > ${now})`);
}

/** Notes that a daily mail has told the owner of these, or that she has opened them: the first time counts. */
export async function setTold(database: Database, how: 'listed' | 'opened', ids: string[], at: number) {
  const column = `${how}_at` as const;
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    if (start > 0) await wait(PAUSE_MS);
    const some = sql.join(ids.slice(start, start + AT_ONCE));
    await change(database, { [column]: at }, sql`id in (${some}) and ${sql.ref(column)} is null`);
  }
}
