import { stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DAY } from '../../contract/time.ts';
import { holdsSecret, PROJECT_ROOT, readEnvFile, shortPath } from '../../settings/settings.ts';
import { age } from '../time.ts';
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

/** Whether there's room for messages and mails, they're for this user alone, and there's a backup. */
export const disk: Check = async (context) => {
  const { database, mailDir } = context.settings;
  const file = database.engine === 'sqlite' ? database.file : undefined;
  const { bavail, bsize } = await statfs(await nearest(file ?? mailDir));
  return [
    judgeSpace(bavail * bsize),
    await checkRights(file ? [file, `${file}-wal`] : []),
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

/** The file or folder, or its nearest parent that exists. */
export async function nearest(path: string): Promise<string> {
  const there = await stat(path).catch(() => undefined);
  return there || dirname(path) === path ? path : nearest(dirname(path));
}

/**
 * Whether other users of this machine can read what visitors wrote, or a password in `.env`.
 *
 * @param files that don't have to exist
 */
export async function checkRights(files: readonly string[], root = PROJECT_ROOT): Promise<Finding> {
  const open: string[] = [];
  const secret = holdsSecret(readEnvFile(root).values) ? [join(root, '.env')] : [];
  for (const path of [...files, ...secret]) {
    const { mode } = (await stat(path).catch(() => undefined)) ?? { mode: 0 };
    // Windows has no such modes.
    if ((mode & 0o077) !== 0 && process.platform !== 'win32') open.push(shortPath(path));
  }
  if (open.length === 0) return rights.ok('Nobody else on this machine can read the messages.');
  const quoted = open.map((path) => `'${path.replaceAll("'", "'\\''")}'`);
  const found = `Other users of this machine can read ${open.join(', ')}.`;
  return rights.look(found, `Type, as the user that the server runs as: chmod go= ${quoted.join(' ')}`);
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
