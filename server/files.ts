import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DAY } from '../contract/time.ts';

/** So that a power failure can't lose it with all that's in it. An existing one keeps its mode: it may be shared. */
export function makeFolder(folder: string, mode = 0o700): void {
  const path = resolve(folder);
  const first = mkdirSync(path, { recursive: true, mode });
  // Each new folder's name is stored in the one above it.
  for (let each = path; first && each.length >= first.length; each = dirname(each)) sync(dirname(each));
}

/** Flushes a file's content to disk, or a folder's names: a power failure could lose new ones, and bring back erased ones. */
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
export async function replaceFile(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  makeFolder(dirname(path), 0o777);
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await writeFile(unfinished, content, { mode, flush: true });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  sync(dirname(path));
}

/** Removes files and folders with such a name that nobody has written to for this many milliseconds. */
export async function discardLeftovers(folder: string, name: RegExp, forMs = DAY): Promise<void> {
  for (const one of await readdir(folder).catch(() => [])) {
    if (!name.test(one)) continue;
    const path = join(folder, one);
    const { mtimeMs = Date.now() } = (await stat(path).catch(() => undefined)) ?? {};
    // Unless it's another user's.
    if (Math.floor(mtimeMs) <= Date.now() - forMs) await rm(path, { recursive: true }).catch(() => undefined);
  }
}
