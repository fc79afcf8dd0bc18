import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqlite } from '../messages/open.ts';
import type { NewMessage } from '../messages/table.ts';
import { MESSAGE, START, temporaryFolder } from './open-test-service.ts';

/** As a UUID, so that the first row's is the lowest. */
export const idOf = (place: number) => `01a1fb9c-0000-7000-8000-${String(place).padStart(12, '0')}`;
/** Which rows these are, as numbers from 0. */
export const placesOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => Number(id.slice(-12)));

/** A file with these rows, which are waiting and due unless they say otherwise. */
export async function openWith(rows: Partial<NewMessage>[]) {
  const database = await openSqlite(join(temporaryFolder(), 'contact.db'));
  onTestFinished(() => database.close());
  const full = rows.map((row, place): NewMessage => {
    const id = idOf(place);
    return {
      ...MESSAGE,
      id,
      received_at: START,
      state: 'waiting',
      attempts: 0,
      next_attempt_at: START,
      failures: 0,
      first_failure_at: null,
      last_error: null,
      sent_at: null,
      message_id: `<${id}@example.com>`,
      content_hash: id,
      idempotency_key: null,
      sent_before: 0,
      answered_at: null,
      mail_place: null,
      reminded_at: null,
      held_for: null,
      judged_at: null,
      ...row,
    };
  });
  if (full.length > 0) await database.write(database.db.insertInto('contact_message').values(full));
  return database;
}
