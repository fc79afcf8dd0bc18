import { statfs } from 'node:fs/promises';
import { DAY, MINUTE } from '../../contract/time.ts';
import { span } from '../../server/messages/time.ts';
import { dataFolder } from '../keep/output-file.ts';
import { about, type Check, type Context, type Finding } from './finding.ts';

const space = about('disk', 'Disk space');
const backup = about('backup', 'Backup');

const MB = 1024 ** 2;
/** Enough for a busy day of messages and mail files, and a backup. */
const LITTLE = 1024 * MB;
/** To store a message safely, SQLite needs more room than the message itself. */
const TOO_LITTLE = 100 * MB;
/** Without a mail server, each mail is a file, and SQLite needs a few of its own. */
const FEW = 1000;
const ROOM = 'Delete what you don’t need on this disk, or get a larger one.';
const WEEK_MS = 7 * DAY;

export const disk: Check = async (context) => {
  // Until the first start, there's none.
  const room = await statfs(dataFolder(context.settings)).catch(() => undefined);
  // If the database can't be looked at, its own line says so.
  const ofBackup = await checkBackup(context).catch(() => []);
  return [...(room ? [judgeSpace(room.bavail * room.bsize, room.files && room.ffree)] : []), ...ofBackup];
};

/** @param files how many more it takes; 0 if there's no limit */
export function judgeSpace(bytes: number, files = 0): Finding {
  if (files > 0 && files < FEW) return space.wrong(`Room for only ${files} more files, however small.`, ROOM);
  const free = bytes < LITTLE ? `${Math.floor(bytes / MB)} MB free` : `${Math.floor(bytes / LITTLE)} GB free`;
  if (bytes >= LITTLE) return space.ok(`${free}.`);
  return bytes < TOO_LITTLE
    ? space.wrong(`Only ${free}. Once it’s full, messages can’t be saved.`, ROOM)
    : space.look(`Only ${free}.`, ROOM);
}

export async function checkBackup({ database, now }: Pick<Context, 'database' | 'now'>): Promise<Finding[]> {
  const report = await database();
  if (!('queue' in report)) return [];
  const { lastBackupAt } = report.queue;
  const todo = 'Make one, and keep it on another disk.';
  // A time in the future came from a wrong clock.
  if (lastBackupAt === undefined || lastBackupAt > now + MINUTE)
    return [backup.look('None has been made here yet.', todo, '/desk/keep')];
  const age = now - lastBackupAt;
  const found = age < MINUTE ? 'The last one was made just now.' : `The last one is ${span(age)} old.`;
  return [age > WEEK_MS ? backup.look(found, todo, '/desk/keep') : backup.ok(found)];
}
