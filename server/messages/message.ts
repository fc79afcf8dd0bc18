import { type Selectable, sql } from 'kysely';
import { type ContactMessage, eachField } from '../../contract/contact-message.ts';
import { HOUR } from '../../contract/time.ts';
import { type MessageTable, UNTRACKED } from './table.ts';

/** A state's name outside messages/: on screen, after --state, in JSON and CSV. */
export type State = 'waiting' | 'delivered' | 'set-aside' | 'spam';

/** Every state, in the order of a message's life, with its name in the table. */
export const STATES: Readonly<Record<State, MessageTable['state']>> = {
  waiting: 'waiting',
  delivered: 'sent',
  'set-aside': 'set_aside',
  spam: 'spam',
};
export const STATE_NAMES = Object.keys(STATES) as State[];

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
export const isDelivered = sql<boolean>`state = 'sent'`;
export const isUndelivered = sql<boolean>`state <> 'sent'`;

/** The second condition is for SQLite, which needs it word for word to use the index of what wasn't mailed. */
export const isIn = (state: State) =>
  state === 'delivered' ? isDelivered : sql<boolean>`state = ${sql.lit(STATES[state])} and ${isUndelivered}`;

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
    state: nameOf(row.state),
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

export function nameOf(stored: MessageTable['state']): State {
  const name = STATE_NAMES.find((each) => STATES[each] === stored);
  if (!name) throw new Error(`No state is stored as ${stored}`);
  return name;
}

/** The end of an id, where ids differ most, for people to read. */
export const shortId = (id: string): string => id.slice(-8);
