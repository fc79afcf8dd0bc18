import type { Database } from '../server/messages/database.ts';
import { setAnswered } from '../server/messages/owner.ts';
import type { Message } from '../server/messages/table.ts';
import { span } from '../server/messages/time.ts';
import { findMessage } from './find-message.ts';
import { oneLine } from './terminal.ts';
import { localTime } from './time.ts';
import { timeToAnswer } from './unanswered.ts';

/** Answered now, or not after all. Returns what the owner reads. */
export async function noteAnswer(
  database: Database,
  { id, name }: Message,
  { undo, timeZone }: { undo?: boolean; timeZone: string },
): Promise<string> {
  const now = Date.now();
  const isChanged = await setAnswered(database, id, undo ? null : now);
  const message = await findMessage(database, id);
  const { answeredAt, answerDueAt } = message;
  const who = `The message of ${oneLine(name)}`;
  if (answeredAt !== null) {
    const already = `was answered already (${localTime(answeredAt, timeZone)})`;
    return `${who} ${isChanged ? `is answered, ${tookWords(message)}` : already}.`;
  }
  const waits = answerDueAt === null ? '' : ` It waits for your answer: ${timeToAnswer(answerDueAt, now)}.`;
  return `${who} is ${isChanged ? 'no longer' : 'not'} marked as answered.${waits}`;
}

/** `3 h after it came`. */
function tookWords({ receivedAt, answeredAt }: Message): string {
  return `${span(Math.max((answeredAt ?? receivedAt) - receivedAt, 0))} after it came`;
}

/** `answered on …`, `5 h left`, or nothing if nobody waits and nobody knows of an answer. */
export function explainAnswer(message: Message, timeZone: string, now: number): string | undefined {
  const { answeredAt, answerDueAt } = message;
  if (answeredAt !== null) return `answered on ${localTime(answeredAt, timeZone)}, ${tookWords(message)}`;
  return answerDueAt === null ? undefined : timeToAnswer(answerDueAt, now);
}
