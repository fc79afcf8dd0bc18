import { existsSync, rmSync } from 'node:fs';
import { link, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sync } from '../../server/messages/files.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import { Failed } from '../command/failures.ts';

const IS_THERE = 'is already there, and isn’t overwritten. Name another file, or move that one away';
const REASONS: Record<string, string> = {
  EEXIST: IS_THERE,
  ENOENT: 'can’t be written, because its folder doesn’t exist',
  ENOTDIR: 'can’t be written, because its folder doesn’t exist',
  ENOSPC: 'doesn’t fit on its disk, which is full',
};

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** For `discardLeftovers`: what `makeNewFile` writes to, a database beside it, and SQLite's side files. */
export const UNFINISHED = /^desk-(\d+)-.+\.unfinished(?:\.db)?(?:-wal|-shm|-journal)?$/;

/**
 * Writes beside the file and gives it its name once it's complete and fsynced, so that half a file never looks like a
 * whole one. Never overwrites a file.
 *
 * @param fill gets the path of an empty file that only its owner can read
 */
export async function makeNewFile<T>(path: string, fill: (unfinished: string) => Promise<T>): Promise<T> {
  if (existsSync(path)) throw new Failed(`${path} ${IS_THERE}.`);
  const unfinished = join(dirname(path), `desk-${process.pid}-${basename(path)}.unfinished`);
  return withCleanup(
    () => discard(unfinished),
    async () => {
      try {
        await (await open(unfinished, 'wx', 0o600)).close();
        const result = await fill(unfinished);
        await fsync(unfinished);
        await giveName(unfinished, path);
        sync(dirname(path));
        return result;
      } catch (error) {
        const reason = REASONS[codeOf(error)];
        throw reason ? new Failed(`${path} ${reason}.`) : error;
      }
    },
  );
}

/** @param clean is called at the end, and when a signal ends the process before that */
export async function withCleanup<T>(clean: () => void, run: () => Promise<T>): Promise<T> {
  const stop = (signal: NodeJS.Signals) => {
    clean();
    process.kill(process.pid, signal);
  };
  for (const signal of STOPPING) process.once(signal, stop);
  try {
    return await run();
  } finally {
    for (const signal of STOPPING) process.off(signal, stop);
    clean();
  }
}

async function fsync(path: string): Promise<void> {
  // Windows wants it open for writing.
  await using handle = await open(path, 'r+');
  await handle.sync();
}

/** Unlike a rename, a link never replaces a file that appeared in the meantime. */
async function giveName(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // exFAT and FAT, common on memory sticks, have no links.
    const linkless = /^(EPERM|ENOTSUP|ENOSYS)$/.test(codeOf(error));
    if (!linkless || existsSync(to)) throw error;
    await rename(from, to);
  }
}

/**
 * Removes what desks left that were killed.
 *
 * @param name of such a file or folder, with the number of the desk's process in it
 */
export async function discardLeftovers(folder: string, name: RegExp): Promise<void> {
  for (const one of await readdir(folder).catch(() => [])) {
    const pid = Number(name.exec(one)?.[1]);
    // No other desk has this one's number, so a container, where it's always the same, clears its own away.
    if (!pid || (pid !== process.pid && isRunning(pid))) continue;
    // Unless it's another user's.
    await rm(join(folder, one), { recursive: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** With a database beside it, and SQLite's side files. Synchronous, since a signal is about to end the process. */
function discard(file: string): void {
  for (const one of [file, `${file}.db`])
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(one + end, { force: true });
}
