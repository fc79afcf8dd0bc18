import { eachField } from '../../contract/contact-message.ts';
import type { Database } from '../../server/messages/database.ts';
import { type Found, messageWithId } from '../../server/messages/queries.ts';
import { answerDueAt, type Message } from '../../server/messages/table.ts';
import { Failed } from '../command/failures.ts';
import { escapeControls, oneLine } from '../command/terminal.ts';

export async function findMessage(database: Database, id: string): Promise<Found> {
  const message = await messageWithId(database, id, Date.now());
  if (!message) throw new Failed(`No message has the ID ${oneLine(id)}.`);
  return message;
}

/** A message for scripts: times in ISO 8601, missing values as null. */
export function messageJson(message: Message, replyHours: number) {
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id: message.id,
    receivedAt: iso(message.received_at),
    state: message.state,
    ...eachField((field) => message[field] ?? ''),
    attempts: message.attempts,
    lastError: message.last_error,
    nextAttemptAt: message.state === 'waiting' && message.last_error ? iso(message.next_attempt_at) : null,
    deliveredAt: iso(message.sent_at),
    answeredAt: iso(message.answered_at),
    answerDueAt: iso(answerDueAt(message, replyHours)),
    heldFor: message.held_for?.split(' ') ?? [],
  };
}

/** Streams a JSON array with one message per line. */
export async function* jsonArray(
  messages: AsyncIterable<Message>,
  replyHours: number,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  let left = most;
  let before = '[\n';
  for await (const message of messages) {
    yield `${before}${escapeControls(JSON.stringify(messageJson(message, replyHours)))}`;
    before = ',\n';
    left -= 1;
    if (left === 0) break;
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
