import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT, type Settings, shortPath } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('safe', 'file-modes', 'File rights');

/** Whether other users of this machine can read what visitors wrote, or a password. */
export const fileRights: Check = {
  about: subject,
  needs: ['DATABASE_URL', 'MAIL_DIR'],
  run: async ({ settings }) => [
    await checkFileRights(databaseFiles(settings), {
      mailFolder: settings.mailDir,
      secrets: secretFiles(settings),
    }),
  ],
};

/** Includes SQLite's WAL, which holds the newest messages. */
function databaseFiles({ database }: Settings): string[] {
  return database.engine === 'sqlite' ? ['', '-wal', '-shm'].map((suffix) => database.file + suffix) : [];
}

/** `.env`, if it holds a secret. */
function secretFiles({ mail, alertWebhookUrl, database }: Settings): string[] {
  const hasKey = mail.via === 'smtp' && new URL(mail.url).password !== '';
  return hasKey || alertWebhookUrl || database.engine === 'postgres' ? [join(PROJECT_ROOT, '.env')] : [];
}

/**
 * @param files that hold messages; they don't have to exist
 * @param secrets files with passwords, often left readable on single-user machines
 */
export async function checkFileRights(
  files: readonly string[],
  { mailFolder, secrets }: { mailFolder: string; secrets: readonly string[] },
): Promise<Finding> {
  // A private folder makes its files private too.
  const [openFolder] = await readableByOthers([mailFolder]);
  const mails = openFolder ? await readdir(mailFolder).catch(() => []) : [];
  const openMails = await readableByOthers(mails.map((name) => join(mailFolder, name)));
  const openFiles = [...(await readableByOthers(files)), ...(openMails.length > 0 ? [mailFolder] : [])];
  const openSecrets = await readableByOthers(secrets);
  const open = [...openFiles, ...openSecrets].map(shortPath);
  if (open.length === 0) return subject.ok('Nobody else on this machine can read the messages.');
  const found = `Other users of this machine can read ${open.join(', ')}.`;
  const todo = `Type: chmod -R go= ${open.map((path) => `'${path.replaceAll("'", "'\\''")}'`).join(' ')}`;
  return openFiles.length > 0 ? subject.wrong(found, todo) : subject.look(found, todo);
}

/** Always empty on Windows, which has no such modes. */
async function readableByOthers(paths: readonly string[]): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.filter((_, index) => ((found[index]?.mode ?? 0) & 0o077) !== 0);
}
