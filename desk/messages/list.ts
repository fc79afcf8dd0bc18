import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { eachField } from '../../contract/contact-message.ts';
import { eachMessage } from '../../server/messages/queries.ts';
import type { Message } from '../../server/messages/table.ts';
import type { Desk } from '../command/desk.ts';
import { escapeControls } from '../command/terminal.ts';

/** Prints all messages for scripts, newest first. */
export async function list(desk: Desk, args: string[]): Promise<void> {
  parseArgs({ args, options: { json: { type: 'boolean' } } });
  desk.settings();
  const messages = eachMessage(await desk.database(), {}, 'newest first');
  await pipeline(Readable.from(jsonArray(messages)), process.stdout, { end: false });
}

/** Streams a JSON array with one message per line. */
export async function* jsonArray(messages: AsyncIterable<Message>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const message of messages) {
    yield `${before}${escapeControls(JSON.stringify(messageJson(message)))}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** Times in ISO 8601, missing values as null. */
function messageJson(message: Message) {
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id: message.id,
    receivedAt: iso(message.receivedAt),
    state: message.state,
    ...eachField((field) => message[field] ?? ''),
    attempts: message.attempts,
    lastError: message.lastError,
    nextAttemptAt: message.state === 'waiting' ? iso(message.nextAttemptAt) : null,
    deliveredAt: iso(message.deliveredAt),
    answeredAt: iso(message.answeredAt),
    answerDueAt: iso(message.answerDueAt),
    heldFor: message.heldFor,
  };
}
