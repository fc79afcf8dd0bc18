import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { copyFile, link, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { DAY } from '../contract/time.ts';

/** So that a power failure can't take it away with all that's in it. One that's there keeps its mode: it may be shared. */
export function makeFolder(folder: string, mode = 0o700): void {
  const path = resolve(folder);
  const first = mkdirSync(path, { recursive: true, mode });
  // Each new folder's name is kept by the one above it.
  for (let each = path; first && each.length >= first.length; each = dirname(each)) sync(dirname(each));
}

/** Brings a file's content to the disk, or a folder's names: a power failure could lose new ones, and bring back erased ones. */
export function sync(path: string): void {
  try {
    const handle = openSync(path, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Some file systems can't, nor can a user who may write to the folder but not list it. SQLite carries on too.
  }
}

/** In one step, with its folder: after an error, a crash or a power cut, the old content is there or the new, never half. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | Readable,
  mode = 0o644,
): Promise<void> {
  makeFolder(dirname(path), 0o777);
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await writeFile(unfinished, content, { mode, flush: true });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Changes files in several steps. If one fails, each is again what it was, or gone: even a full disk has room for that. */
export async function allOrNothing(paths: readonly string[], change: () => Promise<void>): Promise<void> {
  const kept = paths.filter((path) => existsSync(path));
  const before = (path: string) => `${path}.before.unfinished`;
  try {
    for (const path of kept) {
      await rm(before(path), { force: true });
      // Some file systems have no second name for a file.
      await link(path, before(path)).catch(() => copyFile(path, before(path)));
    }
    await change().catch(async (error: unknown) => {
      for (const path of paths)
        await (kept.includes(path) ? rename(before(path), path) : rm(path, { force: true }));
      throw error;
    });
  } finally {
    for (const path of kept) await rm(before(path), { force: true });
  }
}

/** The rename isn't durable until the folder is fsynced. Windows can't open one, and some file systems can't sync it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch {}
}

/** Removes files and folders of such a name that nobody has written to for so many milliseconds. */
export async function discardLeftovers(folder: string, name: RegExp, forMs = DAY): Promise<void> {
  for (const one of await readdir(folder).catch(() => [])) {
    if (!name.test(one)) continue;
    const path = join(folder, one);
    const { mtimeMs = Date.now() } = (await stat(path).catch(() => undefined)) ?? {};
    // Unless it's another user's.
    if (Math.floor(mtimeMs) <= Date.now() - forMs) await rm(path, { recursive: true }).catch(() => undefined);
  }
}
