import { hash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { DAY, HOUR } from '../contract/time.ts';
import { discardLeftovers } from '../settings/replace-file.ts';

/** A file of the published site. `path` is relative to `dist/`, with forward slashes. */
export interface EmittedFile {
  path: string;
  body: Uint8Array | string;
}

/** What tells one content from another, in eight letters. */
export const sealOf = (...parts: (Uint8Array | string)[]): string =>
  hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'base64url')
    .slice(0, 8)
    .replaceAll('-', '_');

/** Puts a hash of the content into the name, so that the file can be cached forever. */
export function hashed(path: string, body: Uint8Array | string): EmittedFile {
  const extension = extname(path);
  return { path: `${path.slice(0, path.length - extension.length)}-${sealOf(body)}${extension}`, body };
}

const COMPRESSIBLE = /\.(html|css|js|svg|txt|xml|json)$/;
const PACKED = {
  '.br': (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  '.gz': (body: Buffer) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

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
        Object.entries(PACKED).map(async ([extension, pack]) => {
          if (isAsBefore && existsSync(from + extension)) return copyFile(from + extension, to + extension);
          const smaller = await pack(bytes);
          if (smaller.length < bytes.length) await writeFile(to + extension, smaller);
        }),
      );
    }),
  );
}

/** In bytes, by the path in a folder. */
export type Sizes = Record<string, number>;

export async function sizesIn(folder: string): Promise<Sizes> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = files.map(
    async (file) => [relative(folder, file).split(sep).join('/'), (await stat(file)).size] as const,
  );
  return Object.fromEntries(await Promise.all(sizes));
}

/** The paths of what isn't as it was written: a power cut leaves new files empty, or ends them early. */
export async function damagedIn(folder: string, written: Sizes = {}): Promise<string[]> {
  const found = await sizesIn(folder);
  return Object.keys({ ...found, ...written }).filter(
    (path) => !found[path] || found[path] !== (written[path] ?? found[path]),
  );
}

/** Takes over files of the page before. Whether all of them are in `folder` now. */
export async function takeOver(paths: readonly string[], before: string, folder: string): Promise<boolean> {
  const missing = paths.filter((path) => !existsSync(join(folder, path)));
  if (!missing.every((path) => existsSync(join(before, path)))) return false;
  await Promise.all(missing.map((path) => cp(join(before, path), join(folder, path))));
  return true;
}

const KEPT_MS = 30 * DAY;

/** What an open page may still fetch. Not pictures: a photo that was taken off the page is gone. */
const ASKED_FOR = 'assets/**/*.{js,css,svg,woff2}{,.br,.gz}';

/** Since when only earlier pages have a file, in milliseconds since 1970, by its path. */
export type Earlier = Record<string, number>;

/**
 * Brings files from the page that was published before into the next one, so that a page that's still open somewhere
 * finds its scripts. All have a hash in their path, so none is in the way of another.
 *
 * @param known of the page before
 * @param now milliseconds since 1970
 */
export async function keepEarlierFiles(before: string, next: string, known: Earlier, now: number) {
  const kept: Earlier = {};
  for (const path of globSync(ASKED_FOR, { cwd: before })) {
    const since = known[path] ?? now;
    if (existsSync(join(next, path)) || now - since >= KEPT_MS) continue;
    await cp(join(before, path), join(next, path));
    kept[path] = since;
  }
  return kept;
}

/**
 * Makes a folder anew, and puts it in the place of the one that's there once it's whole. If anything fails, that one stays.
 *
 * @param make is given the folder to fill
 */
export async function replaceFolder(folder: string, make: (fresh: string) => Promise<void>): Promise<void> {
  const isLeftover = new RegExp(`^${RegExp.escape(basename(folder))}\\.(new|old)-\\d+$`);
  // One that's new may be another container's, which is at it now.
  await discardLeftovers(dirname(folder), isLeftover, HOUR);
  const [fresh, old] = [`${folder}.new-${process.pid}`, `${folder}.old-${process.pid}`];
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  // In containers, the numbers of processes come again.
  await Promise.all([fresh, old].map(remove));
  try {
    await make(fresh);
    const wasThere = existsSync(folder);
    if (wasThere) await rename(folder, old);
    await rename(fresh, folder).catch(async (error: unknown) => {
      if (wasThere) await rename(old, folder);
      throw error;
    });
    await remove(old);
  } finally {
    await remove(fresh);
  }
}
