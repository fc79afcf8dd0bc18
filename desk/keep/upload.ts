import { createWriteStream } from 'node:fs';
import { stat, statfs, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failed } from '../command/failures.ts';

/** Far more than a browser says of a file before the file itself. */
const MOST_HEAD = 10_000;

/**
 * Saves the file of a form that has this one field as it comes in, since it may be larger than the memory: what the browser
 * says of it, the file, and a last line (RFC 7578).
 *
 * @param file the path of a new file that only its owner can read
 */
export async function saveUpload({ headers, body }: Request, file: string): Promise<void> {
  const [, boundary] = /;\s*boundary="?([^";]+)/.exec(headers.get('content-type') ?? '') ?? [];
  if (!body || !boundary) throw new Failed('No file has come.');
  const { bavail, bsize } = await statfs(dirname(file));
  // Visitors' messages need some of that, and so does unpacking it.
  if (Number(headers.get('content-length')) > (bavail * bsize) / 4)
    throw new Failed('That file is too large for the disk of the site.');
  async function* content(chunks: AsyncIterable<Uint8Array>) {
    let head: Buffer | undefined = Buffer.alloc(0);
    for await (const chunk of chunks) {
      if (!head) {
        yield chunk;
        continue;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length > MOST_HEAD) throw new Failed('No file has come.');
      if (end < 0) continue;
      yield head.subarray(end + 4);
      head = undefined;
    }
  }
  await pipeline(body, content, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  const lastLine = `\r\n--${boundary}--\r\n`;
  await truncate(file, Math.max((await stat(file)).size - lastLine.length, 0));
}
