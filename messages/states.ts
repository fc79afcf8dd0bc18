import { type Expression, type ExpressionBuilder, type Insertable, type SqlBool, sql } from 'kysely';
import type { Database } from './database.ts';
import { isToRemind, isWaiting, type Message, toMessage } from './message.ts';
import { type MailPlace, type MessageTable, type QueueName, type Tables, UNTRACKED } from './table.ts';

/*
 * A message's states. Each change is one statement here, and its `where` is the rule: nothing else changes a state.
 *
 *   state      in the table                              ways out
 *   (new)                                                 add: waiting, or spam
 *   waiting    waiting                                    claim, makeDue, requeue, markSpam
 *   in hand    waiting, claimed, lease still running      markSent, markFailed, giveBack, setAside, markSpam;
 *                                                         waiting once the lease ends
 *   delivered  sent                                       requeue (again), markSpam, erase by age
 *   set aside  set_aside                                  requeue, markSpam, erase by age
 *   spam       spam; sent_at set if delivered before      notSpam: delivered, in hand or waiting; erase by age;
 *                                                         markSpam, if it was only suspected
 *
 * The owner may erase a message in any state, even in hand. Whether she answered it stands beside the state: `setAnswered`.
 * A notice, which goes the second way, has the same states, apart from its message's. Only `markSpam` and `notSpam` change both.
 */

const HOUR_MS = 60 * 60_000;
/** The longest a message waits for its next try, or for the end of its lease. */
export const LONGEST_WAIT_MS = 3 * HOUR_MS;
/** The largest number the Postgres column takes. */
const MOST_SENT_BEFORE = 2 ** 31 - 1;
/** Small enough that others get to write between batches. */
const AT_ONCE = 500;
/** A message may be long, and all of it is overwritten. */
const ERASED_AT_ONCE = 50;
const STORED_WITHIN_MS = 60_000;

/** A time this many milliseconds from now, for a statement. */
type Now = (ms: number) => Expression<number>;
type Columns = ExpressionBuilder<Tables, 'contact_message'>;

const byCaller =
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
 * Claimed by an outbox whose lease hasn't expired. A longer lease came from a clock that ran ahead, and isn't honoured.
 */
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
  return (eb: Columns) => eb.and([isWaiting, isLeased(now)(eb)]);
}

/** For the owner's commands, by their machine's clock. */
export const isInHandAt = (now: number) => isInHand(byCaller(now));

/** Statements that only use the columns that both queues have are the same for both. */
const common = (queue: QueueName) => queue as 'contact_message';

/** Nobody has claimed the message again since. */
function isStillOurs({ id, attempts }: Message) {
  return ({ eb, and }: Columns) => and([eb('id', '=', id), eb('attempts', '=', attempts)]);
}

/** As after the insert. Due since it arrived, which is in the past by every clock. */
const QUEUED = { state: 'waiting', failures: 0, first_failure_at: null, last_error: null } as const;

/**
 * How many of an hour's mails may go to any client's messages. The rest, half of them or a thousand, are reserved for
 * clients that had sent nothing before, so a few busy ones can't make a new one wait.
 */
export function forAnyClient(mailsPerHour: number): number {
  return mailsPerHour - Math.min(Math.ceil(mailsPerHour / 2), 1_000);
}

/**
 * Whose clock decides what's due and when a lease ends. Instances may disagree on the time, or stall between reading
 * their clock and making the change, so on Postgres it's the database's. `caller` is for tests.
 */
export type LeaseClock = 'database' | 'caller';

/** The changes the outbox makes. */
export function outboxChanges({ db, engine, write }: Database, leaseClock: LeaseClock, queue: QueueName) {
  const table = common(queue);
  const from = (now: number): Now =>
    engine === 'postgres' && leaseClock === 'database' ? byPostgres : byCaller(now);

  return {
    /**
     * Claims a message that's due; no other worker can claim it until `leaseMs` have passed. Clients that had sent
     * nothing before come first, then those that had sent least, and the oldest message among equals. Claims none when
     * `mailsPerHour` went out in the last hour or are in hand; the last of that budget is reserved for clients that had
     * sent nothing before.
     */
    async claim(now: number, leaseMs: number, mailsPerHour?: number): Promise<Message | undefined> {
      const oldestDue = db
        .selectFrom(table)
        .select('id')
        .where(isState(engine, 'waiting'))
        .where('next_attempt_at', '<=', from(now)(0))
        .orderBy('sent_before')
        .orderBy('received_at')
        .orderBy('id')
        .limit(1)
        .$if(mailsPerHour !== undefined, (query) =>
          query.where('sent_before', '<=', mostSentBefore(from(now), mailsPerHour ?? 0)),
        )
        // Skips one that another instance is claiming; SQLite serializes changes anyway.
        .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked());
      const {
        rows: [row],
      } = await write(
        db
          .updateTable(table)
          .set((eb) => ({
            attempts: eb('attempts', '+', 1),
            next_attempt_at: from(now)(leaseMs),
            last_error: null,
          }))
          .where('id', '=', oldestDue)
          .returningAll(),
        // Two counting at the same time would both see room for the last one.
        { lock: mailsPerHour === undefined ? undefined : 'mails per hour' },
      );
      if (!row || queue === 'contact_message') return row && toMessage(row);
      const message = await db
        .selectFrom('contact_message')
        .selectAll()
        .where('id', '=', row.id)
        .executeTakeFirst();
      return message && toMessage({ ...message, ...row });
    },

    /** This and the next three say whether the message was still ours to mark. */
    async markSent(claimed: Message, now: number): Promise<boolean> {
      const { changes } = await write(
        db
          .updateTable(table)
          .set(({ ref }) => ({
            // If it was marked as spam while its mail was on the way, it stays spam. `sent_at` keeps it from being
            // mailed again.
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

    /** For a fault that isn't the message's own: it goes back to the queue without counting a failure. */
    giveBack: (claimed: Message, { nextAttemptAt, error }: { nextAttemptAt: number; error?: string }) =>
      mark(claimed, { next_attempt_at: nextAttemptAt, ...(error && { last_error: error }) }),

    setAside: (claimed: Message, error: string) =>
      mark(claimed, { state: 'set_aside', failures: claimed.failures + 1, last_error: error }),

    /** Makes messages due whose last fault was one of these, the oldest `most` of them. Those in hand have none. */
    async makeDue(faults: readonly string[], now: number, most = Number.MAX_SAFE_INTEGER): Promise<void> {
      const waitsForIt = ({ eb, and, or }: Columns) =>
        and([
          isWaiting,
          or(faults.map((fault) => eb('last_error', 'like', `${fault} %`))),
          eb('next_attempt_at', '>', now),
        ]);
      const oldest = db
        .selectFrom(table)
        .select('id')
        .where(waitsForIt)
        .orderBy('received_at')
        .orderBy('id')
        .limit(most);
      await write(
        db
          .updateTable(table)
          .set({ next_attempt_at: now })
          .where('id', 'in', oldest)
          // Checked again, since another instance may have claimed one on the list by now.
          .where(waitsForIt),
      );
    },

    /**
     * Makes messages due whose next try is further away than any wait should be, because a clock ran ahead. Says
     * whether there were any.
     */
    async makeFarDue(now: number): Promise<boolean> {
      const { changes } = await write(
        db
          .updateTable(table)
          .set({ next_attempt_at: from(now)(0) })
          .where(isWaiting)
          .where('next_attempt_at', '>', from(now)(LONGEST_WAIT_MS)),
      );
      return changes > 0;
    },

    /** `sent` stops counting at `most`; `inHand` are those under a lease, on any instance. */
    async mailsOfLastHour(now: number, most: number) {
      const { sent, inHand } = await db
        .selectNoFrom([sentCount(from(now), most).as('sent'), inHandCount(from(now)).as('inHand')])
        .executeTakeFirstOrThrow();
      return { sent: sent ?? 0, inHand: inHand ?? 0 };
    },
  };

  async function mark(claimed: Message, change: Partial<Insertable<MessageTable>>): Promise<boolean> {
    const { changes } = await write(
      db.updateTable(table).set(change).where(isWaiting).where(isStillOurs(claimed)),
    );
    return changes === 1;
  }

  /**
   * The most a client may have sent before and still be mailed. A number rather than a condition, so that an index
   * finds the rows.
   */
  function mostSentBefore(now: Now, mailsPerHour: number) {
    return sql<number>`(select case
      when used < ${sql.val(forAnyClient(mailsPerHour))} then ${sql.lit(MOST_SENT_BEFORE)}
      when used < ${sql.val(mailsPerHour)} then 0 else -1 end
      from (select (${sentCount(now, mailsPerHour)}) + (${inHandCount(now)}) as used) as mails)`;
  }

  function inHandCount(now: Now) {
    return db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(isInHand(now));
  }

  function sentCount(now: Now, most: number) {
    const lastHour = db
      .selectFrom(table)
      .select('sent_at')
      .where(isState(engine, 'sent'))
      .where('sent_at', '>', now(-HOUR_MS))
      // A clock that ran ahead mustn't hold mails back until that time comes.
      .where('sent_at', '<=', now(HOUR_MS))
      .orderBy('sent_at', 'desc')
      .limit(sql.lit(most));
    return db.selectFrom(lastHour.as('counted')).select(({ fn }) => fn.countAll<number>().as('count'));
  }
}

/** SQLite guesses that few rows share a state, and would sort them all rather than read an index in order. */
export function isState(engine: Database['engine'], state: MessageTable['state']) {
  const condition = sql<boolean>`state = ${sql.lit(state)}`;
  return engine === 'sqlite' ? sql<boolean>`likely(${condition})` : condition;
}

/**
 * Requeues one message, or all that are waiting or set aside; with `again`, even a delivered one. Messages in hand
 * aren't mailed a second time.
 *
 * @returns how many
 */
export async function requeue(
  database: Database,
  which: 'all' | { id: string; again?: boolean | undefined },
  now: number,
  queue: QueueName = 'contact_message',
): Promise<number> {
  const { db, write } = database;
  const again = which !== 'all' && which.again;
  const all = db
    .updateTable(common(queue))
    .set(({ ref }) => ({ ...QUEUED, next_attempt_at: ref('received_at'), sent_at: null }))
    .where('state', 'in', again ? ['waiting', 'set_aside', 'sent'] : ['waiting', 'set_aside'])
    .where((eb) => eb.not(isInHand(byCaller(now))(eb)));
  const { changes } = await write(which === 'all' ? all : all.where('id', '=', which.id));
  // Where the mail lay before says nothing about the next one.
  if (queue === 'contact_message') await changePlaces(database, () => isWaiting, null);
  return changes;
}

async function changePlaces(
  { db, write }: Database,
  which: (eb: Columns) => Expression<SqlBool>,
  place: MailPlace | null,
): Promise<void> {
  await write(
    db
      .updateTable('contact_message')
      .set({ mail_place: place })
      .where('mail_place', 'is not', null)
      .where(which),
  );
}

/** Has all that wait or were set aside go the second way now. Returns how many. */
export function requeueNotices(database: Database, now: number): Promise<number> {
  return requeue(database, 'all', now, 'contact_notice');
}

/**
 * The owner says it's spam, which is remembered (known-spam.ts). Undefined if she had said so before, or it's gone;
 * otherwise whether its mail was in hand, and may still arrive.
 */
export async function markSpam(
  database: Database,
  id: string,
  now: number,
): Promise<{ wasInHand: boolean } | undefined> {
  await markSpamIn('contact_notice', database, id, now);
  const marked = await markSpamIn('contact_message', database, id, now);
  // She knows now that it's in Junk.
  if (marked)
    await changePlaces(database, (eb) => eb.and([eb('id', '=', id), eb('mail_place', '=', 'junk')]), 'moved');
  return marked;
}

/** What the owner said of a message, with the state that says what. */
function judged(queue: QueueName, now: number) {
  return queue === 'contact_message' ? { held_for: null, judged_at: now } : {};
}

async function markSpamIn(queue: QueueName, { db, write }: Database, id: string, now: number) {
  const {
    rows: [row],
  } = await write(
    db
      .updateTable(common(queue))
      .set({ state: 'spam', ...judged(queue, now) })
      .where('id', '=', id)
      .where(({ eb, or }) =>
        or([
          eb('state', '!=', 'spam'),
          ...(queue === 'contact_message' ? [eb('judged_at', 'is', null)] : []),
        ]),
      )
      .returning((eb) => isLeased(byCaller(now))(eb).as('inHand')),
  );
  return row && { wasInHand: Boolean(row.inHand) };
}

/** The same for what isn't spam. Its state afterwards; undefined if it isn't spam, or its mail just went out. */
export async function notSpam(
  database: Database,
  id: string,
  now: number,
): Promise<'delivered' | 'waiting' | undefined> {
  await notSpamIn('contact_notice', database, id, now);
  return notSpamIn('contact_message', database, id, now);
}

async function notSpamIn(queue: QueueName, { db, write }: Database, id: string, now: number) {
  const spam = db
    .updateTable(common(queue))
    .set(judged(queue, now))
    .where('id', '=', id)
    .where('state', '=', 'spam');
  const leased = isLeased(byCaller(now));
  // Mailed before it was marked: once is enough.
  const delivered = await write(spam.set({ state: 'sent' }).where('sent_at', 'is not', null));
  if (delivered.changes === 1) return 'delivered';
  // Marked while its mail was on the way, so it still belongs to whoever is sending it.
  const inHand = await write(spam.set({ state: 'waiting' }).where(leased));
  const queued = await write(
    spam
      .set(({ ref }) => ({ ...QUEUED, next_attempt_at: ref('received_at') }))
      .where('sent_at', 'is', null)
      .where((eb) => eb.not(leased(eb))),
  );
  return inHand.changes + queued.changes === 1 ? 'waiting' : undefined;
}

/**
 * Notes when the owner answered a message, in whatever state it is; null takes that back, and a perhaps as well. A
 * second answer doesn't change the time of the first.
 *
 * @param at milliseconds since 1970
 * @returns whether it changed anything
 */
export async function setAnswered({ db, write }: Database, id: string, at: number | null): Promise<boolean> {
  const { changes } = await write(
    db
      .updateTable('contact_message')
      .set({ answered_at: at, ...(at === null && { perhaps_answered_at: null }) })
      .where('id', '=', id)
      .where((eb) =>
        at === null
          ? eb.or([eb('answered_at', 'is not', null), eb('perhaps_answered_at', 'is not', null)])
          : eb.or([eb('answered_at', 'is', null), eb('answered_at', '=', UNTRACKED)]),
      ),
  );
  return changes === 1;
}

/** The same for a mail that may be an answer. Its sender still waits. */
export async function setPerhapsAnswered({ db, write }: Database, id: string, at: number): Promise<boolean> {
  const { changes } = await write(
    db
      .updateTable('contact_message')
      .set({ perhaps_answered_at: at })
      .where('id', '=', id)
      .where('answered_at', 'is', null)
      .where('perhaps_answered_at', 'is', null),
  );
  return changes === 1;
}

/**
 * Notes that the owner is reminded of a delivered message whose sender waits for an answer: once for each message,
 * whoever asks at the same time. Null takes it back.
 *
 * @param at milliseconds since 1970
 * @returns whether it changed anything
 */
export async function setReminded({ db, write }: Database, id: string, at: number | null): Promise<boolean> {
  const message = db.updateTable('contact_message').set({ reminded_at: at }).where('id', '=', id);
  const { changes } = await write(at === null ? message : message.where(isToRemind));
  return changes === 1;
}

/**
 * Notes when messages were first seen: at their own time, if that's between the last night and this one, otherwise now,
 * since the clock was wrong when they came. A time that was noted in the future counts for nothing.
 *
 * @param since the last night, in milliseconds since 1970
 */
export async function setSeen(
  { db, write }: Database,
  { since, now }: { since: number; now: number },
): Promise<void> {
  const isUnseen = ({ eb, or }: Columns) => or([eb('seen_at', 'is', null), eb('seen_at', '>', now)]);
  for (let changed = AT_ONCE; changed === AT_ONCE; ) {
    const some = db.selectFrom('contact_message').select('id').where(isUnseen).limit(AT_ONCE);
    const { changes } = await write(
      db
        .updateTable('contact_message')
        .set((eb) => ({
          seen_at: eb
            .case()
            // It may have been stored a moment after its time.
            .when(eb.and([eb('received_at', '>', since - STORED_WITHIN_MS), eb('received_at', '<=', now)]))
            .then(eb.ref('received_at'))
            .else(sql<number>`cast(${now} as bigint)`)
            .end(),
        }))
        .where('id', 'in', some),
    );
    changed = changes;
  }
}

/** Notes that the owner was mailed a list with these. */
export async function setListed({ db, write }: Database, ids: readonly string[], at: number): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE);
    await write(db.updateTable('contact_message').set({ listed_at: at }).where('id', 'in', some));
  }
}

/** Which messages to erase. One that's waiting to be mailed is never erased by age. */
export type Erasable = { id: string } | { email: string } | { seenBefore: number };

export function isErasable(which: Erasable) {
  return (eb: Columns) => {
    if ('id' in which) return eb('id', '=', which.id);
    if ('email' in which) return eb(eb.fn('lower', ['email']), '=', which.email.toLowerCase());
    return eb.and([eb('seen_at', '<', which.seenBefore), eb('state', '!=', 'waiting')]);
  };
}

/** Deletes the rows of some of them; once it returns none, none are left. `eraseMessages` also overwrites them. */
export async function erase(
  { db, write }: Database,
  which: Erasable,
  now: number,
): Promise<{ id: string; inHand: boolean }[]> {
  // Apart from the change, which would keep others from writing while it looks at the whole table.
  const found = await db
    .selectFrom('contact_message')
    .select('id')
    .where(isErasable(which))
    .limit(ERASED_AT_ONCE)
    .execute();
  if (found.length === 0) return [];
  const { rows } = await write(
    db
      .deleteFrom('contact_message')
      .where(
        'id',
        'in',
        found.map(({ id }) => id),
      )
      // Checked again, since one may have been requeued in between, and then has to be mailed.
      .where(isErasable(which))
      .returning((eb) => ['id', isInHand(byCaller(now))(eb).as('inHand')]),
  );
  return rows.map(({ id, inHand }) => ({ id, inHand: Boolean(inHand) }));
}
