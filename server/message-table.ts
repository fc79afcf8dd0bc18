import type Database from 'better-sqlite3';
import type { Generated, Insertable } from 'kysely';
import type { ContactMessage } from '../contract/contact.ts';

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
};

type NewMessage = Insertable<MessageTable>;
export type Inserted = { id: string; duplicate: boolean };

const COLUMNS = [
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
] as const satisfies (keyof NewMessage)[];

/** The same Idempotency-Key whenever, or the same content since the time that is given. */
const TWIN = `select id from contact_message
  where idempotency_key = @idempotency_key
    or (content_hash = @content_hash and received_at > @since
      -- A real message must not vanish into an earlier one that will not be mailed.
      and (@state = 'spam' or state <> 'spam'))
  limit 1`;

/**
 * Inserts a message unless it is there already. Prepared once and by hand, because building the
 * statement anew took longer than running it. One statement decides and inserts: neither a second
 * request nor a second process fits between.
 */
export function insertOnce(
  sqlite: Database.Database,
): (message: { row: NewMessage; since: number }) => Inserted {
  type Parameters = NewMessage & { since: number };
  const insert = sqlite.prepare<[Parameters], { id: string }>(
    `insert into contact_message (${COLUMNS.join(', ')})
      select ${COLUMNS.map((column) => `@${column}`).join(', ')} where not exists (${TWIN}) returning id`,
  );
  const twin = sqlite.prepare<[Parameters], { id: string }>(TWIN);
  return ({ row, since }) => {
    const parameters = { ...row, since };
    const inserted = insert.get(parameters);
    if (inserted) return { id: inserted.id, duplicate: false };
    const first = twin.get(parameters);
    if (!first) throw new Error('A message was neither inserted nor found');
    return { id: first.id, duplicate: true };
  };
}
