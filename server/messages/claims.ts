import { type Expression, type SqlBool, sql, type UpdateObject } from 'kysely';
import { HOUR } from '../../contract/time.ts';
import type { Database, Now } from './database.ts';
import { isSent, isWaiting, type Message, type Tables } from './table.ts';

/*
 * The changes that the outbox makes to a message's state, one statement each. owner.ts lists all states, and has the
 * changes that the owner makes.
 */

/** The longest a message waits for its next try, or for the end of its lease. */
export const LONGEST_WAIT_MS = 3 * HOUR;
/** The largest number the Postgres column takes. */
const MOST_SENT_BEFORE = 2 ** 31 - 1;

export const byCaller =
  (now: number): Now =>
  (ms) =>
    sql.val(now + ms);

/** Claimed by an outbox whose lease hasn't expired, or was set by a clock that ran ahead: `isTime` has the same bound. */
export const isLeased = (now: Now) => sql<boolean>`(attempts > 0 and last_error is null and sent_at is null
  and next_attempt_at > ${now(0)} and next_attempt_at <= ${now(LONGEST_WAIT_MS)})`;

/**
 * Whether the time that a message waits for has come. One further ahead than any wait was set by a clock that ran ahead
 * and has been corrected since, so it counts as over too. No other rule about such a clock is needed: whatever it wrote,
 * the next claim takes.
 */
const isTime = (now: Now) =>
  sql<boolean>`(next_attempt_at <= ${now(0)} or next_attempt_at > ${now(LONGEST_WAIT_MS)})`;

export const isInHand = (now: Now) => sql<boolean>`(${isWaiting} and ${isLeased(now)})`;

/** Nobody has claimed the message again since. */
const isStillOurs = ({ id, attempts }: Message) => sql<boolean>`(id = ${id} and attempts = ${attempts})`;

/**
 * Claims a message that's due; no other worker can claim it until `leaseMs` have passed. Clients that had sent nothing
 * before come first, then those that had sent least, and the oldest message among equals. Claims none when the budget of
 * the last hour is used up, and none of busy clients when half of it is. What's suspected isn't `waiting`.
 *
 * @param inHand how many the caller is sending right now, which count too
 */
export async function claim(
  { db, engine, now, write }: Database,
  leaseMs: number,
  mailsPerHour = Infinity,
  inHand = 0,
): Promise<Message | undefined> {
  const mostBefore = mostSentBefore(inHand + (await countSentLately(db, now)), mailsPerHour);
  const oldestDue = db
    .selectFrom('contact_message')
    .select('id')
    .where(isWaiting)
    .where(isTime(now))
    .where('sent_before', '<=', mostBefore)
    .orderBy('sent_before')
    .orderBy('received_at')
    .orderBy('id')
    .limit(1)
    // Skips one that another instance is claiming; SQLite serializes changes anyway.
    .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked());
  const claimed = db
    .updateTable('contact_message')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), next_attempt_at: now(leaseMs), last_error: null }))
    .where('id', '=', oldestDue)
    .returningAll();
  return (await write(claimed)).rows[0];
}

/**
 * The most a client may have sent before and still be mailed: a number rather than a condition, so that an index finds
 * the rows. Half of an hour's mails are for clients that had sent nothing, so a few busy ones can't make a new one wait.
 * Of one an hour, that half is none, or the busy ones would never be mailed.
 */
function mostSentBefore(mails: number, perHour: number): number {
  if (mails < Math.ceil(perHour / 2)) return MOST_SENT_BEFORE;
  return mails < perHour ? 0 : -1;
}

/** In the last hour. What a clock that was ahead has noted mustn't hold mails back until that time comes. */
async function countSentLately(db: Database['db'], now: Now): Promise<number> {
  const { count } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isSent)
    .where('sent_at', '>', now(-HOUR))
    .where('sent_at', '<=', now(HOUR))
    .executeTakeFirstOrThrow();
  return count;
}

/** Puts the end of a claim off, while its mail is in hand. Says whether the message is still ours. */
export function renew(database: Database, claimed: Message, leaseMs: number) {
  return mark(database, claimed, { next_attempt_at: database.now(leaseMs) });
}

/**
 * This and the next three say whether the message was still ours to mark.
 *
 * @param refusal the fault's label, if its mail went out without the visitor's words
 */
export function markSent(database: Database, claimed: Message, now: number, refusal: string | null = null) {
  // If it was marked as spam while its mail was on the way, it stays spam. `sent_at` keeps it from being mailed again.
  const state = sql<'sent' | 'spam'>`case when state = 'spam' then 'spam' else 'sent' end`;
  const wasMailed = sql<boolean>`state in ('waiting', 'spam')`;
  return mark(database, claimed, { state, sent_at: now, last_error: refusal }, wasMailed);
}

/** `waitMs` counts from the database's now: by a clock that differs, it would be tried without a pause. */
type Failure = { now: number; waitMs: number; error: string };

export function markFailed(database: Database, claimed: Message, { now, waitMs, error }: Failure) {
  return mark(database, claimed, {
    failures: claimed.failures + 1,
    first_failure_at: Math.min(claimed.first_failure_at ?? now, now),
    next_attempt_at: database.now(waitMs),
    last_error: error,
  });
}

type Pause = { waitMs: number; error?: string };

/** For a fault that isn't the message's own: it goes back to the queue without counting a failure. */
export function giveBack(database: Database, claimed: Message, { waitMs, error }: Pause) {
  const next_attempt_at = database.now(waitMs);
  return mark(database, claimed, { next_attempt_at, ...(error && { last_error: error }) });
}

export function setAside(database: Database, claimed: Message, error: string) {
  return mark(database, claimed, {
    state: 'set_aside',
    failures: claimed.failures + 1,
    last_error: error,
    // News, whatever she was told before.
    listed_at: null,
  });
}

async function mark(database: Database, claimed: Message, values: Values, from = isWaiting) {
  return (await change(database, values, sql`${from} and ${isStillOurs(claimed)}`)) === 1;
}

type Values = UpdateObject<Tables, 'contact_message'>;
type Rule = Expression<SqlBool>;

/** Changes the messages that a rule allows. Returns how many. */
export async function change({ db, write }: Database, values: Values, rule: Rule): Promise<number> {
  return (await write(db.updateTable('contact_message').set(values).where(rule))).changes;
}

/**
 * Makes messages due whose last fault was one of these, if they'd wait longer than `leftMs`: the oldest `most` of them.
 * Those in hand have no fault.
 */
export async function makeDue(
  database: Database,
  faults: readonly string[] | 'any',
  now: number,
  { most = Number.MAX_SAFE_INTEGER, leftMs = 0 } = {},
): Promise<void> {
  const kinds = faults === 'any' ? ['%'] : faults.map((fault) => `${fault} %`);
  const isOfThese = sql.join(
    kinds.map((kind) => sql`last_error like ${kind}`),
    sql` or `,
  );
  const waitsForIt = sql<boolean>`${isWaiting} and (${isOfThese}) and next_attempt_at > ${now + leftMs}`;
  const oldest = sql`select id from contact_message where ${waitsForIt} order by received_at, id limit ${most}`;
  // Checked again, since another instance may have claimed one on the list by now.
  await change(database, { next_attempt_at: now }, sql`id in (${oldest}) and ${waitsForIt}`);
}

export async function nextDueAt({ db }: Pick<Database, 'db'>): Promise<number | undefined> {
  const row = await db
    .selectFrom('contact_message')
    .select((eb) => eb.fn.min('next_attempt_at').as('at'))
    .where(isWaiting)
    .executeTakeFirst();
  return row?.at ?? undefined;
}
