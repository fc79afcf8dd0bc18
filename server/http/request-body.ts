import { Buffer } from 'node:buffer';

/**
 * Reads a body of up to `limit` bytes. One that's declared longer isn't read at all. If it turns out longer, the rest
 * is dropped as it arrives: most senders don't read a response until they've sent everything.
 */
export async function readBody(
  request: Request,
  limit: number,
): Promise<Uint8Array | 'too large' | 'broken off'> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) return 'too large';
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks);
      size += value.byteLength;
      if (size > limit) {
        void drop(reader);
        return 'too large';
      }
      chunks.push(value);
    }
  } catch {
    return 'broken off';
  }
}

const MOST_DROPPED = 64 * 2 ** 20;

/** Cancelling it instead would close the connection before the response is out. */
async function drop(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let dropped = 0; dropped < MOST_DROPPED; ) {
      const { done, value } = await reader.read();
      if (done) return;
      dropped += value.byteLength;
    }
  } catch {
    // The sender is gone, or took too long.
  }
}

/** `undefined` for bytes that aren't UTF-8: guessing would change what the visitor wrote. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The type without its parameters. */
export function contentType(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function isCompressed(headers: Headers): boolean {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase();
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}
