import { sql } from 'kysely';
import type { Promised } from '../../contract/promise.ts';
import { DAY, HOUR } from '../../contract/time.ts';
import type { Database } from './database.ts';
import { isDelivered, isIn, isUnanswered, isUndelivered, isWaiting, nameOf, type State } from './message.ts';
import { UNTRACKED } from './table.ts';

type Source = Pick<Database, 'db'>;

export async function countMessages({ db }: Source): Promise<number> {
  const { count } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export type StateCount = { count: number; oldestAt: number | undefined };

/** How many are in each state but delivered, of which there may be very many, and when the oldest arrived. */
export async function countByState({ db }: Source): Promise<Record<Exclude<State, 'delivered'>, StateCount>> {
  const rows = await db
    .selectFrom('contact_message')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count'), fn.min('received_at').as('oldestAt')])
    .where(isUndelivered)
    .groupBy('state')
    .execute();
  const none = { count: 0, oldestAt: undefined };
  const found = rows.map(({ state, ...counted }) => [nameOf(state), counted]);
  return { waiting: none, 'set-aside': none, spam: none, ...Object.fromEntries(found) };
}

/** How many are in each state, without reading what was delivered: only its index is counted. */
export async function countStates(source: Source): Promise<Record<State, number>> {
  const { count: delivered } = await source.db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isDelivered)
    .executeTakeFirstOrThrow();
  const { waiting, spam, 'set-aside': aside } = await countByState(source);
  return { waiting: waiting.count, delivered, 'set-aside': aside.count, spam: spam.count };
}

/** What the owner hasn't been mailed. */
export async function countUndelivered(source: Source) {
  const { waiting, spam, 'set-aside': aside } = await countByState(source);
  return { waiting: waiting.count, setAside: aside.count, spam: spam.count };
}

/** Times are milliseconds since 1970. */
export type Unanswered = Promised & {
  unanswered: number;
  /** How many of them have waited longer than the page promises. */
  late: number;
  /** When the time of the oldest is up. */
  oldestAnswerDueAt: number | undefined;
};

export async function countUnanswered(
  { db, replyHours: promised }: Pick<Database, 'db' | 'replyHours'>,
  now: number,
): Promise<Unanswered> {
  const replyHours = promised();
  const { unanswered, late, oldestAt } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => [
      fn.countAll<number>().as('unanswered'),
      fn
        .countAll<number>()
        .filterWhere('received_at', '<=', now - replyHours * HOUR)
        .as('late'),
      fn.min('received_at').as('oldestAt'),
    ])
    .where(isUnanswered)
    .executeTakeFirstOrThrow();
  const oldestAnswerDueAt = oldestAt === null ? undefined : oldestAt + replyHours * HOUR;
  return { unanswered, late, oldestAnswerDueAt, replyHours };
}

export async function anyAnswered({ db }: Source): Promise<boolean> {
  const row = await db
    .selectFrom('contact_message')
    .select('id')
    .where('answered_at', '>', UNTRACKED)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Why the oldest message in that state wasn't mailed. */
export async function faultOfOldest({ db }: Source, state: State): Promise<string | null> {
  const oldest = await db
    .selectFrom('contact_message')
    .select('last_error')
    .where(isIn(state))
    .orderBy('received_at')
    .limit(1)
    .executeTakeFirst();
  return oldest?.last_error ?? null;
}

/** Held as suspected spam, and neither opened nor answered. */
export async function countSuspected({ db }: Source): Promise<number> {
  const { count } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isUndelivered)
    .where(
      sql<boolean>`state = 'spam' and held_for is not null and opened_at is null and answered_at is null`,
    )
    .executeTakeFirstOrThrow();
  return count;
}

export type Refused = { count: number; fault: string | null };

/**
 * Whose words the mail server refused: those that wait or are set aside for it, or went out without their words within the
 * last week and weren't opened.
 */
export async function countRefused({ db }: Source, now: number): Promise<Refused> {
  const refused = db
    .selectFrom('contact_message')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('last_error').as('fault')])
    .where('last_error', 'like', 'refused %');
  const undelivered = await refused.where(isUndelivered).executeTakeFirstOrThrow();
  const sent = await refused
    .where(isDelivered)
    .where('sent_at', '>', now - 7 * DAY)
    .where('opened_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { count: undelivered.count + sent.count, fault: undelivered.fault ?? sent.fault };
}

/** Whether any message is waiting because of that kind of fault. */
export async function anyWaitsFor({ db }: Source, fault: string): Promise<boolean> {
  const row = await db
    .selectFrom('contact_message')
    .select('id')
    .where(isWaiting)
    .where('last_error', 'like', `${fault} %`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type Failing = { count: number; oldestAt: number | undefined; fault: string | undefined };

/**
 * Messages whose mail has been failing since that time or earlier, and the oldest one's fault. A first failure later
 * than `after`, a time in the future, came from a clock that ran ahead, and counts too.
 */
export async function failingSince(
  { db }: Source,
  time: number,
  after = Number.MAX_SAFE_INTEGER,
): Promise<Failing> {
  const oldest = await db
    .selectFrom('contact_message')
    .select(({ fn }) => [
      'last_error',
      fn.coalesce('first_failure_at', 'received_at').as('since'),
      fn.countAll<number>().over().as('count'),
    ])
    .where(isWaiting)
    .where('last_error', 'is not', null)
    .where(({ eb, fn, or }) => {
      const since = fn.coalesce('first_failure_at', 'received_at');
      return or([eb(since, '<=', time), eb(since, '>', after)]);
    })
    .orderBy('since')
    .limit(sql.lit(1))
    .executeTakeFirst();
  return { count: oldest?.count ?? 0, oldestAt: oldest?.since, fault: oldest?.last_error ?? undefined };
}

/** Messages that have been due since that time or earlier without a try. */
export async function untriedSince({ db }: Source, time: number): Promise<StateCount> {
  const { count, oldestAt } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('next_attempt_at').as('oldestAt')])
    .where(isWaiting)
    .where('last_error', 'is', null)
    .where('next_attempt_at', '<=', time)
    .executeTakeFirstOrThrow();
  return { count, oldestAt: oldestAt ?? undefined };
}
