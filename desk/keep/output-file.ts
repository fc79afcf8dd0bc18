import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { discardLeftovers, makeFolder, sync } from '../../server/files.ts';
import { codeOf } from '../../server/messages/store-error.ts';
import type { Settings } from '../../settings/settings.ts';
import { Failed } from '../command/command.ts';

/** What a killed process leaves behind. */
export const UNFINISHED = /^desk-[^/\\]+\.unfinished$/;

/** An empty folder in this one that only its owner can enter, until whoever made it is done with it. */
export async function makeRoom(folder: string) {
  await discardLeftovers(folder, UNFINISHED);
  const path = join(folder, `desk-${randomUUID()}.unfinished`);
  await mkdir(path, { mode: 0o700 });
  const remove = () => rm(path, { recursive: true, force: true }).catch(() => undefined);
  return { path, remove, [Symbol.asyncDispose]: remove };
}

/** In the data folder. With messages in Postgres and a mail server, nothing else makes that. */
export function makeDataRoom(settings: WithData) {
  makeFolder(dataFolder(settings));
  return makeRoom(dataFolder(settings));
}

/** Names a file only once `fill` has made all of it in a room beside it, so that half of one never looks whole. */
export async function makeNewFile(path: string, fill: (unfinished: string) => Promise<void>): Promise<void> {
  const refuseIfThere = () => {
    const todo = 'Name another file, or move that one away.';
    if (existsSync(path)) throw new Failed(`${path} is already there, and isn’t overwritten. ${todo}`);
  };
  refuseIfThere();
  try {
    await using room = await makeRoom(dirname(path));
    const unfinished = join(room.path, basename(path));
    await fill(unfinished);
    await fsync(unfinished);
    refuseIfThere();
    await rename(unfinished, path);
    sync(dirname(path));
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new Failed(`${path} can’t be written, because its folder doesn’t exist.`);
    throw error;
  }
}

async function fsync(path: string): Promise<void> {
  // Windows wants it open for writing.
  await using handle = await open(path, 'r+');
  await handle.sync();
}

type WithData = Pick<Settings, 'database' | 'mailDir'>;

/** The folder that has the messages, or the mails if Postgres has them: on a disk, as `/tmp` may not be. */
export const dataFolder = ({ database, mailDir }: WithData) =>
  dirname(database.engine === 'sqlite' ? database.file : mailDir);
