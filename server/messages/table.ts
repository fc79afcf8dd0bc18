import { type Expression, type Generated, type Selectable, type SqlBool, sql } from 'kysely';
import type { Field } from '../../contract/contact-message.ts';
import { HOUR } from '../../contract/time.ts';

/** The same on both engines. Times are milliseconds since 1970. */
export type Tables = {
  contact_message: MessageTable;
  last_done: { what: string; at: number };
};

/** owner.ts says how a message moves between them. */
export const STATES = ['waiting', 'sent', 'set_aside', 'spam'] as const;
export type State = (typeof STATES)[number];

type MessageTable = Record<Field, string> & {
  id: string;
  received_at: number;
  /** Within how many hours the page promised an answer when it came. */
  reply_hours: Generated<number>;
  state: State;
  /** How often it was claimed. The next claim changes this, so it proves who owns the message. */
  attempts: Generated<number>;
  /** While a message is being sent, the end of its lease. */
  next_attempt_at: number;
  failures: Generated<number>;
  first_failure_at: number | null;
  /** A label such as `retry smtp-451`, never the mail server's own words, or `filed`. None while it's being sent. */
  last_error: string | null;
  sent_at: number | null;
  /** How many messages its client had sent in the hour before; clients that had sent none are mailed first. */
  sent_before: Generated<number>;
  message_id: string;
  content_hash: string;
  idempotency_key: string | null;
  answered_at: number | null;
  reminded_at: number | null;
  /** When the message was first seen, by a clock in line with the days around it. Null: not yet. */
  seen_at: number | null;
  /** When the owner was mailed the list with it. */
  listed_at: number | null;
  opened_at: number | null;
  /** The names of its signs of spam (suspicion.ts), separated by spaces, while it's held back for them. */
  held_for: string | null;
  /** When the owner last said whether it's spam; its state says what. */
  judged_at: number | null;
};

export type Message = Selectable<MessageTable>;
export type Rule = Expression<SqlBool>;

/** In `next_attempt_at`: at once, by every clock. */
export const DUE = 0;
/** The longest a message waits for its next try, or for the end of its lease. */
export const LONGEST_WAIT_MS = 3 * HOUR;

// Which messages. Without parameters: SQLite would compare them with its partial indexes, and replan the statement at each
// run. It does the same for a parameter as the limit of what it sorts.

export const isAny = sql<boolean>`true`;
export const isWaiting = sql<boolean>`state = 'waiting'`;
export const isSent = sql<boolean>`state = 'sent'`;
export const isUnsent = sql<boolean>`state <> 'sent'`;
/** She hasn't opened it on her desk, or said that she has answered it. */
export const isNew = sql<boolean>`opened_at is null and answered_at is null`;
/** As suspected spam; the owner hasn't said what it is. */
export const isHeld = sql<boolean>`(state = 'spam' and held_for is not null)`;

/** The second condition is for SQLite, which needs it word for word to use the index of what wasn't mailed. */
export const isIn = (state: State) =>
  state === 'sent' ? isSent : sql<boolean>`state = ${sql.lit(state)} and ${isUnsent}`;

/** Claimed by an outbox whose lease hasn't expired, or was set by a fast clock: `claim` has the same bound. */
export const isLeased = (now: number) => sql<boolean>`(attempts > 0 and last_error is null and sent_at is null
  and next_attempt_at > ${now} and next_attempt_at <= ${now + LONGEST_WAIT_MS})`;
export const isInHand = (now: number) => sql<boolean>`(${isWaiting} and ${isLeased(now)})`;

export const isOne = (id: string) => sql<boolean>`id = ${id}`;
export const isFrom = (email: string) => sql<boolean>`lower(email) = ${email.toLowerCase()}`;
export const isOneOf = (ids: string[]) => sql<boolean>`id in (${sql.join(ids)})`;

/** First seen before that time, and shown to the owner by a mail or her desk: nothing else is erased by age. */
export const isOld = (time: number) => sql<boolean>`seen_at < ${time} and state <> 'waiting'
  and (state = 'sent' or coalesce(opened_at, listed_at, answered_at, judged_at) is not null)`;

export const isAnswered = sql<boolean>`answered_at is not null`;
/** Whose sender waits for an answer, whether or not it was mailed; `answerDueAt` says it of one message. */
export const isUnanswered = sql<boolean>`answered_at is null and state <> 'spam'`;
/** Those the owner can be reminded of. A message that was never mailed is up to the alarm. */
export const isToRemind = (now: number) =>
  // A reminder in the future came from a clock that's since been set right. One within the hour is another server's.
  sql<boolean>`${isUnanswered} and state = 'sent' and (reminded_at is null or reminded_at > ${now + HOUR})`;

export const isLate = (now: number) => sql<boolean>`received_at + reply_hours * ${sql.lit(HOUR)} <= ${now}`;

/** When the time that the page promised is up, in the past if it was missed. */
export const promisedBy = ({ received_at, reply_hours }: Message): number => received_at + reply_hours * HOUR;

/** The same, and null if nobody waits for an answer. */
export const answerDueAt = (message: Message): number | null =>
  message.answered_at === null && message.state !== 'spam' ? promisedBy(message) : null;
