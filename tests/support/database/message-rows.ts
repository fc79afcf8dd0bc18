import { eachField } from '../../../contract/contact-message.ts';
import type { Database } from '../../../server/messages/database.ts';
import type { Message } from '../../../server/messages/table.ts';
import { MESSAGE, START } from '../service.ts';
import { openFile } from './new-database.ts';
import { storedRows } from './stored-rows.ts';

/** As a UUID, so that the first row's is the lowest. */
export const idOf = (location: number) => `01a1fb9c-0000-7000-8000-${String(location).padStart(12, '0')}`;
/** Which rows these are, as numbers from 0. */
export const placesOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => Number(id.slice(-12)));

/** It's waiting and due, unless `change` says otherwise. */
export function rowAt(location: number, change: Partial<Message> = {}): Message {
  const id = idOf(location);
  return {
    attempts: 0,
    failures: 0,
    first_failure_at: null,
    last_error: null,
    sent_at: null,
    answered_at: null,
    reminded_at: null,
    seen_at: null,
    listed_at: null,
    opened_at: null,
    judged_at: null,
    ...eachField(() => ''),
    ...MESSAGE,
    id,
    received_at: START,
    reply_hours: 24,
    state: 'waiting',
    next_attempt_at: START,
    message_id: `<${id}@example.com>`,
    content_hash: id,
    idempotency_key: null,
    sent_before: 0,
    held_for: null,
    ...change,
  };
}

export async function openWith(rows: Partial<Message>[]) {
  const database = await openFile();
  await insertRows(database, rows);
  return database;
}

/** In batches, since a statement takes a limited number of values. */
export async function insertRows({ db, write }: Database, rows: Partial<Message>[]): Promise<void> {
  const full = rows.map((row, location) => rowAt(location, row));
  for (let start = 0; start < full.length; start += 1000)
    await write(db.insertInto('contact_message').values(full.slice(start, start + 1000)));
}

/** The texts of the stored messages, oldest first. */
export const storedTexts = (file: string): string[] =>
  storedRows(file, 'true order by received_at, id').map(({ message }) => message);
