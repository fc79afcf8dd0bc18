import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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
