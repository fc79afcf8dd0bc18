import { InvalidArgumentError } from 'commander';
import type { Selectable } from 'kysely';
import { eachField, FIELD_NAMES } from '../contract/contact.ts';
import type { Database } from '../messages/database.ts';
import { checkEmail } from '../messages/fields.ts';
import type { MessageTable } from '../messages/table.ts';
import { Failed } from './failures.ts';
import { type State, stateName, storedState } from './states.ts';
import { escapeControls, oneLine } from './terminal.ts';

export type Row = Selectable<MessageTable>;

export type Filter = {
  state?: State | undefined;
  /** Received then or later, in milliseconds since 1970. */
  since?: number | undefined;
  /** In any field, whatever the case. */
  text?: string | undefined;
  email?: string | undefined;
};

const AT_ONCE = 500;

/**
 * Every message that passes, a few hundred in memory at a time. Ids begin with the time, so their order
 * is the order in which messages came, and the primary key finds where to go on.
 */
export async function* eachMessage(
  { db }: Database,
  filter: Filter,
  order: 'newest first' | 'oldest first',
): AsyncGenerator<Row> {
  const wanted = filter.text === undefined ? undefined : folded(filter.text);
  const descending = order === 'newest first';
  let last: string | undefined;
  for (;;) {
    let query = db
      .selectFrom('contact_message')
      .selectAll()
      .orderBy('id', descending ? 'desc' : 'asc')
      .limit(AT_ONCE);
    if (last !== undefined) query = query.where('id', descending ? '<' : '>', last);
    if (filter.state) query = query.where('state', '=', storedState(filter.state));
    if (filter.since !== undefined) query = query.where('received_at', '>=', filter.since);
    if (filter.email !== undefined)
      query = query.where(({ fn }) => fn('lower', ['email']), '=', filter.email.toLowerCase());
    const rows = await query.execute();
    for (const row of rows) {
      // Not in SQL: neither database folds the case of every script by itself.
      if (wanted === undefined || folded(FIELD_NAMES.map((field) => row[field]).join('\n')).includes(wanted))
        yield row;
    }
    last = rows.at(-1)?.id;
    if (rows.length < AT_ONCE) return;
  }
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Fewer letters would find somebody else's message before long. */
const SHORTEST = 4;

/** The one message with this in its id: all of it, its beginning, or what `list` shows. */
export async function findMessage({ db }: Database, id: string): Promise<Row> {
  const part = id.trim().toLowerCase();
  if (part.length < SHORTEST || !/^[0-9a-f-]+$/.test(part)) {
    throw new Failed(
      `“${oneLine(id)}” is no id of a message: give ${SHORTEST} or more of its letters, as \`npm run desk list\` shows them.`,
    );
  }
  const rows = await db
    .selectFrom('contact_message')
    .selectAll()
    .where('id', 'like', `%${part}%`)
    .orderBy('id', 'desc')
    .limit(6)
    .execute();
  const [row, ...more] = rows;
  if (!row) throw new Failed(`No message has the id ${part}. \`npm run desk list\` shows them.`);
  const exact = rows.find((candidate) => candidate.id === part);
  if (exact) return exact;
  if (more.length > 0) {
    const some = rows.slice(0, 5).map((candidate) => `  ${candidate.id}  ${oneLine(candidate.name)}`);
    throw new Failed(
      `Several messages have ${part} in their id; give more of it:\n${some.join('\n')}${rows.length > 5 ? '\n  …' : ''}`,
    );
  }
  return row;
}

/** An option's address, as the form would have stored it. */
export function normalEmail(text: string): string {
  const email = checkEmail(text);
  if (email === undefined) throw new InvalidArgumentError('A whole e-mail address is needed.');
  return email;
}

/** A message for scripts: times in ISO 8601, absent values null. */
export function messageJson(row: Row) {
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id: row.id,
    receivedAt: iso(row.received_at),
    state: stateName(row.state),
    ...eachField((field) => row[field] ?? ''),
    attempts: row.attempts,
    lastError: row.last_error,
    nextAttemptAt: row.state === 'waiting' ? iso(row.next_attempt_at) : null,
    deliveredAt: iso(row.sent_at),
  };
}

/** Messages as one JSON array, a line each, as they come and at most so many. */
export async function* jsonArray(
  rows: AsyncIterable<Row>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  let left = most;
  let before = '[\n';
  for await (const row of rows) {
    yield `${before}${escapeControls(JSON.stringify(messageJson(row)))}`;
    before = ',\n';
    left -= 1;
    if (left === 0) break;
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
