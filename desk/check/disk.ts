import { stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY } from '../../contract/time.ts';
import { holdsSecret, PROJECT_ROOT, readEnvFile, shortPath } from '../../settings/settings.ts';
import { age } from '../sheet/time.ts';
import { about, type Check, type Context, type Finding } from './finding.ts';

const space = about('disk', 'disk', 'Disk space');
const rights = about('disk', 'file-modes', 'File rights');
const backup = about('disk', 'backup', 'Backup');

const MB = 1024 ** 2;
/** Enough for a busy day of messages and mail files, and a backup of both. */
const LITTLE = 1024 * MB;
/** To store a message safely, SQLite needs more room than the message itself. */
const TOO_LITTLE = 100 * MB;
const WEEK_MS = 7 * DAY;

/** Whether there's room for messages and mails, passwords are for this user alone, and there's a backup. */
export const disk: Check = async (context) => {
  const { database, mailDir } = context.settings;
  const file = database.engine === 'sqlite' ? database.file : undefined;
  // Until the first start, there's none.
  const room = await statfs(dirname(file ?? mailDir)).catch(() => undefined);
  return [
    ...(room ? [judgeSpace(room.bavail * room.bsize)] : []),
    ...(await checkRights()),
    ...(await checkBackup(context)),
  ];
};

export function judgeSpace(bytes: number): Finding {
  const free = bytes < LITTLE ? `${Math.floor(bytes / MB)} MB free` : `${Math.floor(bytes / LITTLE)} GB free`;
  if (bytes >= LITTLE) return space.ok(`${free}.`);
  const todo = 'Delete what you don’t need on this disk, or get a larger one.';
  return bytes < TOO_LITTLE
    ? space.wrong(`Only ${free}. Soon messages can’t be saved.`, todo)
    : space.look(`Only ${free}.`, todo);
}

/** Whether other users of this machine can read a password in `.env`. The database is closed to them at each start. */
export async function checkRights(root = PROJECT_ROOT): Promise<Finding[]> {
  const env = join(root, '.env');
  // Windows has no such modes.
  if (process.platform === 'win32' || !holdsSecret(readEnvFile(root).values)) return [];
  const { mode } = await stat(env);
  if ((mode & 0o077) === 0) return [rights.ok('Nobody else on this machine can read your passwords.')];
  const todo = `Type, as the user that the server runs as: chmod go= '${shortPath(env)}'`;
  return [rights.look('Other users of this machine can read the passwords in .env.', todo)];
}

/** When the last one was made. */
export async function checkBackup({ database, now }: Pick<Context, 'database' | 'now'>): Promise<Finding[]> {
  const report = await database();
  if (!('queue' in report)) return [];
  const { lastBackupAt } = report.queue;
  const todo = 'Make one, and keep it on another disk.';
  if (lastBackupAt === undefined) return [backup.look('You haven’t made one yet.', todo, '/desk/keep')];
  const old = age(lastBackupAt, now);
  const found = old === 'now' ? 'The last one was made just now.' : `The last one is ${old} old.`;
  return [now - lastBackupAt > WEEK_MS ? backup.look(found, todo, '/desk/keep') : backup.ok(found)];
}
