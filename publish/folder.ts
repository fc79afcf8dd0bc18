import { hash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { cp, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { DAY, HOUR } from '../contract/time.ts';
import { discardLeftovers } from '../server/files.ts';

/** Files' contents by their path in a folder, with forward slashes. */
export type Files = Record<string, Uint8Array | string>;

/** Sizes in bytes, or times in milliseconds since 1970, by the path in a folder. */
export type ByPath = Record<string, number>;

/** Tells contents apart, in eight letters. */
export const sealOf = (...parts: (Uint8Array | string)[]): string =>
  hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'base64url')
    .slice(0, 8)
    .replaceAll('-', '_');

const COMPRESSIBLE = /\.(html|css|js|svg|txt|xml|json)$/;
const PACKED = {
  '.br': (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  '.gz': (body: Buffer) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

/** Writes the files, with compressed ones beside those that get smaller, or takes over what's the same as before. */
export async function writeFiles(folder: string, files: Files, before = '', ...also: Promise<void>[]) {
  const writing = Object.entries(files).map(async ([path, body]) => {
    const [to, bytes] = [join(folder, path), Buffer.from(body)];
    const was = before ? await readFile(join(before, path)).catch(() => undefined) : undefined;
    if (was?.equals(bytes) && (await takeOver([path, `${path}.br`, `${path}.gz`], before, folder))) return;
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, bytes);
    if (!COMPRESSIBLE.test(path)) return;
    for (const [extension, pack] of Object.entries(PACKED)) {
      const smaller = await pack(bytes);
      if (smaller.length < bytes.length) await writeFile(to + extension, smaller);
    }
  });
  // All have ended, and what else writes there, before anybody removes the folder.
  await Promise.allSettled([...also, ...writing]);
  await Promise.all([...also, ...writing]);
}

export async function sizesIn(folder: string): Promise<ByPath> {
  const paths = await readdir(folder, { recursive: true }).catch(() => []);
  const found = paths.map(async (path) => ({ path, at: await lstat(join(folder, path)) }));
  const files = (await Promise.all(found)).filter(({ at }) => at.isFile());
  return Object.fromEntries(files.map(({ path, at }) => [path.replaceAll(sep, '/'), at.size]));
}

/** The paths of files that aren't as written: a power cut leaves new files empty, or ends them early. */
export async function damagedIn(folder: string, written: ByPath = {}): Promise<string[]> {
  const found = await sizesIn(folder);
  return Object.keys({ ...found, ...written }).filter(
    (path) => !found[path] || found[path] !== (written[path] ?? found[path]),
  );
}

/** Takes over files from the page before, or none if one is missing. */
export async function takeOver(paths: readonly string[], before: string, folder: string): Promise<boolean> {
  if (!paths.every((path) => existsSync(join(before, path)))) return false;
  for (const path of paths) await cp(join(before, path), join(folder, path));
  return true;
}

const KEPT_MS = 30 * DAY;

/** What an open page may still fetch. Not pictures: a photo that she removed is gone. */
const ASKED_FOR = 'assets/**/*.{js,css,svg,woff2}{,.br,.gz}';

/**
 * Brings files from the page that was published before into the next one, so that a page that's still open somewhere
 * finds its scripts. All have a hash in their path, so none collide. `known` says since when only earlier pages have had a
 * file, and so does what's returned.
 */
export async function keepEarlierFiles(before: string, next: string, known: ByPath, now: number) {
  const kept: ByPath = {};
  for (const path of globSync(ASKED_FOR, { cwd: before })) {
    const since = known[path] ?? now;
    if (existsSync(join(next, path)) || now - since >= KEPT_MS) continue;
    await cp(join(before, path), join(next, path));
    kept[path] = since;
  }
  return kept;
}

/** Makes a new folder, and swaps it in for the one that's there once it's whole. If anything fails, that one stays. */
export async function replaceFolder(folder: string, make: (fresh: string) => Promise<void>): Promise<void> {
  const isLeftover = new RegExp(`^${RegExp.escape(basename(folder))}\\.(new|old)-\\d+$`);
  // A recent one may be another container's, which is still working on it.
  await discardLeftovers(dirname(folder), isLeftover, HOUR);
  const [fresh, old] = [`${folder}.new-${process.pid}`, `${folder}.old-${process.pid}`];
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  // In containers, process ids repeat.
  await Promise.all([fresh, old].map(remove));
  try {
    await make(fresh);
    const wasThere = existsSync(folder);
    if (wasThere) await rename(folder, old);
    await rename(fresh, folder).catch(async (error: unknown) => {
      if (wasThere) await rename(old, folder);
      throw error;
    });
    // Another user's files in it, or a program that reads them, can keep it: the next time tries again.
    await remove(old).catch(() => undefined);
  } finally {
    await remove(fresh).catch(() => undefined);
  }
}
