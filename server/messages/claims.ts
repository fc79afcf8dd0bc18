import { sql, type UpdateObject } from 'kysely';
import { HOUR } from '../../contract/time.ts';
import type { Database } from './database.ts';
import { noteDone, TRIED } from './last-done.ts';
import { countMessages } from './queries.ts';
import { isOne, isSent, isWaiting, LONGEST_WAIT_MS, type Message, type Rule, type Tables } from './table.ts';

// The outbox's changes to a message's state, one statement each. owner.ts lists all states, and has the owner's changes.

/** Claims the oldest due, of clients that had sent least, for `leaseMs`. `inHand` count in the hour's budget, too, and aren't claimed again, even if the clock jumps. */
export async function claim(
  database: Database,
  leaseMs: number,
  mailsPerHour = Infinity,
  inHand: readonly string[] = [],
) {
  const { db, engine, now, write } = database;
  // Times noted by a fast clock mustn't hold mail back until they come.
  const isLately = sql<boolean>`${isSent} and sent_at > ${now(-HOUR)} and sent_at <= ${now(HOUR)}`;
  const mostBefore = mostSentBefore(inHand.length + (await countMessages(database, isLately)), mailsPerHour);
  // If it's further ahead than any wait, a fast clock set it. The next claim takes it, so no other rule is needed.
  const isTime = sql`(next_attempt_at <= ${now(0)} or next_attempt_at > ${now(LONGEST_WAIT_MS)})`;
  const others = sql.join(['', ...inHand]);
  // Skips one that another instance is claiming; SQLite serializes changes anyway.
  const lock = engine === 'postgres' ? sql`for update skip locked` : sql``;
  const oldestDue = sql<string>`(select id from contact_message
    where ${isWaiting} and ${isTime} and sent_before <= ${mostBefore} and id not in (${others})
    order by sent_before, received_at, id limit 1 ${lock})`;
  const claimed = db
    .updateTable('contact_message')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), next_attempt_at: now(leaseMs), last_error: null }))
    .where('id', '=', oldestDue)
    .returningAll();
  return (await write(claimed)).rows[0];
}

// As a number, for the index. Half of an hour's mails are for clients that had sent nothing, so a few busy ones can't make a
// new one wait. With one mail an hour, that half is none, or the busy ones would never be mailed.
function mostSentBefore(mails: number, perHour: number): number {
  // The largest number that the Postgres column takes.
  if (mails < Math.ceil(perHour / 2)) return 2 ** 31 - 1;
  return mails < perHour ? 0 : -1;
}

// Each says whether the message was still ours. Waits use the database's clock: by another, it could be tried at once.

/** Delays the next try, or the end of the claim while its mail is in hand. A `fault` isn't the message's own. */
export function putOff(database: Database, claimed: Message, waitMs: number, fault?: string) {
  const next_attempt_at = database.now(waitMs);
  return mark(database, claimed, { next_attempt_at, ...(fault && { last_error: fault }) });
}

/** @param refusal the fault's label, if its mail went out without the visitor's words */
export function markSent(database: Database, claimed: Message, now: number, refusal: string | null = null) {
  // If it was marked as spam while its mail was on the way, it stays spam. `sent_at` keeps it from being mailed again.
  const state = sql<'sent' | 'spam'>`case when state = 'spam' then 'spam' else 'sent' end`;
  const wasMailed = sql<boolean>`state in ('waiting', 'spam')`;
  return mark(database, claimed, { state, sent_at: now, last_error: refusal }, wasMailed);
}

export function markFailed(database: Database, claimed: Message, waitMs: number, fault: string, now: number) {
  return mark(database, claimed, {
    failures: claimed.failures + 1,
    first_failure_at: Math.min(claimed.first_failure_at ?? now, now),
    next_attempt_at: database.now(waitMs),
    last_error: fault,
  });
}

export function setAside(database: Database, claimed: Message, fault: string) {
  return mark(database, claimed, {
    state: 'set_aside',
    failures: claimed.failures + 1,
    last_error: fault,
    // It's news, whatever she was told before.
    listed_at: null,
  });
}

/** Unless somebody has claimed the message again since. */
function mark(database: Database, { id, attempts }: Message, values: Values, from = isWaiting) {
  return changeOne(database, id, values, sql`${from} and attempts = ${attempts}`);
}

type Values = UpdateObject<Tables, 'contact_message'>;

export async function change({ db, write }: Database, values: Values, rule: Rule): Promise<number> {
  return (await write(db.updateTable('contact_message').set(values).where(rule))).changes;
}

/** Returns whether the rule allowed it. */
export async function changeOne(database: Database, id: string, values: Values, rule: Rule) {
  return (await change(database, values, sql`${isOne(id)} and ${rule}`)) === 1;
}

/** Makes messages due whose last fault was one of these, if they'd wait longer than `leftMs`: the oldest `most` of them. */
export async function makeDue(
  database: Database,
  faults: readonly string[] | 'any',
  now: number,
  { most = Number.MAX_SAFE_INTEGER, leftMs = 0 } = {},
): Promise<void> {
  const kinds = faults === 'any' ? [''] : faults;
  const likes = kinds.map((kind) => sql`last_error like ${`${kind}%`}`);
  const isOfThese = sql`(${sql.join(likes, sql` or `)})`;
  // Those in hand have no fault.
  const waitsForIt = sql<boolean>`${isWaiting} and ${isOfThese} and next_attempt_at > ${now + leftMs}`;
  const oldest = sql`select id from contact_message where ${waitsForIt} order by received_at, id limit ${most}`;
  // Checked again, since another instance may have claimed one on the list by now.
  await change(database, { next_attempt_at: now }, sql`id in (${oldest}) and ${waitsForIt}`);
}

/**
 * Notes, from `deliveredWith`, that a mail was taken. Once an hour, neither jobs that failed nor any message need wait longer:
 * nobody knows how long the mail server will work this time.
 */
export async function noteDelivered(database: Database, note: string, now: number): Promise<void> {
  if (!(await noteDone(database, note, now, HOUR))) return;
  await database.write(database.db.deleteFrom('last_done').where('what', 'like', `%${TRIED}`));
  await makeDue(database, 'any', now, { leftMs: HOUR });
}

export async function nextDueAt({ db }: Pick<Database, 'db'>): Promise<number | undefined> {
  const waiting = db.selectFrom('contact_message').where(isWaiting);
  const next = waiting.select(({ fn }) => fn.min<number | null>('next_attempt_at').as('at'));
  return (await next.executeTakeFirst())?.at ?? undefined;
}
