import { createHash } from 'node:crypto';
import type { ContactMessage } from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import { lengthOfTopicLine } from '../../contract/topics.ts';
import { domainOf } from '../../settings/checks.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../log.ts';
import type { Database } from '../messages/database.ts';
import { checkMessage } from '../messages/fields.ts';
import { add } from '../messages/insert.ts';
import { MaybeStored } from '../messages/store-error.ts';
import { copyKey, reasonsToHold } from '../messages/suspicion.ts';
import { fieldRefusal, type Refusal, refusal } from './answers.ts';
import { networksOf, type Sender } from './client.ts';
import type { RateLimits } from './limits.ts';
import type { Post } from './post.ts';

export type SubmitParts = {
  database: Database;
  settings: Settings;
  limits: RateLimits;
  sentences: Sentences;
  log: Log;
  /** Called after each newly stored message that should be mailed, with the time at which it came. */
  onStored: (at: number) => void;
  onNotStored: (error: unknown) => void;
};

type Submission = Post & { requestId: string; sender: Sender; address: string | undefined };

export async function submit(parts: SubmitParts, submission: Submission): Promise<{ id: string } | Refusal> {
  const { database, settings, limits, sentences, log } = parts;
  if ('refused' in submission) return refusal(submission.refused, sentences);
  const { typed, requestId, sender, address, form, idempotencyKey } = submission;
  if (sender === 'foreign') return refusal('origin', sentences);
  const sent = address === undefined ? { wait: 0, before: 0 } : await limits.countClient(address);
  if (sent.wait > 0) {
    log.warn({ requestId, retrySeconds: sent.wait }, 'a client sends too much');
    const { error, ...tooMany } = refusal('tooMany', sentences);
    const headers = { 'retry-after': String(sent.wait) };
    return { ...tooMany, headers, error: error.replace('{minutes}', String(Math.ceil(sent.wait / 60))) };
  }
  const checked = checkMessage(typed, sentences.topics);
  if (!checked.ok) return fieldRefusal(checked.field, checked.fault, sentences);
  const others = await othersWith(limits, checked.message, sentences.topics, address);
  const heldFor = reasonsToHold({ ...form, others });
  const mailDomain = domainOf(settings.mailFrom.address);
  const { replyHours } = sentences;
  const about = { now: Date.now(), mailDomain, replyHours, heldFor, idempotencyKey, sentBefore: sent.before };
  const stored = await add(database, checked.message, about).catch((error: unknown) => {
    log.error({ requestId, err: error }, 'a message was not confirmed as stored');
    parts.onNotStored(error);
    return refusal(error instanceof MaybeStored ? 'unsure' : 'notStored', sentences);
  });
  if ('error' in stored) return stored;
  if (!stored.duplicate && heldFor.length === 0) parts.onStored(about.now);
  return { id: stored.id };
}

/** How many others sent the same text within the hour. A person's own repeats don't count. */
async function othersWith(limits: RateLimits, sent: ContactMessage, topics: string, address = '') {
  const { email, message } = sent;
  // Nobody typed what was ticked.
  const text = copyKey(lengthOfTopicLine(topics, message) > 0 ? message.replace(/^.*\n/, '') : message);
  if (text === undefined) return 0;
  const person = JSON.stringify([text, email.toLowerCase(), networksOf(address).own]);
  const { before } = await limits.count(createHash('sha256').update(person).digest('base64url'));
  const counted = await limits.count(text, before === 0 ? 1 : 0);
  // Past the limit, a shared count no longer says how many.
  if (counted.wait > 0) return Infinity;
  return before === 0 ? counted.before : counted.before - 1;
}
