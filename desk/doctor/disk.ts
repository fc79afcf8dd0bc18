import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shortPath } from '../desk.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('safe', 'disk', 'Disk space');

const MB = 1024 ** 2;
/** A busy day of messages, its mails as files, and a backup of both. */
const LITTLE = 1024 * MB;
/** SQLite needs room beside a message to keep it safely. */
const TOO_LITTLE = 100 * MB;
const FEW_FILES = 1_000;

/** Whether there's room for messages and mails. */
export const disk: Check = {
  name: 'disk',
  about: subject,
  run: ({ settings }) => {
    const { database, mail, supabaseUrl } = settings;
    return checkDisk([
      ...(database.engine === 'sqlite' ? [dirname(database.file)] : []),
      ...(mail.via === 'folder' && !supabaseUrl ? [mail.folder] : []),
    ]);
  },
};

/** @param folders where messages and mails are kept; they need not be there yet */
export async function checkDisk(folders: readonly string[]): Promise<Finding[]> {
  const disks = new Map<number, Space>();
  for (const folder of folders) {
    const there = await nearest(folder);
    const { dev } = await stat(there);
    if (disks.has(dev)) continue;
    const { bavail, bsize, files, ffree } = await statfs(there);
    // File systems that make room for names as needed count none.
    const names = files > 0 ? ffree : Number.POSITIVE_INFINITY;
    disks.set(dev, { folder, bytes: bavail * bsize, names });
  }
  return [...disks.values()].map(judgeSpace);
}

/** Free for this user. `names`: how many more files may be made. */
type Space = { folder: string; bytes: number; names: number };

export function judgeSpace({ folder, bytes, names }: Space): Finding {
  const place = shortPath(folder);
  const free = `${sizeOf(bytes)} free for ${place}`;
  const todo = 'Delete what is not needed on this disk, or make it larger.';
  if (names < FEW_FILES) return subject.wrong(`Only ${names} more files fit on the disk of ${place}.`, todo);
  if (bytes < TOO_LITTLE)
    return subject.wrong(`Only ${free}: visitors are soon told that nothing is saved.`, todo);
  if (bytes < LITTLE) return subject.look(`Only ${free}.`, todo);
  return subject.ok(`${free}.`);
}

function sizeOf(bytes: number): string {
  const mb = bytes / MB;
  return mb < 1024 ? `${Math.floor(mb)} MB` : `${Math.floor(mb / 1024)} GB`;
}

/** The folder, or the first one above it that is there. */
export async function nearest(folder: string): Promise<string> {
  const there = await stat(folder).catch(() => undefined);
  return there || dirname(folder) === folder ? folder : nearest(dirname(folder));
}
