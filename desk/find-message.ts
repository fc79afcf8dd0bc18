import { eachField } from '../contract/contact-message.ts';
import type { Database } from '../server/messages/database.ts';
import { checkEmail } from '../server/messages/fields.ts';
import type { Message } from '../server/messages/message.ts';
import { type Found, messagesWithId } from '../server/messages/queries.ts';
import { Failed, WrongUsage } from './failures.ts';
import { escapeControls, oneLine } from './terminal.ts';

/** Anything shorter would soon match several messages. */
const SHORTEST = 4;

/** By the whole id, its prefix, or the letters that `list` shows. */
export async function findMessage(database: Database, id: string): Promise<Found> {
  const part = id.trim().toLowerCase();
  if (part.length < SHORTEST || !/^[0-9a-f-]+$/.test(part)) {
    throw new Failed(
      `“${oneLine(id)}” isn’t a message’s ID. Give ${SHORTEST} or more of its letters, as \`npm run desk list\` shows them.`,
    );
  }
  const found = await messagesWithId(database, part, Date.now());
  const message = found.find((candidate) => candidate.id === part) ?? found[0];
  if (!message) throw new Failed(`No message has the id ${part}. \`npm run desk list\` shows them.`);
  if (found.length > 1 && message.id !== part) {
    const some = found.slice(0, 5).map((candidate) => `  ${candidate.id}  ${oneLine(candidate.name)}`);
    throw new Failed(
      `Several messages have ${part} in their id; give more of it:\n${some.join('\n')}${found.length > 5 ? '\n  …' : ''}`,
    );
  }
  return message;
}

/** As the form would have stored it. */
export function normalEmail(text: string): string {
  const email = checkEmail(text);
  if (email === undefined) throw new WrongUsage('Give a whole e-mail address.');
  return email;
}

/** A message for scripts: times in ISO 8601, missing values as null. */
export function messageJson(message: Message) {
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

/** Streams a JSON array with one message per line. */
export async function* jsonArray(
  messages: AsyncIterable<Message>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  let left = most;
  let before = '[\n';
  for await (const message of messages) {
    yield `${before}${escapeControls(JSON.stringify(messageJson(message)))}`;
    before = ',\n';
    left -= 1;
    if (left === 0) break;
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
