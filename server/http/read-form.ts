import { Buffer } from 'node:buffer';
import { FIELD_NAMES, HONEYPOT_FIELD } from '../../contract/contact-message.ts';
import { TOPICS_FIELD } from '../../contract/topics.ts';
import { contentType } from './request-body.ts';

const MULTIPART = 'multipart/form-data';
export const PLAIN = 'text/plain';

/** A form has no key. A call without one may be `text/plain` too: then the body tells. */
export function mayBeForm(headers: Headers): boolean {
  const type = contentType(headers);
  const hasKey = headers.has('apikey') || headers.has('authorization');
  return type === 'application/x-www-form-urlencoded' || (!hasKey && [MULTIPART, PLAIN].includes(type));
}

/** Still in bytes: each character stands for one. */
type Pair = [name: string, value: string];

/** `isDecoded` is false if nobody knows the charset it names. Then it's read as far as it can be. */
export type PostedForm = { fields: URLSearchParams; isDecoded: boolean };

/** The form in a body, in any of the ways that browsers post one; undefined if it can't be taken apart. */
export async function readForm(body: Uint8Array, headers: Headers): Promise<PostedForm | undefined> {
  const pairs = await pairsIn(Buffer.from(body).toString('latin1'), headers);
  if (!pairs) return undefined;
  const [, named] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers.get('content-type') ?? '') ?? [];
  const charset = named ?? pairs.find(([name]) => name === '_charset_')?.[1];
  const isDecoded = charset === undefined || isKnown(charset);
  const all = Buffer.from(pairs.flat().join('\n'), 'latin1');
  const candidates = [...(charset !== undefined && isDecoded ? [charset] : []), 'utf-8'];
  // Every byte is something in windows-1252.
  const label = candidates.find((candidate) => canDecode(candidate, all)) ?? 'windows-1252';
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  const decode = (bytes: string) => decoder.decode(Buffer.from(bytes, 'latin1'));
  return { fields: new URLSearchParams(pairs.map((pair) => pair.map(decode))), isDecoded };
}

async function pairsIn(bytes: string, headers: Headers): Promise<Pair[] | undefined> {
  const type = contentType(headers);
  if (type === MULTIPART) return multipartPairs(bytes, headers);
  return type === PLAIN ? plainPairs(bytes) : encodedPairs(bytes);
}

function encodedPairs(bytes: string): Pair[] {
  // URLSearchParams would take the bytes for UTF-8.
  const decode = (part: string) =>
    part
      .replaceAll('+', ' ')
      .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return bytes.split('&').map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return [decode(name), decode(value.join('='))];
  });
}

async function multipartPairs(bytes: string, headers: Headers): Promise<Pair[] | undefined> {
  try {
    const form = await new Response(bytes, {
      headers: { 'content-type': headers.get('content-type') ?? '' },
    }).formData();
    // The page has no field for a file.
    return [...form].filter((pair): pair is Pair => typeof pair[1] === 'string');
  } catch {
    return undefined;
  }
}

const FIELD_LINE = new RegExp(`^(${[...FIELD_NAMES, HONEYPOT_FIELD, TOPICS_FIELD].join('|')})=(.*)$`, 's');

/** A line that begins with no field belongs to the one before. */
function plainPairs(bytes: string): Pair[] | undefined {
  const pairs: Pair[] = [];
  for (const line of bytes.replace(/\r?\n$/, '').split(/\r?\n/)) {
    const [, name, value = ''] = FIELD_LINE.exec(line) ?? [];
    const last = pairs.at(-1);
    if (name !== undefined) pairs.push([name, value]);
    else if (last) last[1] += `\n${line}`;
  }
  return pairs.length > 0 ? pairs : undefined;
}

/** One that gives ASCII another meaning is none that browsers post in. */
const isKnown = (label: string) => canDecode(label, Buffer.from('='));

function canDecode(label: string, bytes: Uint8Array): boolean {
  try {
    new TextDecoder(label, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
