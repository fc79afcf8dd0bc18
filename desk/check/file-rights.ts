import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { holdsSecret, PROJECT_ROOT, readEnvFile, type Settings, shortPath } from '../../settings/settings.ts';
import { about, type Check, type Finding } from './check.ts';

const subject = about('safe', 'file-modes', 'File rights');

/** Whether other users of this machine can read what visitors wrote, or a password. */
export const fileRights: Check = {
  about: subject,
  needs: ['DATABASE_URL', 'MAIL_DIR'],
  run: async ({ settings }) => {
    const { mailDir: mailFolder } = settings;
    const files = databaseFiles(settings);
    // It makes both, so they say who it runs as.
    const made = await Promise.all([...files, mailFolder].map(statOf));
    const server = made.find((found) => found !== undefined);
    const open = await openToOthers(files, mailFolder);
    return [describe(open, await openEnvFile(PROJECT_ROOT, server))];
  },
};

/** Includes SQLite's WAL, which holds the newest messages. */
function databaseFiles({ database }: Settings): string[] {
  return database.engine === 'sqlite' ? ['', '-wal', '-shm'].map((suffix) => database.file + suffix) : [];
}

const quoted = (path: string) => `'${shortPath(path).replaceAll("'", "'\\''")}'`;
const statOf = (path: string) => stat(path).catch(() => undefined);

/**
 * What holds messages and isn't for one user alone.
 *
 * @param files that don't have to exist
 */
export async function openToOthers(files: readonly string[], mailFolder: string): Promise<string[]> {
  // A private folder makes its files private too.
  const [openFolder] = await withRights([mailFolder], 0o077);
  const mails = openFolder ? await readdir(mailFolder).catch(() => []) : [];
  const paths = mails.map((name) => join(mailFolder, name));
  const openMails = await withRights(paths, 0o077);
  return [...(await withRights(files, 0o077)), ...(openMails.length > 0 ? [mailFolder] : [])];
}

export type OpenEnv = { path: string; close: string } | undefined;

/**
 * A `.env` with a secret in it that others can read, and the command that closes it. The group that the server runs as
 * may read it, if it belongs to another user: `root:blueprint 640`.
 *
 * @param server the user and group that it runs as, if they're known
 */
export async function openEnvFile(
  root: string,
  server: Pick<Stats, 'uid' | 'gid'> | undefined,
): Promise<OpenEnv> {
  const path = join(root, '.env');
  const file = await statOf(path);
  if (!file || !hasSecret(root)) return undefined;
  const isOfServer = file.uid === server?.uid;
  // Without knowing the server, the group is taken to be its own.
  const mayGroup = !isOfServer && (!server || file.gid === server.gid);
  const [open] = await withRights([path], mayGroup ? 0o007 : 0o077);
  if (!open) return undefined;
  if (isOfServer) return { path, close: `chmod go= ${quoted(path)}` };
  // Whoever reads it by its rights for all others now must be let in by its group.
  const group = server?.gid ?? 'GROUP';
  const close = `chgrp ${group} ${quoted(path)} && chmod 640 ${quoted(path)}`;
  return { path, close: server ? close : `${close} (GROUP is the one that the server runs as)` };
}

/** Also false if this user can’t read it, which another check reports. */
function hasSecret(root: string): boolean {
  try {
    return holdsSecret(readEnvFile(root).values);
  } catch {
    return false;
  }
}

export function describe(open: readonly string[], env: OpenEnv): Finding {
  const paths = [...open, ...(env ? [env.path] : [])].map(shortPath);
  if (paths.length === 0) return subject.ok('Nobody else on this machine can read the messages.');
  const found = `Other users of this machine can read ${paths.join(', ')}.`;
  const commands = [
    ...(open.length > 0 ? [`chmod -R go= ${open.map(quoted).join(' ')}`] : []),
    ...(env ? [env.close] : []),
  ];
  const todo = `Type: ${commands.join(' && ')}`;
  return open.length > 0 ? subject.wrong(found, todo) : subject.look(found, todo);
}

/** Those that have one of these rights. None on Windows, which has no such modes. */
async function withRights(paths: readonly string[], rights: number): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const found = await Promise.all(paths.map(statOf));
  return paths.filter((_, index) => ((found[index]?.mode ?? 0) & rights) !== 0);
}
