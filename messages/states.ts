import { type Expression, type ExpressionBuilder, type Insertable, sql } from 'kysely';
import type { Database } from './database.ts';
import { type Message, toMessage } from './message.ts';
import type { MessageTable, Tables } from './table.ts';

/*
 * The states of a message. Each change is one statement here, and its `where` is the rule: nobody else changes a state.
 *
 *   state      how the table says it                     ways out
 *   (new)                                                 add: waiting, or spam
 *   waiting    waiting                                    claim, makeDue, requeue, markSpam
 *   in hand    waiting, claimed, and its lease runs       markSent, markFailed, giveBack, setAside, markSpam;
 *                                                         waiting once the lease is over
 *   delivered  sent                                       requeue (again), markSpam, erase by age
 *   set aside  set_aside                                  requeue, markSpam, erase by age
 *   spam       spam; sent_at if it was delivered before   notSpam: delivered, in hand or waiting; erase by age
 *
 * The owner may erase any of them, in hand or not.
 */

const HOUR_MS = 60 * 60_000;
/** No message waits longer for its next try, or for the end of its lease. */
export const LONGEST_WAIT_MS = 3 * HOUR_MS;
/** The largest number that the column takes on Postgres. */
const MOST_SENT_BEFORE = 2 ** 31 - 1;
/** Between two batches others get to write. */
const AT_ONCE = 500;

/** Now and so many milliseconds, for a statement. */
type Now = (ms: number) => Expression<number>;
type Columns = ExpressionBuilder<Tables, 'contact_message'>;

const byCaller =
  (now: number): Now =>
  (ms) =>
    sql.val(now + ms);

/**
 * Once a lock is held, other than `now()`; and the same for all rows, without which Postgres wouldn't use an
 * index to find them.
 */
const byPostgres: Now = (ms) =>
  sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint + ${ms}`;

/** Taken by an outbox whose lease runs. A longer lease is from a clock that was ahead, and isn't waited for. */
function isLeased(now: Now) {
  return ({ eb, and }: Columns) =>
    and([
      eb('attempts', '>', 0),
      eb('last_error', 'is', null),
      eb('sent_at', 'is', null),
      eb('next_attempt_at', '>', now(0)),
      eb('next_attempt_at', '<=', now(LONGEST_WAIT_MS)),
    ]);
}

function isInHand(now: Now) {
  return (eb: Columns) => eb.and([eb('state', '=', 'waiting'), isLeased(now)(eb)]);
}

/** For the owner's commands, by the clock of their machine. */
export const isInHandAt = (now: number) => isInHand(byCaller(now));

/** Of one claim: nobody has claimed the message again since. */
function isStillOurs({ id, attempts }: Message) {
  return ({ eb, and }: Columns) => and([eb('id', '=', id), eb('attempts', '=', attempts)]);
}

/** As after the insert. Due since it came, which is over by every clock. */
const QUEUED = { state: 'waiting', failures: 0, first_failure_at: null, last_error: null } as const;

/**
 * How many of an hour's mails may be about any client's message. The others, half of them or a thousand, are kept for
 * clients that had sent nothing before: a few that send much can't make a new one wait.
 */
export function forAnyClient(mailsPerHour: number): number {
  return mailsPerHour - Math.min(Math.ceil(mailsPerHour / 2), 1_000);
}

/**
 * Whose clock says what is due and when a lease ends. Instances may not agree on the time, or be held up between the
 * look at theirs and the change, so on Postgres it's the database's. `caller` is for tests.
 */
export type LeaseClock = 'database' | 'caller';

/** What the outbox does with a message. */
export function outboxChanges({ db, engine, write }: Database, leaseClock: LeaseClock) {
  const from = (now: number): Now =>
    engine === 'postgres' && leaseClock === 'database' ? byPostgres : byCaller(now);

  return {
    /**
     * Takes a message that's due, and no other worker can take it before `leaseMs` are over. First come those
     * of clients that had sent nothing before, then those of clients that had sent least, and of these the
     * oldest. None when `mailsPerHour` have gone out in the last hour or are in hand; the last of them are for
     * clients that had sent nothing before.
     */
    async claim(now: number, leaseMs: number, mailsPerHour?: number): Promise<Message | undefined> {
      const oldestDue = db
        .selectFrom('contact_message')
        .select('id')
        .where(isState('waiting'))
        .where('next_attempt_at', '<=', from(now)(0))
        .orderBy('sent_before')
        .orderBy('received_at')
        .orderBy('id')
        .limit(1)
        .$if(mailsPerHour !== undefined, (query) =>
          query.where('sent_before', '<=', mostSentBefore(from(now), mailsPerHour ?? 0)),
        )
        // Another instance is taking it; SQLite makes one change after the other anyway.
        .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked());
      const {
        rows: [row],
      } = await write(
        db
          .updateTable('contact_message')
          .set((eb) => ({
            attempts: eb('attempts', '+', 1),
            next_attempt_at: from(now)(leaseMs),
            last_error: null,
          }))
          .where('id', '=', oldestDue)
          .returningAll(),
        // Two that count at the same time would both see room for the last one.
        { lock: mailsPerHour === undefined ? undefined : 'mails per hour' },
      );
      return row && toMessage(row);
    },

    /** This and the next three say whether the message was still ours to mark. */
    async markSent(claimed: Message, now: number): Promise<boolean> {
      const { changes } = await write(
        db
          .updateTable('contact_message')
          .set(({ ref }) => ({
            // Marked as spam while its mail was on the way, it stays so. `sent_at` keeps it from being mailed again.
            state: sql`case when ${ref('state')} = 'spam' then 'spam' else 'sent' end`,
            sent_at: now,
            last_error: null,
          }))
          .where('state', 'in', ['waiting', 'spam'])
          .where(isStillOurs(claimed)),
      );
      return changes === 1;
    },

    markFailed: (claimed: Message, failure: { now: number; nextAttemptAt: number; error: string }) =>
      mark(claimed, {
        failures: claimed.failures + 1,
        first_failure_at: Math.min(claimed.firstFailureAt ?? failure.now, failure.now),
        next_attempt_at: failure.nextAttemptAt,
        last_error: failure.error,
      }),

    /** For a fault that isn't the message's own: it goes back to the queue without a failure. */
    giveBack: (claimed: Message, { nextAttemptAt, error }: { nextAttemptAt: number; error?: string }) =>
      mark(claimed, { next_attempt_at: nextAttemptAt, ...(error && { last_error: error }) }),

    setAside: (claimed: Message, error: string) =>
      mark(claimed, { state: 'set_aside', failures: claimed.failures + 1, last_error: error }),

    /** Makes messages due whose last fault was of these kinds, the oldest `most` of them. Those in hand have none. */
    async makeDue(faults: readonly string[], now: number, most = Number.MAX_SAFE_INTEGER): Promise<void> {
      const waitsForIt = ({ eb, and, or }: Columns) =>
        and([
          eb('state', '=', 'waiting'),
          or(faults.map((fault) => eb('last_error', 'like', `${fault} %`))),
          eb('next_attempt_at', '>', now),
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
          // Said again beside the list: another instance may have taken one of it meanwhile.
          .where(waitsForIt),
      );
    },

    /**
     * Makes messages due that wait for a time further away than any wait is: a clock that was ahead has set it. Says
     * whether there were any.
     */
    async makeFarDue(now: number): Promise<boolean> {
      const { changes } = await write(
        db
          .updateTable('contact_message')
          .set({ next_attempt_at: from(now)(0) })
          .where('state', '=', 'waiting')
          .where('next_attempt_at', '>', from(now)(LONGEST_WAIT_MS)),
      );
      return changes > 0;
    },

    /** `sent` counts up to `most`; `inHand` are those whose lease runs, on whatever instance. */
    async mailsOfLastHour(now: number, most: number) {
      const { sent, inHand } = await db
        .selectNoFrom([sentCount(from(now), most).as('sent'), inHandCount(from(now)).as('inHand')])
        .executeTakeFirstOrThrow();
      return { sent: sent ?? 0, inHand: inHand ?? 0 };
    },
  };

  async function mark(claimed: Message, change: Partial<Insertable<MessageTable>>): Promise<boolean> {
    const { changes } = await write(
      db
        .updateTable('contact_message')
        .set(change)
        .where('state', '=', 'waiting')
        .where(isStillOurs(claimed)),
    );
    return changes === 1;
  }

  /** Of a client that may still be mailed. As a number and not as a condition, so that an index finds the rows. */
  function mostSentBefore(now: Now, mailsPerHour: number) {
    return sql<number>`(select case
      when used < ${sql.val(forAnyClient(mailsPerHour))} then ${sql.lit(MOST_SENT_BEFORE)}
      when used < ${sql.val(mailsPerHour)} then 0 else -1 end
      from (select (${sentCount(now, mailsPerHour)}) + (${inHandCount(now)}) as used) as mails)`;
  }

  function inHandCount(now: Now) {
    return db
      .selectFrom('contact_message')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(isInHand(now));
  }

  function sentCount(now: Now, most: number) {
    const lastHour = db
      .selectFrom('contact_message')
      .select('sent_at')
      .where(isState('sent'))
      .where('sent_at', '>', now(-HOUR_MS))
      // A clock that was ahead must not hold mails back until it gets there.
      .where('sent_at', '<=', now(HOUR_MS))
      .orderBy('sent_at', 'desc')
      .limit(most);
    return db.selectFrom(lastHour.as('counted')).select(({ fn }) => fn.countAll<number>().as('count'));
  }

  /** SQLite guesses that few are in one state, and would sort them all rather than read an index in order. */
  function isState(state: MessageTable['state']) {
    const condition = sql<boolean>`state = ${sql.lit(state)}`;
    return engine === 'sqlite' ? sql<boolean>`likely(${condition})` : condition;
  }
}

/**
 * Puts one message back in the queue, or all that wait or were set aside; `again`, also one that was delivered. What's
 * in hand isn't mailed a second time.
 *
 * @returns how many
 */
export async function requeue(
  { db, write }: Database,
  which: 'all' | { id: string; again?: boolean | undefined },
  now: number,
): Promise<number> {
  const again = which !== 'all' && which.again;
  const all = db
    .updateTable('contact_message')
    .set(({ ref }) => ({ ...QUEUED, next_attempt_at: ref('received_at'), sent_at: null }))
    .where('state', 'in', again ? ['waiting', 'set_aside', 'sent'] : ['waiting', 'set_aside'])
    .where((eb) => eb.not(isInHand(byCaller(now))(eb)));
  const { changes } = await write(which === 'all' ? all : all.where('id', '=', which.id));
  return changes;
}

/** Undefined when it's spam already or gone; else whether its mail was in hand, and may still arrive. */
export async function markSpam(
  { db, write }: Database,
  id: string,
  now: number,
): Promise<{ wasInHand: boolean } | undefined> {
  const {
    rows: [row],
  } = await write(
    db
      .updateTable('contact_message')
      .set({ state: 'spam' })
      .where('id', '=', id)
      .where('state', '!=', 'spam')
      .returning((eb) => isLeased(byCaller(now))(eb).as('inHand')),
  );
  return row && { wasInHand: Boolean(row.inHand) };
}

/** What a message that was taken for spam is from now on; undefined when it isn't spam, or its mail just went out. */
export async function notSpam(
  { db, write }: Database,
  id: string,
  now: number,
): Promise<'delivered' | 'waiting' | undefined> {
  const spam = db.updateTable('contact_message').where('id', '=', id).where('state', '=', 'spam');
  const leased = isLeased(byCaller(now));
  // Mailed before it was marked: once is enough.
  const delivered = await write(spam.set({ state: 'sent' }).where('sent_at', 'is not', null));
  if (delivered.changes === 1) return 'delivered';
  // Marked while its mail was on the way, it still belongs to whoever sends it.
  const inHand = await write(spam.set({ state: 'waiting' }).where(leased));
  const queued = await write(
    spam
      .set(({ ref }) => ({ ...QUEUED, next_attempt_at: ref('received_at') }))
      .where('sent_at', 'is', null)
      .where((eb) => eb.not(leased(eb))),
  );
  return inHand.changes + queued.changes === 1 ? 'waiting' : undefined;
}

/** Which messages are erased. One that waits to be mailed is never purged by its age. */
export type Erasable = { id: string } | { email: string } | { receivedBefore: number };

export function isErasable(which: Erasable) {
  return (eb: Columns) => {
    if ('id' in which) return eb('id', '=', which.id);
    if ('email' in which) return eb(eb.fn('lower', ['email']), '=', which.email.toLowerCase());
    return eb.and([eb('received_at', '<', which.receivedBefore), eb('state', '!=', 'waiting')]);
  };
}

/** Deletes the rows of some of them; none are left when it returns none. `eraseMessages` also overwrites them. */
export async function erase(
  { db, write }: Database,
  which: Erasable,
  now: number,
): Promise<{ id: string; inHand: boolean }[]> {
  const some = db.selectFrom('contact_message').select('id').where(isErasable(which)).limit(AT_ONCE);
  const { rows } = await write(
    db
      .deleteFrom('contact_message')
      .where('id', 'in', some)
      // Once more: on Postgres one may be put back in the queue between the two, and is to be mailed.
      .where(isErasable(which))
      .returning((eb) => ['id', isInHand(byCaller(now))(eb).as('inHand')]),
  );
  return rows.map(({ id, inHand }) => ({ id, inHand: Boolean(inHand) }));
}
