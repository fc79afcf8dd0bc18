import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import {
  type ContactMessage,
  eachField,
  type Field,
  type OptionalField,
} from '../../contract/contact-message.ts';
import { HOUR } from '../../contract/time.ts';

/** The same on both engines. Times are milliseconds since 1970. */
export type Tables = {
  contact_message: MessageTable;
  store_check: { id: number; checked_at: number };
  /** When each periodic task was last done. */
  last_done: { what: string; at: number };
};

type Texts = { [F in Field]: F extends OptionalField ? Generated<string> : string };

/** In the order of a message's life. owner.ts says how it gets from one to another. */
export const STATES = ['waiting', 'sent', 'set_aside', 'spam'] as const;
export type State = (typeof STATES)[number];

export type MessageTable = Texts & {
  id: string;
  received_at: number;
  state: State;
  /** Counted when a message is claimed, not when it fails, so that crashes count too. */
  attempts: Generated<number>;
  /** While a message is being sent, the end of its lease. */
  next_attempt_at: number;
  failures: Generated<number>;
  first_failure_at: number | null;
  /** A label such as `retry smtp-451`, never the mail server's own words. None while it's being sent. */
  last_error: string | null;
  sent_at: number | null;
  /** How many messages its client had sent in the hour before; clients that had sent none are mailed first. */
  sent_before: Generated<number>;
  message_id: string;
  content_hash: string;
  idempotency_key: string | null;
  /** Null: not answered. 0 (`UNTRACKED`): it came before anybody kept track. */
  answered_at: number | null;
  /** When the owner was reminded that its sender waits for an answer. */
  reminded_at: number | null;
  /** When the message was first seen, by a clock that agreed with the days around it. Null: not yet. */
  seen_at: number | null;
  /** When the owner was mailed the list with it, while it's held. */
  listed_at: number | null;
  /** When the owner first opened it on a page of the desk. */
  opened_at: number | null;
  /** The names of its signs of spam, with blanks between them, while it's held back for them. */
  held_for: string | null;
  /** When the owner last said whether it's spam; its state says what. */
  judged_at: number | null;
};

/** In `next_attempt_at`: at once, by every clock. */
export const DUE = 0;

/** In `answered_at`, so that an upgrade doesn't turn years of answered messages into late ones. */
export const UNTRACKED = 0;

/** Changes one small row, to see whether the database takes writes. */
export function smallChange(db: Kysely<Tables>, now: number) {
  return db
    .insertInto('store_check')
    .values({ id: 1, checked_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ checked_at: now }));
}

/** A stored message. Times are milliseconds since 1970. */
export type Message = ContactMessage & {
  id: string;
  receivedAt: number;
  state: State;
  /** How often it was claimed. The next claim changes this, so it proves who owns the message. */
  attempts: number;
  /** While it's in hand, the end of its lease. */
  nextAttemptAt: number;
  failures: number;
  firstFailureAt: number | null;
  /** A label such as `retry smtp-451`, never the mail server's own words. */
  lastError: string | null;
  deliveredAt: number | null;
  /** Also null for one that came before anybody kept track. */
  answeredAt: number | null;
  /** When the promised time is up, in the past if it was missed. Null if nobody waits for an answer. */
  answerDueAt: number | null;
  messageId: string;
  /** Its signs of spam (suspicion.ts), if it's held back for them. */
  heldFor: string[];
};

/**
 * Without a parameter: SQLite would compare it with its partial indexes, and plan the statement anew at each run. It does
 * the same for a parameter as the limit of what it sorts.
 */
export const isWaiting = sql<boolean>`state = 'waiting'`;

/** Without a parameter for the same reason. */
export const isSent = sql<boolean>`state = 'sent'`;
export const isUnsent = sql<boolean>`state <> 'sent'`;

/** The second condition is for SQLite, which needs it word for word to use the index of what wasn't mailed. */
export const isIn = (state: State) =>
  state === 'sent' ? isSent : sql<boolean>`state = ${sql.lit(state)} and ${isUnsent}`;

/**
 * Whose sender waits for an answer, whether or not it was mailed; `answerDueAt` says it of one message. Without
 * parameters, or SQLite wouldn't use the index of these messages.
 */
export const isUnanswered = sql<boolean>`answered_at is null and state <> 'spam'`;

/** Those the owner can be reminded of. A message that was never mailed is a matter for the alarm. */
export const isToRemind = sql<boolean>`${isUnanswered} and state = 'sent' and reminded_at is null`;

/** A row as it leaves messages/, without what only the table needs. */
export function toMessage(row: Selectable<MessageTable>, replyHours: number): Message {
  const waits = row.answered_at === null && row.state !== 'spam';
  return {
    id: row.id,
    ...eachField((field) => row[field] ?? ''),
    receivedAt: row.received_at,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    failures: row.failures,
    firstFailureAt: row.first_failure_at,
    lastError: row.last_error,
    deliveredAt: row.sent_at,
    answeredAt: row.answered_at === UNTRACKED ? null : row.answered_at,
    answerDueAt: waits ? row.received_at + replyHours * HOUR : null,
    messageId: row.message_id,
    heldFor: row.held_for?.split(' ') ?? [],
  };
}

/** The end of an id, where ids differ most, for people to read. */
export const shortId = (id: string): string => id.slice(-8);
