import { readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { shortPath } from '../desk.ts';
import { about, type Finding } from './finding.ts';

export const disk = about('safe', 'disk', 'Disk space');
export const modes = about('safe', 'file-modes', 'File rights');

const MB = 1024 ** 2;
/** A busy day of messages, its mails as files, and a backup of both. */
const LITTLE = 1024 * MB;
/** SQLite needs room beside a message to keep it safely. */
const TOO_LITTLE = 100 * MB;
const FEW_FILES = 1_000;

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
  if (names < FEW_FILES) return disk.wrong(`Only ${names} more files fit on the disk of ${place}.`, todo);
  if (bytes < TOO_LITTLE)
    return disk.wrong(`Only ${free}: visitors are soon told that nothing is saved.`, todo);
  if (bytes < LITTLE) return disk.look(`Only ${free}.`, todo);
  return disk.ok(`${free}.`);
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

/** All rights of the group and of everybody else. */
const OTHERS = 0o077;

/**
 * Whether other users of this machine can read what visitors wrote, or a password.
 *
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
  if (commands.length === 0) return [modes.ok('Nobody else on this machine can read the messages.')];
  const todo = `Type: ${commands.join(' && ')}`;
  const readable = [
    ...openFiles.map(shortPath),
    ...(openMails.length > 0 ? [`the mails in ${shortPath(mailFolder)}`] : []),
  ];
  const others = 'Other users of this machine can';
  if (readable.length > 0) return [modes.wrong(`${others} read ${readable.join(', ')}.`, todo)];
  if (openSecrets.length > 0)
    return [modes.look(`${others} read the passwords in ${openSecrets.map(shortPath).join(', ')}.`, todo)];
  return [modes.look(`${others} list ${shortPath(mailFolder)}, though not read in it.`, todo)];
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
