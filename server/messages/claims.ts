import { type Expression, type ExpressionBuilder, type Insertable, sql } from 'kysely';
import { HOUR } from '../../contract/time.ts';
import type { Database } from './database.ts';
import { isWaiting, type Message, type MessageTable, type Tables, toMessage } from './table.ts';

/*
 * The changes that the outbox makes to a message's state, one statement each. states.ts lists all states, and has the
 * changes that the owner makes.
 */

/** The longest a message waits for its next try, or for the end of its lease. */
export const LONGEST_WAIT_MS = 3 * HOUR;
/** The largest number the Postgres column takes. */
const MOST_SENT_BEFORE = 2 ** 31 - 1;

/** A time this many milliseconds from now, for a statement. */
type Now = (ms: number) => Expression<number>;
export type Columns = ExpressionBuilder<Tables, 'contact_message'>;

export type Queue = Pick<Database, 'db' | 'engine' | 'write' | 'replyHours'>;

export const byCaller =
  (now: number): Now =>
  (ms) =>
    sql.val(now + ms);

/**
 * Unlike `now()`, it's the time once a lock is held. It's also the same for all rows; without that, Postgres wouldn't
 * use an index to find them.
 */
const byPostgres: Now = (ms) =>
  sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint + ${ms}`;

/**
 * What's due and when a lease ends, unless the caller says when it is. Instances may disagree on the time, or stall
 * between reading their clock and making the change, so on Postgres it's the database's.
 */
export const nowOf = (engine: Database['engine'], now?: number): Now =>
  now === undefined && engine === 'postgres' ? byPostgres : byCaller(now ?? Date.now());

/** Claimed by an outbox whose lease hasn't expired, or was set by a clock that ran ahead: `isTime` has the same bound. */
export function isLeased(now: Now) {
  return ({ eb, and }: Columns) =>
    and([
      eb('attempts', '>', 0),
      eb('last_error', 'is', null),
      eb('sent_at', 'is', null),
      eb('next_attempt_at', '>', now(0)),
      eb('next_attempt_at', '<=', now(LONGEST_WAIT_MS)),
    ]);
}

/**
 * Whether the time that a message waits for has come. One further ahead than any wait was set by a clock that ran ahead
 * and has been corrected since, so it counts as over too. No other rule about such a clock is needed: whatever it wrote,
 * the next claim takes.
 */
function isTime(now: Now) {
  return ({ eb, or }: Columns) =>
    or([eb('next_attempt_at', '<=', now(0)), eb('next_attempt_at', '>', now(LONGEST_WAIT_MS))]);
}

export function isInHand(now: Now) {
  return (eb: Columns) => eb.and([isWaiting, isLeased(now)(eb)]);
}

/** Nobody has claimed the message again since. */
function isStillOurs({ id, attempts }: Message) {
  return ({ eb, and }: Columns) => and([eb('id', '=', id), eb('attempts', '=', attempts)]);
}

/**
 * How many of an hour's mails may go to any client's messages. The other half is for clients that had sent nothing before,
 * so a few busy ones can't make a new one wait.
 */
export const forAnyClient = (mailsPerHour: number): number => Math.floor(mailsPerHour / 2);

/**
 * Claims a message that's due; no other worker can claim it until `leaseMs` have passed. Clients that had sent nothing
 * before come first, then those that had sent least, and the oldest message among equals. Claims none when the budget of
 * the last hour is used up, and none of busy clients when half of it is. What's suspected isn't `waiting`.
 *
 * @param now defaults to the database's
 * @param inHand how many the caller is sending right now, which count too
 */
export async function claim(
  queue: Queue,
  now: number | undefined,
  leaseMs: number,
  mailsPerHour?: number,
  inHand = 0,
): Promise<Message | undefined> {
  const { db, engine, write } = queue;
  const from = nowOf(queue.engine, now);
  const oldestDue = db
    .selectFrom('contact_message')
    .select('id')
    .where(isState(engine, 'waiting'))
    .where(isTime(from))
    .orderBy('sent_before')
    .orderBy('received_at')
    .orderBy('id')
    .limit(1)
    .$if(mailsPerHour !== undefined, (query) =>
      query.where('sent_before', '<=', mostSentBefore(queue, from, mailsPerHour ?? 0, inHand)),
    )
    // Skips one that another instance is claiming; SQLite serializes changes anyway.
    .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked());
  const {
    rows: [row],
  } = await write(
    db
      .updateTable('contact_message')
      .set((eb) => ({
        attempts: eb('attempts', '+', 1),
        next_attempt_at: from(leaseMs),
        last_error: null,
      }))
      .where('id', '=', oldestDue)
      .returningAll(),
  );
  return row && toMessage(row, queue.replyHours());
}

/** Puts the end of a claim off, while its mail is in hand. Says whether the message is still ours. */
export async function renew(queue: Queue, claimed: Message, leaseMs: number): Promise<boolean> {
  const { db, engine, write } = queue;
  const { changes } = await write(
    db
      .updateTable('contact_message')
      .set({ next_attempt_at: nowOf(engine)(leaseMs) })
      .where(isWaiting)
      .where(isStillOurs(claimed)),
  );
  return changes === 1;
}

/**
 * This and the next three say whether the message was still ours to mark.
 *
 * @param refusal the fault's label, if its mail went out without the visitor's words
 */
export async function markSent(
  { db, write }: Queue,
  claimed: Message,
  now: number,
  refusal: string | null = null,
): Promise<boolean> {
  const { changes } = await write(
    db
      .updateTable('contact_message')
      .set(({ ref }) => ({
        // If it was marked as spam while its mail was on the way, it stays spam. `sent_at` keeps it from being mailed
        // again.
        state: sql`case when ${ref('state')} = 'spam' then 'spam' else 'sent' end`,
        sent_at: now,
        last_error: refusal,
      }))
      .where('state', 'in', ['waiting', 'spam'])
      .where(isStillOurs(claimed)),
  );
  return changes === 1;
}

type Failure = { now: number; nextAttemptAt: number; error: string };

export function markFailed(
  queue: Queue,
  claimed: Message,
  { now, nextAttemptAt, error }: Failure,
): Promise<boolean> {
  return mark(queue, claimed, {
    failures: claimed.failures + 1,
    first_failure_at: Math.min(claimed.firstFailureAt ?? now, now),
    next_attempt_at: nextAttemptAt,
    last_error: error,
  });
}

/** For a fault that isn't the message's own: it goes back to the queue without counting a failure. */
export function giveBack(
  queue: Queue,
  claimed: Message,
  { nextAttemptAt, error }: { nextAttemptAt: number; error?: string },
): Promise<boolean> {
  return mark(queue, claimed, { next_attempt_at: nextAttemptAt, ...(error && { last_error: error }) });
}

export function setAside(queue: Queue, claimed: Message, error: string): Promise<boolean> {
  return mark(queue, claimed, {
    state: 'set_aside',
    failures: claimed.failures + 1,
    last_error: error,
    // News, whatever she was told before.
    listed_at: null,
  });
}

async function mark(
  { db, write }: Queue,
  claimed: Message,
  change: Partial<Insertable<MessageTable>>,
): Promise<boolean> {
  const { changes } = await write(
    db.updateTable('contact_message').set(change).where(isWaiting).where(isStillOurs(claimed)),
  );
  return changes === 1;
}

/**
 * Makes messages due whose last fault was one of these, if they'd wait longer than `leftMs`: the oldest `most` of them.
 * Those in hand have no fault.
 */
export async function makeDue(
  { db, write }: Queue,
  faults: readonly string[] | 'any',
  now: number,
  { most = Number.MAX_SAFE_INTEGER, leftMs = 0 } = {},
): Promise<void> {
  const waitsForIt = ({ eb, and, or }: Columns) =>
    and([
      isWaiting,
      faults === 'any'
        ? eb('last_error', 'is not', null)
        : or(faults.map((fault) => eb('last_error', 'like', `${fault} %`))),
      eb('next_attempt_at', '>', now + leftMs),
    ]);
  const oldest = db
    .selectFrom('contact_message')
    .select('id')
    .where(waitsForIt)
    .orderBy('received_at')
    .orderBy('id')
    .limit(most);
  await write(
    db
      .updateTable('contact_message')
      .set({ next_attempt_at: now })
      .where('id', 'in', oldest)
      // Checked again, since another instance may have claimed one on the list by now.
      .where(waitsForIt),
  );
}

export async function nextDueAt({ db }: Pick<Queue, 'db'>): Promise<number | undefined> {
  const row = await db
    .selectFrom('contact_message')
    .select((eb) => eb.fn.min('next_attempt_at').as('at'))
    .where(isWaiting)
    .executeTakeFirst();
  return row?.at ?? undefined;
}

/** Stops counting at `most`. */
export async function mailsOfLastHour(queue: Queue, now: number | undefined, most: number): Promise<number> {
  const { count } = await sentCount(queue, nowOf(queue.engine, now), most).executeTakeFirstOrThrow();
  return count;
}

/**
 * The most a client may have sent before and still be mailed. A number rather than a condition, so that an index finds
 * the rows.
 */
function mostSentBefore(queue: Queue, now: Now, perHour: number, inHand: number) {
  return sql<number>`(select case
    when count < ${sql.lit(forAnyClient(perHour) - inHand)} then ${sql.lit(MOST_SENT_BEFORE)}
    when count < ${sql.lit(perHour - inHand)} then 0 else -1 end
    from (${sentCount(queue, now, perHour)}) as mails)`;
}

function sentCount({ db, engine }: Queue, now: Now, most: number) {
  const lastHour = db
    .selectFrom('contact_message')
    .select('sent_at')
    .where(isState(engine, 'sent'))
    .where('sent_at', '>', now(-HOUR))
    // A clock that ran ahead mustn't hold mails back until that time comes.
    .where('sent_at', '<=', now(HOUR))
    .orderBy('sent_at', 'desc')
    .limit(sql.lit(most));
  return db.selectFrom(lastHour.as('counted')).select(({ fn }) => fn.countAll<number>().as('count'));
}

/** SQLite guesses that few rows share a state, and would sort them all rather than read an index in order. */
export function isState(engine: Database['engine'], state: MessageTable['state']) {
  const condition = sql<boolean>`state = ${sql.lit(state)}`;
  return engine === 'sqlite' ? sql<boolean>`likely(${condition})` : condition;
}
