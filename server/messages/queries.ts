import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { folded } from '../../contract/clean.ts';
import { FIELD_NAMES } from '../../contract/contact-message.ts';
import { DAY, HOUR } from '../../contract/time.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Database } from './database.ts';
import { deliveredWith, lastDoneAt, SWEPT } from './last-done.ts';
import {
  isAny,
  isHeld,
  isIn,
  isLate,
  isNew,
  isOne,
  isSent,
  isToRemind,
  isUnanswered,
  isUnsent,
  isWaiting,
  type Message,
  type Rule,
  type State,
} from './table.ts';

type Db = Pick<Database, 'db'>;

const messages = ({ db }: Db, which: Rule) => db.selectFrom('contact_message').selectAll().where(which);

type Order = 'newest first' | 'oldest first';

/** SQLite reads them in one go, while this process answers nobody: a few milliseconds. */
const AT_ONCE = 200;
/** The most messages that are looked through for a page. For words, it takes a twentieth of a second, or a tenth. */
const SEARCHED = 3_000;

/** In the order of their ids, which start with the time, and with a few hundred in memory at a time. */
export async function* eachMessage(source: Db, which: Rule, order: Order, after?: string, atOnce = AT_ONCE) {
  const [direction, beyond] = order === 'newest first' ? (['desc', '<'] as const) : (['asc', '>'] as const);
  const all = messages(source, which).orderBy('id', direction).limit(atOnce);
  for (let last = after; ; ) {
    const rows = await (last === undefined ? all : all.where('id', beyond, last)).execute();
    yield* rows;
    last = rows.at(-1)?.id;
    if (rows.length < atOnce) return;
    // Visitors are answered in between.
    await turn();
  }
}

export type Page = {
  rows: Message[];
  /** The id to go on after, if there may be more. */
  next?: string | undefined;
  /** Set if the search for words ended early: how many messages it searched. */
  searched?: number | undefined;
};

/** The first after the one with the id `after` that match, with each word of `text` somewhere. Neither database has an index of words. */
export async function pageOfMessages(
  source: Db,
  { which = isAny, text = '' }: { which?: Rule; text?: string },
  order: Order,
  { most, after, limit = SEARCHED }: { most: number; after?: string | undefined; limit?: number },
): Promise<Page> {
  const wanted = folded(text).split(' ');
  const rows: Message[] = [];
  let searched = 0;
  for await (const row of eachMessage(source, which, order, after, text ? AT_ONCE : most + 1)) {
    const words = folded(FIELD_NAMES.map((field) => row[field]).join('\n'));
    if (wanted.every((word) => words.includes(word))) {
      if (rows.length === most) return { rows, next: rows.at(-1)?.id };
      rows.push(row);
    }
    searched += 1;
    if (text && searched === limit) return { rows, next: row.id, searched };
  }
  return { rows };
}

export const messageWithId = (source: Db, id: string): Promise<Message | undefined> =>
  messages(source, isOne(id)).executeTakeFirst();

/** Per state. What isn't noted after one mail is counted again in the next. */
const NOTED = 20_000;

/** How many in each state, the first of them, and the ids to note once she's told. */
export type Unreported = { counts: Record<State, number>; first: Message[]; ids: string[] };

/** Most likely a bot's. What's held for another reason may be a lead, which a flood of these mustn't hide. */
const isTrapped = sql<boolean>`coalesce(held_for, '') like 'trap%'`;

/**
 * What she hasn't opened, answered or been told about: what may never have reached her, what's late, and bots' last.
 * `delivered`: mailed ones, too.
 */
export async function unreported(
  source: Db,
  now: number,
  { most, delivered }: { most: number; delivered: boolean },
): Promise<Unreported> {
  // Separately, so that an index has each in this order, however many there are.
  const rules: [State, Rule][] = [
    ['set_aside', isIn('set_aside')],
    // However long she has promised to take
    ['waiting', sql`${isIn('waiting')} and (${isLate(now)} or received_at <= ${now - 2 * DAY})`],
    ['spam', sql`${isHeld} and not ${isTrapped}`],
    ...(delivered ? [['sent', sql`${isSent} and ${isLate(now)}`] satisfies [State, Rule]] : []),
    ['spam', sql`${isHeld} and ${isTrapped}`],
  ];
  const found: Unreported = { counts: { waiting: 0, sent: 0, set_aside: 0, spam: 0 }, first: [], ids: [] };
  for (const [state, rule] of rules) {
    const which = sql<boolean>`${rule} and listed_at is null and ${isNew}`;
    const oldestFirst = messages(source, which).orderBy('received_at').orderBy('id');
    found.counts[state] += await countMessages(source, which);
    const ids = await oldestFirst.clearSelect().select('id').limit(NOTED).execute();
    found.ids.push(...ids.map(({ id }) => id));
    found.first.push(...(await oldestFirst.limit(most - found.first.length).execute()));
  }
  return found;
}

/** What no mail will bring and the owner hasn't opened, the oldest first, and bots' last. */
export async function unopened(source: Db, most: number): Promise<Message[]> {
  const stuck = messages(source, sql`${isUnsent} and (${isIn('set_aside')} or ${isHeld}) and ${isNew}`);
  // Separately, so that an index has each in this order.
  const oldest = (which: Rule) => stuck.where(which).orderBy('received_at').limit(most).execute();
  return [...(await oldest(sql`not ${isTrapped}`)), ...(await oldest(isTrapped))].slice(0, most);
}

/** Whose promised time is up, and the owner hasn't opened, the oldest first. */
export async function missed(source: Db, now: number, most: number): Promise<Message[]> {
  // Queried separately, since an index has all that this needs.
  const late = sql`select id from contact_message where ${isUnanswered} and ${isLate(now)}
    order by id limit ${sql.lit(SEARCHED)}`;
  return messages(source, sql`id in (${late}) and opened_at is null`).orderBy('id').limit(most).execute();
}

/**
 * What the owner can be reminded of, until it's as late as its time was long, the oldest first: no more than `mostADay` in
 * 24 hours.
 */
export async function toRemind(source: Db, now: number, mostADay: number) {
  const reminded = await countMessages(source, sql`reminded_at > ${now - DAY} and reminded_at <= ${now}`);
  const start = sql`${now} - reply_hours * ${sql.lit(2 * HOUR)}`;
  // Queried separately, since an index has all that this needs.
  const recent = sql`select id from contact_message where ${isUnanswered} and received_at > ${start}`;
  // Either may come from a fast clock.
  const isRecent = sql`id in (${recent}) and (seen_at > ${start} or seen_at is null)`;
  // In the order of the ids, both databases would look through all that nobody has marked as answered.
  return messages(source, sql`${isToRemind(now)} and ${isRecent}`)
    .orderBy('received_at')
    .limit(sql.lit(Math.max(0, mostADay - reminded)))
    .execute();
}

export async function countMessages({ db }: Db, which: Rule = isAny): Promise<number> {
  const counted = sql<{ count: number }>`select count(*) as count from contact_message where ${which}`;
  return (await counted.execute(db)).rows[0]?.count ?? 0;
}

/** How many are in each state but sent, of which there may be very many. */
export async function countUnsent(source: Db): Promise<Record<Exclude<State, 'sent'>, number>> {
  const count = (state: State) => countMessages(source, isIn(state));
  return { waiting: await count('waiting'), set_aside: await count('set_aside'), spam: await count('spam') };
}

/** `late`: how many of them have waited longer than the page promised. */
export async function countUnanswered(source: Db, now: number) {
  const late = await countMessages(source, sql`${isUnanswered} and ${isLate(now)}`);
  return { unanswered: await countMessages(source, isUnanswered), late };
}

/** `oldestAt` is since when the oldest of them waits, 0 if there's none, and `fault` the label of its last try. */
export type Waiting = { count: number; oldestAt: number; fault: string | null };

async function countWaiting(source: Db, which: Rule, since = sql<number>`received_at`): Promise<Waiting> {
  const oldest = sql<Omit<Waiting, 'count'>>`select ${since} as "oldestAt", last_error as fault
    from contact_message where ${which} order by ${since} limit 1`;
  const { rows } = await oldest.execute(source.db);
  return { count: await countMessages(source, which), oldestAt: 0, fault: null, ...rows[0] };
}

/** Whose mail has been failing since that time. A first failure later than `after` came from a clock that ran ahead. */
export function failingSince(source: Db, time: number, after = Number.MAX_SAFE_INTEGER): Promise<Waiting> {
  const since = sql<number>`coalesce(first_failure_at, received_at)`;
  const isSince = sql`(${since} <= ${time} or ${since} > ${after})`;
  return countWaiting(source, sql`${isWaiting} and last_error is not null and ${isSince}`, since);
}

/** Set aside, and not yet opened. */
const isAside = sql<boolean>`${isIn('set_aside')} and ${isNew}`;
export const countAside = (source: Db): Promise<number> => countMessages(source, isAside);

/** What a check tells the owner about: all that waits, and otherwise what she hasn't opened. */
export async function readQueue(source: Db, settings: Settings, now: number) {
  const isLateNew = sql`${isLate(now)} and ${isNew}`;
  const isRefused = sql`last_error like 'refused %' and ${isNew}`;
  return {
    waiting: await countWaiting(source, isIn('waiting')),
    setAside: await countWaiting(source, isAside),
    held: await countWaiting(source, sql`${isHeld} and ${isNew}`),
    late: await countWaiting(source, sql`${isSent} and ${isLateNew}`),
    /** What went out without its words within the last week, since the mail server refused them. */
    refused: await countWaiting(source, sql`${isSent} and sent_at > ${now - 7 * DAY} and ${isRefused}`),
    /** About when a mail was last taken with these settings. */
    deliveredAt: await lastDoneAt(source, deliveredWith(settings)),
    lastBackupAt: await lastDoneAt(source, 'backup'),
    sweptAt: await lastDoneAt(source, SWEPT),
  };
}
