import { Buffer } from 'node:buffer';
import * as v from 'valibot';
import { clean } from '../../contract/clean.ts';
import {
  CLIENT_INFO,
  eachField,
  HONEYPOT_FIELD,
  MOST_BYTES,
  readClientInfo,
} from '../../contract/contact-message.ts';
import { TOPICS_FIELD, topicLine } from '../../contract/topics.ts';
import type { Reason, Typed } from './answers.ts';
import { checkKey } from './client.ts';

export type Post =
  | { refused: Reason; shown?: Typed }
  | {
      typed: Readonly<Record<string, unknown>>;
      /** What the form says besides the fields, if it was the page's. */
      form?: { trap: boolean; openMs?: number } | undefined;
      idempotencyKey?: string | undefined;
      /** What goes back to anyone who used the form without JavaScript. */
      shown?: Typed;
    };

/** A list would pass for a record. */
const JSON_OBJECT = v.pipe(v.string(), v.regex(/^\s*\{/), v.parseJson(), v.record(v.string(), v.unknown()));

export function readCall(headers: Headers, body: Body, keys: readonly string[]): Post {
  const keyFault = checkKey(headers, keys);
  if (keyFault) return { refused: keyFault };
  if (typeOf(headers) !== 'application/json' || isCompressed(headers)) return { refused: 'type' };
  if (typeof body === 'string') return { refused: body };
  if (body.byteLength > MOST_BYTES) return { refused: 'tooLarge' };
  const typed = v.safeParse(JSON_OBJECT, decode(body));
  if (!typed.success) return { refused: 'badJson' };
  const idempotencyKey = headers.get('idempotency-key') ?? undefined;
  return { typed: typed.output, idempotencyKey, form: readClientInfo(headers.get(CLIENT_INFO)) };
}

/** Whether a browser posted it without JavaScript, and shows the answer: in a form's type, and without a key. */
export function isFormPost(headers: Headers): boolean {
  if (typeOf(headers) === 'application/x-www-form-urlencoded') return true;
  return isMultipart(headers) && !headers.has('apikey') && !headers.has('authorization');
}

export async function readForm(headers: Headers, body: Body, topics: string): Promise<Post> {
  if (isCompressed(headers)) return { refused: 'type' };
  if (typeof body === 'string') return { refused: body };
  const fields = await readFields(headers, body);
  if (!fields) return { refused: 'badJson' };
  const typed = eachField((field) => fields.get(field) ?? '');
  const ticked = fields.getAll(TOPICS_FIELD).map((topic) => clean('name', topic));
  const shown = { ...typed, topics: ticked.filter(Boolean) };
  if (Buffer.byteLength(Object.values(typed).join('')) > MOST_BYTES) return { refused: 'tooLarge', shown };
  // Nothing typed stays nothing, so that it gets the usual error.
  if (clean('message', typed.message)) typed.message = topicLine(topics, shown.topics) + typed.message;
  return { typed, form: { trap: !!fields.get(HONEYPOT_FIELD) }, shown };
}

/** Undefined if it can't be taken apart. */
async function readFields(headers: Headers, body: Uint8Array): Promise<URLSearchParams | undefined> {
  const type = headers.get('content-type') ?? '';
  // Until the charset is known, each character stands for a byte.
  const bytes = Buffer.from(body).toString('latin1');
  const form = isMultipart(headers)
    ? await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => undefined)
    : fromEncoded(bytes);
  if (!form) return undefined;
  // The page has no field for a file.
  const pairs = [...form].flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : []));
  const [, named = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type) ?? [];
  const all = Buffer.from(pairs.flat().join('\n'), 'latin1');
  // Every byte is something in windows-1252.
  const charset = [named, 'utf-8'].find((label) => decode(all, label) !== undefined) ?? 'windows-1252';
  const decoder = new TextDecoder(charset, { ignoreBOM: true });
  return new URLSearchParams(
    pairs.map((pair) => pair.map((text) => decoder.decode(Buffer.from(text, 'latin1')))),
  );
}

/** URLSearchParams decodes UTF-8, so it's given the bytes' characters in that. */
function fromEncoded(bytes: string): URLSearchParams {
  const asUtf8 = bytes.replace(/%([89a-f][\da-f])|[^\0-\x7f]/gi, (found, hex: string | undefined) =>
    encodeURIComponent(hex ? String.fromCharCode(Number.parseInt(hex, 16)) : found),
  );
  return new URLSearchParams(asUtf8);
}

/** Undefined for bytes that aren't in this charset, and for a charset that nobody knows. */
function decode(bytes: Uint8Array, charset = 'utf-8'): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function typeOf(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

const isMultipart = (headers: Headers) => typeOf(headers) === 'multipart/form-data';

const isCompressed = (headers: Headers) => !/^(identity)?$/i.test(headers.get('content-encoding') ?? '');

export type Body = Uint8Array | 'tooLarge' | 'badJson';

/** Form encoding takes up to three bytes per byte (`%C3`). */
const MOST_KEPT = 3 * MOST_BYTES;
/** Beyond this, nobody waits for the rest. */
const MOST_DROPPED = 64 * 2 ** 20;

/** To its end, even if it's too long: most senders don't read a response until they've sent everything. */
export async function readBody({ headers, body }: Request): Promise<Body> {
  if (Number(headers.get('content-length') ?? 0) > MOST_DROPPED) return 'tooLarge';
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // Cancelling it would close the connection before the response is out.
    for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
      size += chunk.byteLength;
      if (size <= MOST_KEPT) chunks.push(chunk);
      if (size > MOST_DROPPED) break;
    }
  } catch {
    // The sender is gone, or took too long.
    return 'badJson';
  }
  return size > MOST_KEPT ? 'tooLarge' : Buffer.concat(chunks);
}
