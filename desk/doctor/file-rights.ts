import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT, type Settings } from '../../settings/settings.ts';
import { shortPath } from '../desk.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('safe', 'file-modes', 'File rights');

/** Whether other users of this machine can read what visitors wrote, or a password. */
export const fileRights: Check = {
  name: 'file-rights',
  about: subject,
  needs: ['DATABASE_URL', 'MAIL_DIR'],
  run: ({ settings }) =>
    checkFileModes(databaseFiles(settings), {
      mailFolder: settings.mailDir,
      secrets: secretFiles(settings),
    }),
};

/** SQLite keeps the newest messages in files beside its own. */
function databaseFiles({ database }: Settings): string[] {
  return database.engine === 'sqlite' ? ['', '-wal', '-shm'].map((suffix) => database.file + suffix) : [];
}

/** `.env`, once there is something in it that others must not know. */
function secretFiles({ mail, alertWebhookUrl, database }: Settings): string[] {
  const hasKey = mail.via === 'resend' || (mail.via === 'smtp' && new URL(mail.url).password !== '');
  const isSecret = hasKey || alertWebhookUrl || database.engine === 'postgres';
  return isSecret ? [join(PROJECT_ROOT, '.env')] : [];
}

/** All rights of the group and of everybody else. */
const OTHERS = 0o077;

/**
 * @param files that hold messages and must be the owner's alone (0600); those that are missing are left out
 * @param mailFolder which must be, with every file in it (0700, 0600)
 * @param secrets files with passwords, which many a machine of one user leaves open
 */
export async function checkFileModes(
  files: readonly string[],
  { mailFolder, secrets }: { mailFolder: string; secrets: readonly string[] },
): Promise<Finding[]> {
  // Windows has rights of another kind, and Node shows none of them.
  if (process.platform === 'win32') return [];
  const openFiles = await onlyOpen(files);
  const openSecrets = await onlyOpen(secrets);
  const [openFolder] = await onlyOpen([mailFolder]);
  const names = openFolder ? await readdir(mailFolder).catch(() => []) : [];
  const openMails = await onlyOpen(names.map((name) => join(mailFolder, name)));

  const closing = [...openFiles, ...openSecrets].map(quoted).join(' ');
  const commands = [
    ...(closing ? [`chmod 600 ${closing}`] : []),
    ...(openFolder ? [`chmod 700 ${quoted(mailFolder)}`] : []),
    ...(openMails.length > 0 ? [`chmod 600 ${quoted(mailFolder)}/*`] : []),
  ];
  if (commands.length === 0) return [subject.ok('Nobody else on this machine can read the messages.')];
  const todo = `Type: ${commands.join(' && ')}`;
  const readable = [
    ...openFiles.map(shortPath),
    ...(openMails.length > 0 ? [`the mails in ${shortPath(mailFolder)}`] : []),
  ];
  const others = 'Other users of this machine can';
  if (readable.length > 0) return [subject.wrong(`${others} read ${readable.join(', ')}.`, todo)];
  if (openSecrets.length > 0)
    return [subject.look(`${others} read the passwords in ${openSecrets.map(shortPath).join(', ')}.`, todo)];
  return [subject.look(`${others} list ${shortPath(mailFolder)}, though not read in it.`, todo)];
}

/** Those that somebody else than their owner may read, write or list. */
async function onlyOpen(paths: readonly string[]): Promise<string[]> {
  const modesOf = await Promise.all(paths.map(modeOf));
  return paths.filter((_, index) => ((modesOf[index] ?? 0) & OTHERS) !== 0);
}

async function modeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mode;
}

/** For a shell that stands in the project's folder. */
function quoted(file: string): string {
  const path = shortPath(file);
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
