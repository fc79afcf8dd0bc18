import { createHash } from 'node:crypto';
import { extname } from 'node:path';

/** A file of the built site. `path` is relative to `dist/`, with forward slashes. */
export interface EmittedFile {
  path: string;
  body: Uint8Array | string;
}

/** Puts a hash of the content into the name, so that the file can be cached forever. */
export function hashed(path: string, body: Uint8Array | string): EmittedFile {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 8).replaceAll('-', '_');
  const extension = extname(path);
  return { path: `${path.slice(0, path.length - extension.length)}-${hash}${extension}`, body };
}
