import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type ContactMessage, FIELD_NAMES, MOST_BYTES } from '../../contract/contact-message.ts';
import type { Sentences } from '../../contract/refusal-sentences.ts';
import type { Log } from '../log.ts';
import { checkMessage } from '../messages/fields.ts';
import type { Store } from '../messages/store.ts';
import { copyKey, reasonsToHold } from '../messages/suspicion.ts';
import { clientKey } from './client-address.ts';
import type { Sender } from './origins.ts';
import type { RateLimits } from './rate-limits.ts';
import { fieldRefusal, type Refusal, refusal } from './refusal-answers.ts';

/** What a visitor sent, through the call or the form. */
export type Submission = {
  typed: Readonly<Record<string, unknown>>;
  requestId: string;
  sender: Sender;
  client: Client;
  /** What the form says besides the fields, if it was the page's. */
  form?: { trap: boolean; openMs?: number } | undefined;
  idempotencyKey?: string | undefined;
};

/** Without an address, the request isn't rate-limited. */
export type Client = { address?: string | undefined };

/** Never rejects: whatever goes wrong is a refusal, so the caller can give back what was typed. */
export type Submit = (submission: Submission) => Promise<{ id: string } | Refusal>;

type Options = {
  store: Store;
  limits: RateLimits;
  sentences: Sentences;
  log: Log;
  /** Called after each newly stored message that should be mailed. */
  onStored: () => void;
  /** Called after each message that couldn't be stored. */
  onNotStored: (error: unknown) => void;
};

export function createSubmit(options: Options): Submit {
  const { store, limits, sentences, log, onStored, onNotStored } = options;
  return async (submission) => {
    try {
      return await submit(submission);
    } catch (error) {
      const { requestId } = submission;
      log.error({ requestId, err: error }, 'a message was not taken for an unforeseen reason');
      return refusal('unforeseen', sentences);
    }
  };

  async function submit(submission: Submission): ReturnType<Submit> {
    const { typed, requestId, sender, client, form, idempotencyKey } = submission;
    if (sender.kind === 'foreign') return refusal('origin', sentences);
    if (sizeOf(typed) > MOST_BYTES) return refusal('tooLarge', sentences);
    const { wait, before: sentBefore } = await count(client);
    if (wait > 0) {
      log.warn({ requestId, retrySeconds: wait }, 'a client sends too much');
      return { ...refusal('tooMany', sentences), headers: { 'retry-after': String(wait) } };
    }
    const checked = checkMessage(typed, sentences.topics);
    if (!checked.ok) return fieldRefusal(checked.field, checked.fault, sentences);
    const others = await othersWith(checked.message, client);
    const heldFor = reasonsToHold({ ...form, others });
    let stored: Awaited<ReturnType<Store['add']>>;
    try {
      stored = await store.add(checked.message, { now: Date.now(), heldFor, idempotencyKey, sentBefore });
    } catch (error) {
      log.error({ requestId, err: error }, 'a message could not be stored');
      onNotStored(error);
      return refusal('notStored', sentences);
    }
    if (!stored.duplicate && heldFor.length === 0) onStored();
    return { id: stored.id };
  }

  /** How many others sent the same text within the hour. A person who sends it again is no other. */
  async function othersWith(message: ContactMessage, { address }: Client): Promise<number> {
    const text = copyKey(message);
    if (text === undefined) return 0;
    const person = [text, message.email.toLowerCase(), address && clientKey(address)];
    const { before } = await limits.count(
      createHash('sha256').update(JSON.stringify(person)).digest('base64url'),
    );
    const counted = before === 0 ? await limits.count(text) : await limits.count(text, 0);
    // Past the limit, a shared count no longer says how many.
    if (counted.wait > 0) return Infinity;
    return before === 0 ? counted.before : counted.before - 1;
  }

  async function count({ address }: Client): ReturnType<RateLimits['count']> {
    return address === undefined ? { wait: 0, before: 0 } : limits.count(clientKey(address));
  }
}

function sizeOf(typed: Submission['typed']): number {
  const texts = FIELD_NAMES.map((field) => typed[field]).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
