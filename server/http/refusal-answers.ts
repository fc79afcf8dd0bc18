import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { eachField, FIELDS, type Field } from '../../contract/contact-message.ts';
import { USUAL_REPLY_HOURS } from '../../contract/promise.ts';
import { type FieldFault, refusals, type Sentences } from '../../contract/refusal-sentences.ts';
import { labelOf } from '../messages/fields.ts';

/** `error` is for the visitor, `message` for the client. */
export type Refusal = {
  status: ContentfulStatusCode;
  headers?: Record<string, string>;
  code: string;
  message?: string;
  error: string;
  /** The first bad field. */
  field?: Field;
};

/** The rest of such a body is dropped, so the connection can't be used for anything more. */
const HANG_UP = { connection: 'close' };

/** Everything that can go wrong, but a field. contract/refusal-sentences.ts says it to the visitor under the same name. */
const REFUSALS = {
  key: { status: 401, code: 'UNAUTHORIZED' },
  origin: { status: 403, code: 'ORIGIN_NOT_ALLOWED' },
  method: { status: 405, headers: { allow: 'POST, OPTIONS' }, code: 'METHOD_NOT_ALLOWED' },
  unknownFunction: { status: 404, code: 'NOT_FOUND', message: 'Requested function was not found' },
  type: { status: 415, headers: HANG_UP, code: 'UNSUPPORTED_MEDIA_TYPE' },
  tooLarge: { status: 413, headers: HANG_UP, code: 'BODY_TOO_LARGE' },
  badJson: { status: 400, code: 'INVALID_JSON' },
  tooMany: { status: 429, code: 'TOO_MANY_REQUESTS' },
  notStored: { status: 503, headers: { 'retry-after': '30' }, code: 'NOT_STORED' },
  unforeseen: { status: 500, code: 'UNEXPECTED' },
} satisfies Record<string, Omit<Refusal, 'error'>>;

/** Until a page says otherwise. */
export const ENGLISH: Sentences = {
  ...refusals,
  language: 'en',
  labels: eachField(labelOf),
  topics: 'About',
  replyHours: USUAL_REPLY_HOURS,
};

export function refusal(name: keyof typeof REFUSALS, sentences: Sentences): Refusal {
  return { ...REFUSALS[name], error: sentences[name] };
}

export function fieldRefusal(field: Field, fault: FieldFault, { fields, language }: Sentences): Refusal {
  const max = FIELDS[field].max.toLocaleString([language, 'en']);
  const sentence = fields[field][fault] ?? fields[field].tooLong;
  return { status: 422, code: 'INVALID_FIELD', error: sentence.replace('{max}', max), field };
}

/**
 * The sentences of a built page, from its SENTENCES_FILE. What's missing is said in English: another version may have
 * built it.
 */
export function readSentences(json = ''): Sentences {
  let own: unknown;
  try {
    own = JSON.parse(json);
  } catch {
    return ENGLISH;
  }
  return layOver(ENGLISH, own) as Sentences;
}

function layOver(ours: string | number | object, own: unknown): unknown {
  if (typeof ours !== 'object') return typeof own === typeof ours ? own : ours;
  const inner = (name: string) =>
    typeof own === 'object' && own !== null ? Reflect.get(own, name) : undefined;
  return Object.fromEntries(Object.entries(ours).map(([name, text]) => [name, layOver(text, inner(name))]));
}
