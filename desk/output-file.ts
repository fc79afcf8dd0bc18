import { createWriteStream, existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failed } from './failures.ts';

/**
 * Writes a new file that only its owner may read. One that is there is never written over, and one that
 * could not be finished does not stay.
 */
export async function writeNewFile(path: string, content: Readable): Promise<void> {
  const file = await openNew(path);
  try {
    await pipeline(content, createWriteStream(path, { fd: file, flush: true }));
  } catch (error) {
    await rm(path, { force: true });
    throw explain(error, path);
  }
}

/** @param name what the owner called it, where that is not its path */
export async function openNew(path: string, name = path) {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    throw explain(error, name);
  }
}

const REASONS = {
  EEXIST: 'is there already and is not written over. Name another file, or move that one away',
  ENOENT: 'cannot be made, because its folder does not exist',
  ENOTDIR: 'cannot be made, because its folder does not exist',
  EISDIR: 'is a folder. Name a file',
  EACCES: 'cannot be written by this user',
  EPERM: 'cannot be written by this user',
  EROFS: 'lies on a disk that takes no writes',
  ENOSPC: 'does not fit on its disk, which is full',
} satisfies Record<string, string>;

/** What went wrong with a file, for the owner; any other error comes back as it is. */
export function explain(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = Object.hasOwn(REASONS, code) && REASONS[code as keyof typeof REASONS];
  return reason ? new Failed(`${path} ${reason}.`) : error;
}

export function refuseExisting(path: string): void {
  if (existsSync(path)) throw new Failed(`${path} ${REASONS.EEXIST}.`);
}
