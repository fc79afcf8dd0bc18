import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { eachField } from '../../contract/contact-message.ts';
import { eachMessage } from '../../server/messages/queries.ts';
import { answerDueAt, isAny, type Message } from '../../server/messages/table.ts';
import type { Desk } from '../command/desk.ts';
import { escapeControls } from '../command/terminal.ts';

/** Prints all messages for scripts, newest first. */
export async function list(desk: Desk, args: string[]): Promise<void> {
  parseArgs({ args, options: { json: { type: 'boolean' } } });
  desk.settings();
  const database = await desk.database();
  const lines = jsonArray(eachMessage(database, isAny, 'newest first'), database.replyHours());
  await pipeline(Readable.from(lines), process.stdout, { end: false });
}

/** Streams a JSON array with one message per line. */
export async function* jsonArray(
  messages: AsyncIterable<Message>,
  replyHours: number,
): AsyncGenerator<string> {
  let before = '[\n';
  for await (const message of messages) {
    yield `${before}${escapeControls(JSON.stringify(messageJson(message, replyHours)))}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** Times in ISO 8601, missing values as null. */
function messageJson(message: Message, replyHours: number) {
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
