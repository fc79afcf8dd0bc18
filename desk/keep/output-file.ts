import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sync } from '../../server/messages/files.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { discardLeftovers } from '../../settings/replace-file.ts';
import type { Settings } from '../../settings/settings.ts';
import { Failed } from '../command/failures.ts';

const IS_THERE = 'is already there, and isn’t overwritten. Name another file, or move that one away';
const REASONS: Record<string, string> = {
  ENOENT: 'can’t be written, because its folder doesn’t exist',
  ENOSPC: 'doesn’t fit on its disk, which is full',
};

/** What a process that was killed leaves: a file or a folder. */
export const UNFINISHED = /^desk-[^/\\]+\.unfinished$/;

/**
 * Writes beside the file and gives it its name once it's complete and fsynced, so that half a file never looks like a
 * whole one. Never overwrites a file.
 *
 * @param fill gets the path of an empty file that only its owner can read
 */
export async function makeNewFile<T>(path: string, fill: (unfinished: string) => Promise<T>): Promise<T> {
  const folder = dirname(path);
  await discardLeftovers(folder, UNFINISHED);
  const unfinished = join(folder, `desk-${process.pid}-${basename(path)}.unfinished`);
  try {
    if (existsSync(path)) throw new Failed(`${path} ${IS_THERE}.`);
    await (await open(unfinished, 'w', 0o600)).close();
    const result = await fill(unfinished);
    await fsync(unfinished);
    // It may have appeared meanwhile.
    if (existsSync(path)) throw new Failed(`${path} ${IS_THERE}.`);
    await rename(unfinished, path);
    sync(folder);
    return result;
  } catch (error) {
    const reason = REASONS[codeOf(error)];
    throw reason ? new Failed(`${path} ${reason}.`) : error;
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function fsync(path: string): Promise<void> {
  // Windows wants it open for writing.
  await using handle = await open(path, 'r+');
  await handle.sync();
}

/** The folder that has the messages, or the mails if Postgres has them: on a disk, as `/tmp` may not be. */
export const dataFolder = ({ database, mailDir }: Pick<Settings, 'database' | 'mailDir'>) =>
  dirname(database.engine === 'sqlite' ? database.file : mailDir);

/** An empty folder in this one, for copies that only their owner can read. Whoever made it removes it. */
export async function makeRoom(folder: string): Promise<string> {
  await discardLeftovers(folder, UNFINISHED);
  const room = join(folder, `desk-${randomUUID()}.unfinished`);
  await mkdir(room, { mode: 0o700 });
  return room;
}
