import type Sqlite from 'better-sqlite3';
import type { Generated, Insertable } from 'kysely';
import type { ContactMessage } from '../contract/contact.ts';

/** The same on both engines. Times are milliseconds since 1970. */
export type Tables = {
  contact_message: MessageTable;
  store_check: { id: number; checked_at: number };
  /** How often something happened on a day, which is YYYY-MM-DD. */
  daily_count: { day: string; what: string; count: number };
  /** When something that is done now and then was done last. */
  last_done: { what: string; at: number };
};

export type MessageTable = ContactMessage & {
  id: string;
  received_at: number;
  state: 'waiting' | 'sent' | 'set_aside' | 'spam';
  /** Counted when a message is taken, not when it has failed, so that a crash counts as well. */
  attempts: Generated<number>;
  /** While a message is being sent, the end of its lease. */
  next_attempt_at: number;
  failures: Generated<number>;
  first_failure_at: number | null;
  /** A label such as `retry smtp-451`, never the words of a mail server. None while it is being sent. */
  last_error: string | null;
  sent_at: number | null;
  message_id: string;
  content_hash: string;
  idempotency_key: string | null;
  /** How many messages its client had sent within the hour before; whoever sent none is mailed first. */
  sent_before: Generated<number>;
};

export type NewMessage = Insertable<MessageTable>;

/** All of them, in the order of the table. */
export const COLUMNS = [
  'id',
  'received_at',
  'name',
  'email',
  'message',
  'state',
  'attempts',
  'next_attempt_at',
  'failures',
  'first_failure_at',
  'last_error',
  'sent_at',
  'message_id',
  'content_hash',
  'idempotency_key',
  'sent_before',
] as const satisfies (keyof NewMessage)[];

const UNDELIVERED = "from contact_message where state <> 'sent'";

export function countUndelivered(sqlite: Sqlite.Database): number {
  return sqlite.prepare<[], number>(`select count(*) ${UNDELIVERED}`).pluck().get() ?? 0;
}

/** Adds what nobody has been mailed yet and the other file lacks. Returns how many those are. */
export function copyUndelivered(from: Sqlite.Database, to: Sqlite.Database): number {
  const insert = to.prepare<[MessageTable]>(
    `insert or ignore into contact_message (${COLUMNS.join(', ')}) values (${COLUMNS.map((name) => `@${name}`).join(', ')})`,
  );
  const copy = to.transaction(() => {
    let copied = 0;
    const rows = from.prepare<[], MessageTable>(`select ${COLUMNS.join(', ')} ${UNDELIVERED}`);
    for (const row of rows.iterate()) copied += insert.run(row).changes;
    return copied;
  });
  return copy.immediate();
}
