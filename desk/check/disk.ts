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
export const disk: Check = {
  needs: ['DATABASE_URL', 'MAIL_DIR'],
  run: async (context) => {
    const { database, mail, mailDir, supabaseUrl } = context.settings;
    const file = database.engine === 'sqlite' ? database.file : undefined;
    const folder = file ? dirname(file) : mail.via === 'folder' && !supabaseUrl ? mailDir : undefined;
    return [
      ...(folder ? [await checkSpace(folder)] : []),
      await checkRights(file ? [file, `${file}-wal`] : []),
      ...(await checkBackup(context)),
    ];
  },
};

async function checkSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearest(folder));
  return judgeSpace(folder, bavail * bsize);
}

export function judgeSpace(folder: string, bytes: number): Finding {
  const size = bytes < LITTLE ? `${Math.floor(bytes / MB)} MB` : `${Math.floor(bytes / LITTLE)} GB`;
  const free = `${size} free for ${shortPath(folder)}`;
  if (bytes >= LITTLE) return space.ok(`${free}.`);
  const todo = 'Delete what you don’t need on this disk, or get a larger one.';
  return bytes < TOO_LITTLE
    ? space.wrong(`Only ${free}. Soon messages can’t be saved.`, todo)
    : space.look(`Only ${free}.`, todo);
}

/** The folder, or its nearest parent that exists. */
export async function nearest(folder: string): Promise<string> {
  const there = await stat(folder).catch(() => undefined);
  return there || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

/**
 * Whether other users of this machine can read what visitors wrote, or a password in `.env`. Their group may, since that's
 * how a server under a user of its own reads it.
 *
 * @param files that don't have to exist
 */
export async function checkRights(files: readonly string[], root = PROJECT_ROOT): Promise<Finding> {
  const open: string[] = [];
  for (const path of [...files, ...secretFiles(root)]) {
    const { mode } = (await stat(path).catch(() => undefined)) ?? { mode: 0 };
    // Windows has no such modes.
    if ((mode & 0o007) !== 0 && process.platform !== 'win32') open.push(shortPath(path));
  }
  if (open.length === 0) return rights.ok('Nobody else on this machine can read the messages.');
  const quoted = open.map((path) => `'${path.replaceAll("'", "'\\''")}'`);
  const todo = `Type: chmod o= ${quoted.join(' ')}. The user that the server runs as must own them or be in their group.`;
  return rights.look(`Other users of this machine can read ${open.join(', ')}.`, todo);
}

function secretFiles(root: string): string[] {
  try {
    return holdsSecret(readEnvFile(root).values) ? [join(root, '.env')] : [];
  } catch {
    // Another line says that it can't be read.
    return [];
  }
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
