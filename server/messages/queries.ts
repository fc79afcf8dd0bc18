import { setImmediate as turn } from 'node:timers/promises';
import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { FIELD_NAMES, type Field } from '../../contract/contact-message.ts';
import type { Promised } from '../../contract/promise.ts';
import { DAY, HOUR } from '../../contract/time.ts';
import { byCaller, isInHand } from './claims.ts';
import type { Database } from './database.ts';
import {
  isIn,
  isSent,
  isToRemind,
  isUnanswered,
  isUnsent,
  isWaiting,
  type Message,
  type MessageTable,
  type State,
  toMessage,
  UNTRACKED,
} from './table.ts';

type Source = Pick<Database, 'db' | 'replyHours'>;
type Row = Selectable<MessageTable>;

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

/** The most messages that `pageOfMessages` searches for words: a twentieth of a second's work, a tenth on a busy machine. */
const SEARCHED = 3_000;

/** Every matching message, with a few hundred in memory at a time. */
export async function* eachMessage(source: Source, filter: Filter, order: Order): AsyncGenerator<Message> {
  const hasWords = wordsIn(filter.text);
  const hours = source.replyHours();
  for await (const row of eachRow(source, filter, order)) if (hasWords(row)) yield toMessage(row, hours);
}

export type Page = {
  rows: Message[];
  /** The id to go on after, if there may be more. */
  next?: string | undefined;
  /** Set if the search for words ended early: how many messages it searched. */
  searched?: number | undefined;
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
  const rows: Message[] = [];
  let searched = 0;
  const atOnce = filter.text === undefined ? most + 1 : AT_ONCE;
  for await (const row of eachRow(source, filter, order, { after, atOnce })) {
    if (hasWords(row)) {
      if (rows.length === most) return { rows, next: rows.at(-1)?.id };
      rows.push(toMessage(row, hours));
    }
    searched += 1;
    if (filter.text !== undefined && searched === limit) return { rows, next: row.id, searched };
  }
  return { rows };
}

async function* eachRow(
  { db }: Source,
  filter: Filter,
  order: Order,
  { after, atOnce = AT_ONCE }: { after?: string | undefined; atOnce?: number } = {},
): AsyncGenerator<Row> {
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
    yield* rows;
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

function toMessages(rows: Row[], { replyHours }: Source): Message[] {
  const hours = replyHours();
  return rows.map((row) => toMessage(row, hours));
}

/** `inHand`: an outbox is mailing it right now. */
export type Found = Message & { inHand: boolean };

/** Undefined once it's erased. */
export async function messageWithId(
  { db, replyHours }: Source,
  id: string,
  now: number,
): Promise<Found | undefined> {
  const row = await db
    .selectFrom('contact_message')
    .selectAll()
    .select(isInHand(byCaller(now)).as('inHand'))
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...toMessage(row, replyHours()), inHand: Boolean(row.inHand) };
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
  source: Source,
  now: number,
  { most, delivered }: { most: number; delivered: boolean },
): Promise<Unreported> {
  const mailed = delivered ? sql`('waiting', 'sent')` : sql`('waiting')`;
  const isLate = sql`state in ${mailed} and received_at <= ${now - source.replyHours() * HOUR}`;
  const late = source.db
    .selectFrom('contact_message')
    // Without parameters, or SQLite wouldn't use the index.
    .where(sql<boolean>`listed_at is null and opened_at is null and answered_at is null`)
    .where(sql<boolean>`(${isStuck} or (${isLate}))`)
    .orderBy(sql`${isStuck} desc`)
    .orderBy('id');
  const rows = await late.select(['id', 'state']).execute();
  const counts = { waiting: 0, sent: 0, set_aside: 0, spam: 0 };
  for (const { state } of rows) counts[state] += 1;
  const first = await late.selectAll().limit(most).execute();
  return { ids: rows.map(({ id }) => id), counts, first: toMessages(first, source) };
}

/** What's stuck and the owner hasn't opened, the oldest first. */
export async function unopened(source: Source, most: number): Promise<Message[]> {
  const rows = await source.db
    .selectFrom('contact_message')
    .selectAll()
    .where(sql<boolean>`${isUnsent} and ${isStuck} and opened_at is null and answered_at is null`)
    .orderBy('received_at')
    .limit(most)
    .execute();
  return toMessages(rows, source);
}

/**
 * Messages first seen after that time that the owner can be reminded of, the oldest first; none once there were `mostADay`
 * reminders in the last 24 hours.
 */
export async function toRemind(
  source: Source,
  now: number,
  { after, mostADay }: { after: number; mostADay: number },
): Promise<Message[]> {
  const wasToday = sql<boolean>`reminded_at > ${now - DAY} and reminded_at <= ${now}`;
  const reminded = await countMessages(source, wasToday);
  const rows = await source.db
    .selectFrom('contact_message')
    .selectAll()
    .where(sql<boolean>`${isToRemind} and (seen_at > ${after} or seen_at is null)`)
    // In the order of the ids, both databases would look through all that nobody has marked as answered.
    .orderBy('received_at')
    .limit(sql.lit(Math.max(0, mostADay - reminded)))
    .execute();
  return toMessages(rows, source);
}

export async function countMessages(
  { db }: Pick<Database, 'db'>,
  which: Expression<SqlBool> = sql`true`,
): Promise<number> {
  const { count } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(which)
    .executeTakeFirstOrThrow();
  return count;
}

/** How many are in each state but sent, of which there may be very many. */
export async function countUnsent({
  db,
}: Pick<Database, 'db'>): Promise<Record<Exclude<State, 'sent'>, number>> {
  const rows = await db
    .selectFrom('contact_message')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where(isUnsent)
    .groupBy('state')
    .execute();
  return {
    ...{ waiting: 0, set_aside: 0, spam: 0 },
    ...Object.fromEntries(rows.map(({ state, count }) => [state, count])),
  };
}

/** What wasn't sent, by its state and the fault of its last try. `oldestAt` is when the first of them came. */
export async function unsentByFault({ db }: Pick<Database, 'db'>) {
  return db
    .selectFrom('contact_message')
    .select(({ fn }) => [
      'state',
      'last_error as fault',
      fn.countAll<number>().as('count'),
      fn.min('received_at').as('oldestAt'),
    ])
    .where(isUnsent)
    .groupBy(['state', 'last_error'])
    .execute();
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
  { db, replyHours: promised }: Source,
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

export type Refused = { count: number; fault: string | null };

/** What went out without its words within the last week, since the mail server refused them, and wasn't opened. */
export async function sentWithoutWords({ db }: Pick<Database, 'db'>, now: number): Promise<Refused> {
  return db
    .selectFrom('contact_message')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('last_error').as('fault')])
    .where(sql<boolean>`${isSent} and sent_at > ${now - 7 * DAY}`)
    .where(sql<boolean>`last_error like 'refused %' and opened_at is null`)
    .executeTakeFirstOrThrow();
}

/** `oldestAt` is null if there's none. */
type Failing = { count: number; oldestAt: number | null; fault: string | null };

/**
 * Messages whose mail has been failing since that time or earlier, and the oldest one's fault. A first failure later
 * than `after`, a time in the future, came from a clock that ran ahead, and counts too.
 */
export async function failingSince(
  { db }: Pick<Database, 'db'>,
  time: number,
  after = Number.MAX_SAFE_INTEGER,
): Promise<Failing> {
  const since = sql`coalesce(first_failure_at, received_at)`;
  const oldest = await sql<Failing>`
    select last_error as fault, ${since} as "oldestAt", count(*) over () as count from contact_message
    where ${isWaiting} and last_error is not null and (${since} <= ${time} or ${since} > ${after})
    order by ${since} limit 1`.execute(db);
  return oldest.rows[0] ?? { count: 0, oldestAt: null, fault: null };
}
