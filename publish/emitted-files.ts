import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A file of the published site. `path` is relative to `dist/`, with forward slashes. */
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

const COMPRESSIBLE = /\.(html|css|js|svg|txt|xml|json|webmanifest)$/;
const PACKED = [
  ['.br', (body: Buffer) => promisify(brotliCompress)(body, brotli(body.length))],
  ['.gz', (body: Buffer) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION })],
] as const;

/**
 * Writes the files, with compressed ones beside those that get smaller.
 *
 * @param before a folder where some may be as they are now, so that they needn't be compressed anew
 */
export async function writeFiles(folder: string, files: readonly EmittedFile[], before = ''): Promise<void> {
  await Promise.all(
    files.map(async ({ path, body }) => {
      const bytes = Buffer.from(body);
      const [from, to] = [join(before, path), join(folder, path)];
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, bytes);
      if (!COMPRESSIBLE.test(path)) return;
      const isAsBefore = before !== '' && (await readFile(from).catch(() => undefined))?.equals(bytes);
      await Promise.all(
        PACKED.map(async ([extension, pack]) => {
          if (isAsBefore) return copyFile(from + extension, to + extension).catch(unlessMissing);
          const smaller = await pack(bytes);
          if (smaller.length < bytes.length) await writeFile(to + extension, smaller);
        }),
      );
    }),
  );
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

const brotli = (size: number) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
  },
});
