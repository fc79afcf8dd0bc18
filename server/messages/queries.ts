import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { FIELD_NAMES, type Field } from '../../contract/contact-message.ts';
import type { Promised } from '../../contract/promise.ts';
import { DAY, HOUR } from '../../contract/time.ts';
import type { Database } from './database.ts';
import { isInHandAt } from './owner.ts';
import {
  isDelivered,
  isIn,
  isToRemind,
  isUnanswered,
  isUndelivered,
  isWaiting,
  type Message,
  type State,
  toMessage,
  UNTRACKED,
} from './table.ts';

type Source = Pick<Database, 'db' | 'replyHours'>;

export type Filter = {
  state?: State | undefined;
  /** In any field, ignoring case. */
  text?: string | undefined;
  email?: string | undefined;
  /** Whose sender waits for an answer. */
  unanswered?: true | undefined;
  answered?: true | undefined;
};

/** Newest or oldest first. Ids start with the time, so they sort by arrival. */
type Order = 'newest first' | 'oldest first';

/** SQLite reads them in one go, during which this process answers nobody: a few milliseconds. */
const AT_ONCE = 200;

/** The most messages that `pageOfMessages` searches for words: a tenth of a second's work. */
const SEARCHED = 10_000;

/** Every matching message, with a few hundred in memory at a time. */
export async function* eachMessage(source: Source, filter: Filter, order: Order): AsyncGenerator<Message> {
  const hasWords = wordsIn(filter.text);
  const hours = source.replyHours();
  for await (const rows of batches(source, filter, order))
    for (const row of rows) if (hasWords(row)) yield toMessage(row, hours);
}

export type Page = {
  rows: Message[];
  /** The id to go on after, if there may be more. */
  next: string | undefined;
  /** Set if the search for words ended early: how many messages it searched. */
  searched: number | undefined;
};

/**
 * The first matching messages after the one with the id `after`. With words to look for, it ends after some thousands
 * of messages, since neither database has an index of words.
 */
export async function pageOfMessages(
  source: Source,
  filter: Filter,
  order: Order,
  { most, after, limit = SEARCHED }: { most: number; after?: string | undefined; limit?: number },
): Promise<Page> {
  const hasWords = wordsIn(filter.text);
  const hours = source.replyHours();
  const found: Message[] = [];
  let searched = 0;
  const atOnce = filter.text === undefined ? most + 1 : AT_ONCE;
  for await (const rows of batches(source, filter, order, { after, atOnce })) {
    for (const row of rows) if (hasWords(row)) found.push(toMessage(row, hours));
    if (found.length > most)
      return { rows: found.slice(0, most), next: found[most - 1]?.id, searched: undefined };
    searched += rows.length;
    if (filter.text !== undefined && searched >= limit)
      return { rows: found, next: rows.at(-1)?.id, searched };
  }
  return { rows: found, next: undefined, searched: undefined };
}

async function* batches(
  { db }: Source,
  filter: Filter,
  order: Order,
  { after, atOnce = AT_ONCE }: { after?: string | undefined; atOnce?: number } = {},
) {
  const descending = order === 'newest first';
  let last = after;
  for (;;) {
    let query = db
      .selectFrom('contact_message')
      .selectAll()
      .orderBy('id', descending ? 'desc' : 'asc')
      .limit(atOnce);
    if (last !== undefined) query = query.where('id', descending ? '<' : '>', last);
    if (filter.state) query = query.where(isIn(filter.state));
    if (filter.unanswered) query = query.where(isUnanswered);
    if (filter.answered) query = query.where('answered_at', 'is not', null);
    if (filter.email !== undefined)
      query = query.where(({ fn }) => fn('lower', ['email']), '=', filter.email.toLowerCase());
    const rows = await query.execute();
    yield rows;
    last = rows.at(-1)?.id;
    if (rows.length < atOnce) return;
    // Visitors are answered in between.
    await turn();
  }
}

/** Not in SQL: neither database folds the case of every script on its own. */
function wordsIn(text: string | undefined): (row: Record<Field, string | undefined>) => boolean {
  if (text === undefined) return () => true;
  const wanted = folded(text);
  return (row) => folded(FIELD_NAMES.map((field) => row[field]).join('\n')).includes(wanted);
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** All of them by id, how many in each state, and the first of them. */
export type Unreported = { ids: string[]; counts: Record<State, number>; first: Message[] };

/** No mail will bring these: set aside, or held as suspected spam. */
const isStuck = sql<boolean>`(state = 'set_aside' or (state = 'spam' and held_for is not null))`;

/**
 * What the owner has neither opened, answered nor been told of by a daily mail: what's stuck first, then what's past the
 * promised time.
 *
 * @param most how many to read
 * @param delivered whether those that were mailed to her count
 */
export async function unreported(
  { db, replyHours }: Source,
  now: number,
  { most, delivered }: { most: number; delivered: boolean },
): Promise<Unreported> {
  const hours = replyHours();
  const rows = await db
    .selectFrom('contact_message')
    .select(['id', 'state'])
    // Without parameters, or SQLite wouldn't use the index.
    .where(sql<boolean>`listed_at is null and opened_at is null and answered_at is null`)
    .where(({ eb, or, and }) =>
      or([
        isStuck,
        and([
          eb('state', 'in', delivered ? ['waiting', 'sent'] : ['waiting']),
          eb('received_at', '<=', now - hours * HOUR),
        ]),
      ]),
    )
    .orderBy(sql`${isStuck} desc`)
    .orderBy('id')
    .execute();
  const counts = { waiting: 0, sent: 0, set_aside: 0, spam: 0 };
  for (const { state } of rows) counts[state] += 1;
  const ids = rows.map(({ id }) => id);
  const some = ids.slice(0, most);
  const found =
    some.length > 0
      ? await db.selectFrom('contact_message').selectAll().where('id', 'in', some).execute()
      : [];
  const byId = new Map(found.map((row) => [row.id, row]));
  const first = some.flatMap((id) => byId.get(id) ?? []).map((row) => toMessage(row, hours));
  return { ids, counts, first };
}

/** What's stuck and the owner hasn't opened, the oldest first. */
export async function unopened({ db, replyHours }: Source, most: number): Promise<Message[]> {
  const rows = await db
    .selectFrom('contact_message')
    .selectAll()
    .where(isUndelivered)
    .where(isStuck)
    .where('opened_at', 'is', null)
    .where('answered_at', 'is', null)
    .orderBy('received_at')
    .limit(most)
    .execute();
  const hours = replyHours();
  return rows.map((row) => toMessage(row, hours));
}

/** `inHand`: an outbox is mailing it right now. */
export type Found = Message & { inHand: boolean };

export async function messageWithId(
  { db, replyHours }: Source,
  id: string,
  now: number,
): Promise<Found | undefined> {
  const row = await db
    .selectFrom('contact_message')
    .selectAll()
    .select((eb) => isInHandAt(now)(eb).as('inHand'))
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...toMessage(row, replyHours()), inHand: Boolean(row.inHand) };
}

/** False once it's erased. */
export async function hasMessage({ db }: Source, id: string): Promise<boolean> {
  const row = await db.selectFrom('contact_message').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/**
 * Messages first seen after that time that the owner can be reminded of, the oldest first; none once there were `mostADay`
 * reminders in the last 24 hours.
 */
export async function toRemind(
  { db, replyHours }: Source,
  now: number,
  { after, mostADay }: { after: number; mostADay: number },
): Promise<Message[]> {
  const { reminded } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.countAll<number>().as('reminded'))
    .where('reminded_at', '>', now - DAY)
    .where('reminded_at', '<=', now)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('contact_message')
    .selectAll()
    .where(isToRemind)
    .where(({ eb, or }) => or([eb('seen_at', '>', after), eb('seen_at', 'is', null)]))
    .orderBy('id')
    .limit(sql.lit(Math.max(0, mostADay - reminded)))
    .execute();
  const hours = replyHours();
  return rows.map((row) => toMessage(row, hours));
}

export async function countMessages({ db }: Pick<Database, 'db'>): Promise<number> {
  const { count } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export type StateCount = { count: number; oldestAt: number | undefined };

/** How many are in each state but delivered, of which there may be very many, and when the oldest arrived. */
export async function countByState({
  db,
}: Pick<Database, 'db'>): Promise<Record<Exclude<State, 'sent'>, StateCount>> {
  const rows = await db
    .selectFrom('contact_message')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count'), fn.min('received_at').as('oldestAt')])
    .where(isUndelivered)
    .groupBy('state')
    .execute();
  const none = { count: 0, oldestAt: undefined };
  const found = rows.map(({ state, ...counted }) => [state, counted]);
  return { waiting: none, set_aside: none, spam: none, ...Object.fromEntries(found) };
}

/** How many are in each state, without reading what was delivered: only its index is counted. */
export async function countStates(source: Pick<Database, 'db'>): Promise<Record<State, number>> {
  const { count: sent } = await source.db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isDelivered)
    .executeTakeFirstOrThrow();
  const { waiting, spam, set_aside: aside } = await countByState(source);
  return { waiting: waiting.count, sent, set_aside: aside.count, spam: spam.count };
}

/** What the owner hasn't been mailed. */
export async function countUndelivered(source: Pick<Database, 'db'>) {
  const { waiting, spam, set_aside: aside } = await countByState(source);
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

/** Whether she has answered any. */
export async function anyAnswered({ db }: Pick<Database, 'db'>): Promise<boolean> {
  const row = await db
    .selectFrom('contact_message')
    .select('id')
    .where('answered_at', '>', UNTRACKED)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

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

/** Why the oldest message in that state wasn't mailed. */
export async function faultOfOldest({ db }: Pick<Database, 'db'>, state: State): Promise<string | null> {
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
export async function countSuspected({ db }: Pick<Database, 'db'>): Promise<number> {
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
export async function countRefused({ db }: Pick<Database, 'db'>, now: number): Promise<Refused> {
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
export async function anyWaitsFor({ db }: Pick<Database, 'db'>, fault: string): Promise<boolean> {
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
  { db }: Pick<Database, 'db'>,
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
export async function untriedSince({ db }: Pick<Database, 'db'>, time: number): Promise<StateCount> {
  const { count, oldestAt } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('next_attempt_at').as('oldestAt')])
    .where(isWaiting)
    .where('last_error', 'is', null)
    .where('next_attempt_at', '<=', time)
    .executeTakeFirstOrThrow();
  return { count, oldestAt: oldestAt ?? undefined };
}
