import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shortPath } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('safe', 'disk', 'Disk space');

const MB = 1024 ** 2;
/** Enough for a busy day of messages and mail files, and a backup of both. */
const LITTLE = 1024 * MB;
/** To store a message safely, SQLite needs more room than the message itself. */
const TOO_LITTLE = 100 * MB;

/** Whether there's room for messages and mails. */
export const disk: Check = {
  about: subject,
  run: ({ settings: { database, mail, supabaseUrl } }) =>
    checkDisk([
      ...(database.engine === 'sqlite' ? [dirname(database.file)] : []),
      ...(mail.via === 'folder' && !supabaseUrl ? [mail.folder] : []),
    ]),
};

/** @param folders that don't have to exist yet */
export async function checkDisk(folders: readonly string[]): Promise<Finding[]> {
  const disks = new Map<number, Finding>();
  for (const folder of folders) {
    const there = await nearest(folder);
    const { dev } = await stat(there);
    if (disks.has(dev)) continue;
    const { bavail, bsize } = await statfs(there);
    disks.set(dev, judgeSpace(folder, bavail * bsize));
  }
  return [...disks.values()];
}

export function judgeSpace(folder: string, bytes: number): Finding {
  const size = bytes < LITTLE ? `${Math.floor(bytes / MB)} MB` : `${Math.floor(bytes / LITTLE)} GB`;
  const free = `${size} free for ${shortPath(folder)}`;
  if (bytes >= LITTLE) return subject.ok(`${free}.`);
  const todo = 'Delete what you don’t need on this disk, or get a larger one.';
  return bytes < TOO_LITTLE
    ? subject.wrong(`Only ${free}. Soon messages can’t be saved.`, todo)
    : subject.look(`Only ${free}.`, todo);
}

/** The folder, or its nearest parent that exists. */
export async function nearest(folder: string): Promise<string> {
  const there = await stat(folder).catch(() => undefined);
  return there || dirname(folder) === folder ? folder : nearest(dirname(folder));
}
