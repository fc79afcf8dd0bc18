import { Buffer } from 'node:buffer';
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
import type { Submission } from './submit.ts';

/** What somebody sent, or why it isn't taken. */
type Read = { sent: Pick<Submission, 'typed' | 'form' | 'idempotencyKey'> } | { refused: Reason };

/** `isForm` means that a browser shows the answer as a page; `shown` is what was typed, to give it back. */
type Post = Read & { isForm: boolean; shown?: Typed };

type Options = {
  /** Any one of these is accepted. */
  keys: readonly string[];
  /** The page's word for what was ticked. */
  topics: string;
};

export async function readPost(headers: Headers, body: Body, { keys, topics }: Options): Promise<Post> {
  if (isForm(headers)) return { isForm: true, ...(await readForm(headers, body, topics)) };
  return { isForm: false, ...readCall(headers, body, keys) };
}

/** The call as the page and any client of Supabase make it. */
function readCall(headers: Headers, body: Body, keys: readonly string[]): Read {
  const keyFault = checkKey(headers, keys);
  if (keyFault) return { refused: keyFault };
  if (typeOf(headers) !== 'application/json' || isCompressed(headers)) return { refused: 'type' };
  if (typeof body === 'string') return { refused: body };
  if (body.byteLength > MOST_BYTES) return { refused: 'tooLarge' };
  const typed = parseObject(decode(body));
  if (!typed) return { refused: 'badJson' };
  const idempotencyKey = headers.get('idempotency-key') ?? undefined;
  return { sent: { typed, idempotencyKey, form: readClientInfo(headers.get(CLIENT_INFO)) } };
}

function parseObject(text = ''): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a browser posted it without JavaScript: in a form's type, and without a key. */
function isForm(headers: Headers): boolean {
  if (typeOf(headers) === 'application/x-www-form-urlencoded') return true;
  return isMultipart(headers) && !headers.has('apikey') && !headers.has('authorization');
}

async function readForm(headers: Headers, body: Body, topics: string): Promise<Read & { shown?: Typed }> {
  if (isCompressed(headers)) return { refused: 'type' };
  if (typeof body === 'string') return { refused: body };
  const fields = await readFields(headers, body);
  if (!fields) return { refused: 'badJson' };
  const ticked = fields.getAll(TOPICS_FIELD).map((topic) => clean('name', topic));
  const shown = { ...eachField((field) => fields.get(field) ?? ''), topics: ticked.filter(Boolean) };
  // Nothing typed stays nothing, so that it gets the usual error.
  const line = clean('message', shown.message) && topicLine(topics, shown.topics);
  const typed = { ...shown, message: line + shown.message };
  return { sent: { typed, form: { trap: !!fields.get(HONEYPOT_FIELD) } }, shown };
}

/** Each character still stands for a byte. */
type Pair = [name: string, value: string];

/** Undefined if it can't be taken apart. */
async function readFields(headers: Headers, body: Uint8Array): Promise<URLSearchParams | undefined> {
  const bytes = Buffer.from(body).toString('latin1');
  const pairs = isMultipart(headers) ? await multipartPairs(bytes, headers) : encodedPairs(bytes);
  if (!pairs) return undefined;
  const [, named = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers.get('content-type') ?? '') ?? [];
  const all = Buffer.from(pairs.flat().join('\n'), 'latin1');
  // Every byte is something in windows-1252.
  const charset = [named, 'utf-8'].find((label) => decode(all, label) !== undefined) ?? 'windows-1252';
  const decoder = new TextDecoder(charset, { ignoreBOM: true });
  return new URLSearchParams(
    pairs.map((pair) => pair.map((text) => decoder.decode(Buffer.from(text, 'latin1')))),
  );
}

/** URLSearchParams takes bytes for UTF-8, so it's given that of their characters. */
function encodedPairs(bytes: string): Pair[] {
  const asUtf8 = bytes.replace(/%([89a-f][\da-f])|[^\0-\x7f]/gi, (found, hex: string | undefined) =>
    encodeURIComponent(hex ? String.fromCharCode(Number.parseInt(hex, 16)) : found),
  );
  return [...new URLSearchParams(asUtf8)];
}

async function multipartPairs(bytes: string, headers: Headers): Promise<Pair[] | undefined> {
  try {
    const type = { 'content-type': headers.get('content-type') ?? '' };
    const form = await new Response(bytes, { headers: type }).formData();
    // The page has no field for a file.
    return [...form].filter((pair): pair is Pair => typeof pair[1] === 'string');
  } catch {
    return undefined;
  }
}

/** `undefined` for bytes that aren't in this charset, and for a charset that nobody knows. */
function decode(bytes: Uint8Array, charset = 'utf-8'): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Without its parameters. */
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
