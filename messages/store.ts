import { createHash, randomBytes } from 'node:crypto';
import { type Expression, type Insertable, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { type ContactMessage, eachField, FIELD_NAMES, FIELDS } from '../contract/contact.ts';
import type { DatabaseSetting } from '../settings/checks.ts';
import type { Database } from './database.ts';
import { insertOnce } from './insert.ts';
import { openDatabase } from './open.ts';
import type { MessageTable } from './table.ts';

/** A message taken for sending. `attempts` proves the ownership: whoever takes it next changes it. */
export type Claimed = ContactMessage & {
  id: string;
  receivedAt: number;
  messageId: string;
  attempts: number;
  failures: number;
  firstFailureAt: number | undefined;
};

export type Counts = {
  waiting: number;
  setAside: number;
  spam: number;
  /** Of messages that wait or were set aside. */
  oldestUndeliveredAt: number | undefined;
};

const HOUR_MS = 60 * 60_000;
/** No message waits longer for its next try, or for the end of its lease. */
export const LONGEST_WAIT_MS = 3 * HOUR_MS;
/** The largest number that the column takes on Postgres. */
const MOST_SENT_BEFORE = 2 ** 31 - 1;

/**
 * How many of an hour's mails may be about any client's message. The others, half of them or a thousand, are kept for
 * clients that had sent nothing before: a few that send much can't make a new one wait.
 */
export function forAnyClient(mailsPerHour: number): number {
  return mailsPerHour - Math.min(Math.ceil(mailsPerHour / 2), 1_000);
}

/**
 * Once a lock is held, other than `now()`; and the same for all rows, without which Postgres would not use an
 * index to find them.
 */
const POSTGRES_NOW = sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`;

export type Failing = { count: number; oldestAt: number | undefined; fault: string | undefined };

export type Store = ReturnType<typeof createStore>;

/** A visitor who presses the button again this soon means the same message. */
export const DOUBLE_SUBMIT_MS = 10 * 60_000;

type NewOptions = {
  now: number;
  suspectedSpam?: boolean;
  idempotencyKey?: string | undefined;
  /** How many messages its client sent within the hour before. */
  sentBefore?: number;
};

type Options = {
  /** The right half of the Message-IDs. */
  mailDomain: string;
  /**
   * Whose clock says what is due and when a lease ends. Instances may not agree on the time, or be held up
   * between the look at theirs and the change, so on Postgres it is the database's. `caller` is for tests.
   */
  leaseClock?: 'database' | 'caller';
};

/** A store with a database of its own. */
export async function openStore(setting: DatabaseSetting, options: Options): Promise<Store> {
  return createStore(await openDatabase(setting), options);
}

export function createStore(database: Database, { mailDomain, leaseClock = 'database' }: Options) {
  const { db, engine, write } = database;
  const insert = insertOnce(database);

  return {
    /**
     * Returns once the message is on the disk. The same message again returns the first one's id. Other words
     * under a known Idempotency-Key are a message of their own: whoever reuses or guesses a key drops nothing.
     */
    async add(message: ContactMessage, options: NewOptions): Promise<{ id: string; duplicate: boolean }> {
      return insert({ row: newRow(message, options), within: DOUBLE_SUBMIT_MS });
    },

    /**
     * Takes a message that is due, and no other worker can take it before `leaseMs` are over. First come those
     * of clients that had sent nothing before, then those of clients that had sent least, and of these the
     * oldest. None when `mailsPerHour` have gone out in the last hour or are in hand; the last of them are for
     * clients that had sent nothing before.
     */
    async claim(now: number, leaseMs: number, mailsPerHour?: number): Promise<Claimed | undefined> {
      const oldestDue = db
        .selectFrom('contact_message')
        .select('id')
        .where(isState('waiting'))
        .where('next_attempt_at', '<=', leaseTime(now, 0))
        .orderBy('sent_before')
        .orderBy('received_at')
        .orderBy('id')
        .limit(1)
        .$if(mailsPerHour !== undefined, (query) =>
          query.where('sent_before', '<=', mostSentBefore(now, mailsPerHour ?? 0)),
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
            next_attempt_at: leaseTime(now + leaseMs, leaseMs),
            last_error: null,
          }))
          .where('id', '=', oldestDue)
          .returningAll(),
        // Two that count at the same time would both see room for the last one.
        { lock: mailsPerHour === undefined ? undefined : 'mails per hour' },
      );
      if (!row) return undefined;
      return {
        id: row.id,
        ...eachField((field) => row[field] ?? ''),
        receivedAt: row.received_at,
        messageId: row.message_id,
        attempts: row.attempts,
        failures: row.failures,
        firstFailureAt: row.first_failure_at ?? undefined,
      };
    },

    /** Each of these says whether the message was still ours to mark. */
    async markSent(claimed: Claimed, now: number): Promise<boolean> {
      const { changes } = await write(
        db
          .updateTable('contact_message')
          .set(({ ref }) => ({
            // Marked as spam while its mail was on the way, it stays so. `sent_at` keeps it from being mailed again.
            state: sql`case when ${ref('state')} = 'spam' then 'spam' else 'sent' end`,
            sent_at: now,
            last_error: null,
          }))
          .where('id', '=', claimed.id)
          .where('state', 'in', ['waiting', 'spam'])
          .where('attempts', '=', claimed.attempts),
      );
      return changes === 1;
    },

    async markFailed(claimed: Claimed, failure: { now: number; nextAttemptAt: number; error: string }) {
      return mark(claimed, {
        failures: claimed.failures + 1,
        first_failure_at: Math.min(claimed.firstFailureAt ?? failure.now, failure.now),
        next_attempt_at: failure.nextAttemptAt,
        last_error: failure.error,
      });
    },

    /** For a fault that is not the message's own: it goes back to the queue without a failure. */
    async giveBack(claimed: Claimed, { nextAttemptAt, error }: { nextAttemptAt: number; error?: string }) {
      return mark(claimed, { next_attempt_at: nextAttemptAt, ...(error && { last_error: error }) });
    },

    async setAside(claimed: Claimed, error: string): Promise<boolean> {
      return mark(claimed, { state: 'set_aside', failures: claimed.failures + 1, last_error: error });
    },

    /** False once it has been erased. */
    async has(id: string): Promise<boolean> {
      const row = await db.selectFrom('contact_message').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },

    /**
     * Makes messages due whose last error begins so, the oldest `most` of them. Those being sent have none, and
     * keep their lease.
     */
    async hurry(errorPrefix: string, now: number, most?: number): Promise<void> {
      const oldest = db
        .selectFrom('contact_message')
        .select('id')
        .where('state', '=', 'waiting')
        .where('last_error', 'like', `${errorPrefix}%`)
        .where('next_attempt_at', '>', now)
        .orderBy('received_at')
        .orderBy('id')
        .limit(most ?? 0);
      await write(
        db
          .updateTable('contact_message')
          .set({ next_attempt_at: now })
          .$if(most !== undefined, (query) => query.where('id', 'in', oldest))
          // Said again beside the list: another instance may have taken one of it meanwhile.
          .where('state', '=', 'waiting')
          .where('last_error', 'like', `${errorPrefix}%`)
          .where('next_attempt_at', '>', now),
      );
    },

    /** `sent` counts up to `most`; `inHand` are those whose lease runs, on whatever instance. */
    async mailsOfLastHour(now: number, most: number) {
      const { sent, inHand } = await db
        .selectNoFrom([sentCount(now, most).as('sent'), inHandCount(now).as('inHand')])
        .executeTakeFirstOrThrow();
      return { sent: sent ?? 0, inHand: inHand ?? 0 };
    },

    async nextDueAt(): Promise<number | undefined> {
      const row = await db
        .selectFrom('contact_message')
        .select((eb) => eb.fn.min('next_attempt_at').as('at'))
        .where('state', '=', 'waiting')
        .executeTakeFirst();
      return row?.at ?? undefined;
    },

    async counts(): Promise<Counts> {
      const rows = await db
        .selectFrom('contact_message')
        .select((eb) => [
          'state',
          eb.fn.countAll<number>().as('count'),
          eb.fn.min('received_at').as('oldest'),
        ])
        .where('state', 'in', ['waiting', 'set_aside', 'spam'])
        .groupBy('state')
        .execute();
      const count = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
      const undelivered = rows.filter((row) => row.state !== 'spam').map((row) => row.oldest);
      return {
        waiting: count('waiting'),
        setAside: count('set_aside'),
        spam: count('spam'),
        oldestUndeliveredAt: undelivered.length > 0 ? Math.min(...undelivered) : undefined,
      };
    },

    /**
     * Makes messages due that wait for a time further away than any wait is: a clock that was ahead has set it. Says
     * whether there were any.
     */
    async makeFarDue(now: number): Promise<boolean> {
      const { changes } = await write(
        db
          .updateTable('contact_message')
          .set({ next_attempt_at: leaseTime(now, 0) })
          .where('state', '=', 'waiting')
          .where('next_attempt_at', '>', leaseTime(now + LONGEST_WAIT_MS, LONGEST_WAIT_MS)),
      );
      return changes > 0;
    },

    /**
     * Messages whose mail has failed for as long as that, and the fault of the oldest. Nobody knows for how long those
     * have that failed `after` another time, which is yet to come: the clock was ahead.
     */
    async failingSince(time: number, after = Number.MAX_SAFE_INTEGER): Promise<Failing> {
      const oldest = await db
        .selectFrom('contact_message')
        .select(({ fn }) => [
          'last_error',
          fn.coalesce('first_failure_at', 'received_at').as('since'),
          fn.countAll<number>().over().as('count'),
        ])
        .where('state', '=', 'waiting')
        .where('last_error', 'is not', null)
        .where(({ eb, fn, or }) => {
          const since = fn.coalesce('first_failure_at', 'received_at');
          return or([eb(since, '<=', time), eb(since, '>', after)]);
        })
        .orderBy('since')
        .limit(1)
        .executeTakeFirst();
      return { count: oldest?.count ?? 0, oldestAt: oldest?.since, fault: oldest?.last_error ?? undefined };
    },

    /** Messages that have been due for as long as that and weren't begun. */
    async untriedSince(time: number): Promise<{ count: number; oldestAt: number | undefined }> {
      const { count, oldestAt } = await db
        .selectFrom('contact_message')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('next_attempt_at').as('oldestAt')])
        .where('state', '=', 'waiting')
        .where('last_error', 'is', null)
        .where('next_attempt_at', '<=', time)
        .executeTakeFirstOrThrow();
      return { count, oldestAt: oldestAt ?? undefined };
    },

    /**
     * Fails when there's no room for a message as long as a visitor may write. `checkWritable` changes one small row in
     * place, which a full disk may still allow. Nobody sees the message that's tried.
     */
    async checkRoom(now: number): Promise<void> {
      const text = randomBytes((FIELDS.message.max * 3) / 4).toString('base64');
      const row = newRow({ name: '', email: '', message: text }, { now, suspectedSpam: true });
      const insert = db.insertInto('contact_message').values(row);
      if (database.engine === 'sqlite') {
        const { share } = database;
        const changes = [insert, db.deleteFrom('contact_message').where('id', '=', row.id)];
        // Committed, since SQLite writes nothing to the disk before.
        await share(() => {
          const { sqlite } = database;
          const insertAndDelete = sqlite.transaction(() => {
            for (const change of changes) {
              const { sql: text, parameters } = change.compile();
              sqlite.prepare(text).run(...parameters);
            }
          });
          insertAndDelete();
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

    /** Fails when the disk takes no more writes. */
    async checkWritable(now: number): Promise<void> {
      await write(
        db
          .insertInto('store_check')
          .values({ id: 1, checked_at: now })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ checked_at: now })),
      );
    },

    /** Closes the database with it. */
    close: (): Promise<void> => database.close(),
  };

  function newRow(
    message: ContactMessage,
    { now, suspectedSpam = false, idempotencyKey, sentBefore = 0 }: NewOptions,
  ): Insertable<MessageTable> {
    const id = uuidv7();
    const content = digest(contentOf(message));
    return {
      ...eachField((field) => message[field] ?? ''),
      id,
      received_at: now,
      state: suspectedSpam ? 'spam' : 'waiting',
      attempts: 0,
      next_attempt_at: now,
      failures: 0,
      first_failure_at: null,
      last_error: null,
      sent_at: null,
      message_id: `<${id}@${mailDomain}>`,
      content_hash: content,
      idempotency_key: idempotencyKey ? digest(JSON.stringify([idempotencyKey, content])) : null,
      sent_before: sentBefore,
    };
  }

  function sentInLastHour(now: number, most: number) {
    return (
      db
        .selectFrom('contact_message')
        .select('sent_at')
        .where(isState('sent'))
        .where('sent_at', '>', leaseTime(now - HOUR_MS, -HOUR_MS))
        // A clock that was ahead must not hold mails back until it gets there.
        .where('sent_at', '<=', leaseTime(now + HOUR_MS, HOUR_MS))
        .orderBy('sent_at', 'desc')
        .limit(most)
    );
  }

  /** SQLite guesses that few are in one state, and would sort them all rather than read an index in order. */
  function isState(state: MessageTable['state']) {
    const condition = sql<boolean>`state = ${sql.lit(state)}`;
    return engine === 'sqlite' ? sql<boolean>`likely(${condition})` : condition;
  }

  function sentCount(now: number, most: number) {
    return db
      .selectFrom(sentInLastHour(now, most).as('counted'))
      .select(({ fn }) => fn.countAll<number>().as('count'));
  }

  /** Of a client that may still be mailed. As a number and not as a condition, so that an index finds the rows. */
  function mostSentBefore(now: number, mailsPerHour: number) {
    return sql<number>`(select case
      when used < ${sql.val(forAnyClient(mailsPerHour))} then ${sql.lit(MOST_SENT_BEFORE)}
      when used < ${sql.val(mailsPerHour)} then 0 else -1 end
      from (select (${sentCount(now, mailsPerHour)}) + (${inHandCount(now)}) as used) as mails)`;
  }

  function inHandCount(now: number) {
    return db
      .selectFrom('contact_message')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', 'waiting')
      .where('attempts', '>', 0)
      .where('last_error', 'is', null)
      .where('next_attempt_at', '>', leaseTime(now, 0));
  }

  /** `time` on the caller's clock, so many milliseconds from now on the database's. */
  function leaseTime(time: number, fromNow: number): Expression<number> {
    return engine === 'postgres' && leaseClock === 'database'
      ? sql<number>`${POSTGRES_NOW} + ${fromNow}`
      : sql.val(time);
  }

  async function mark(claimed: Claimed, change: Partial<Insertable<MessageTable>>): Promise<boolean> {
    const { changes } = await write(
      db
        .updateTable('contact_message')
        .set(change)
        .where('id', '=', claimed.id)
        .where('state', '=', 'waiting')
        .where('attempts', '=', claimed.attempts),
    );
    return changes === 1;
  }
}

/**
 * What makes two messages the same one. An optional field counts, under its name, only where it's filled: a message
 * from before there was such a field is still the same one.
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
