import { existsSync, rmSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, open, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withProgress } from '../../publish/progress.mjs';
import { restore as fill, withBackup } from '../../server/messages/copy.ts';
import { makeFolder } from '../../server/messages/files.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { loadEnv, readEnvFile, readSettings, type Settings, shortPath } from '../../settings/settings.ts';
import { DESK_CONNECTION, type Desk } from '../command/desk.ts';
import { Failed, onlyFile, WrongUsage } from '../command/failures.ts';
import { count, json, note, oneLine, write } from '../command/terminal.ts';
import { unpack } from './archive.ts';
import { contentOf, ENV_FILE, FOLDERS, MESSAGES, mostBytes, SETTINGS } from './format.ts';
import { discardLeftovers, makeNewFile, UNFINISHED, withCleanup } from './output-file.ts';

/** A backup's settings, as long as the owner hasn't looked at them. */
const ASIDE = `${ENV_FILE}.from-backup`;

type Options = { json?: boolean; settings?: boolean };
/** A file to bring, and where it goes. */
type Piece = { from: string; to: string; mode: number };

export async function restore(desk: Desk, args: string[]): Promise<void> {
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { settings: flag, json: flag },
  });
  const name = onlyFile(positionals);
  if (!name) throw new WrongUsage('Name a backup: npm run desk restore FILE');
  const file = resolve(name);
  if (!existsSync(file)) throw new Failed(`There is no file ${name}.`);
  const settings = desk.settings();
  if (settings.database.engine === 'sqlite' && settings.database.file === file)
    throw new Failed(`${name} is the database itself. Name the backup.`);
  await discardLeftovers(tmpdir(), /^restore-(\d+)-/);
  const folder = await mkdtemp(join(tmpdir(), `restore-${process.pid}-`));
  await withCleanup(
    () => rmSync(folder, { recursive: true, force: true }),
    async () => bringBack(name, folder, await unpackBackup(file, name, folder), settings, values),
  );
}

/** Copies what's in a backup into a folder, since migrating changes a database. Returns the names. */
async function unpackBackup(file: string, name: string, folder: string): Promise<string[]> {
  if (!(await isZip(file))) {
    await copyFile(file, join(folder, MESSAGES));
    // Someone may have copied a live database by hand, along with its log, as they should.
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, join(folder, `${MESSAGES}-wal`));
    return [MESSAGES];
  }
  const unpacking = withProgress('Unpacking', '', () => unpack(file, folder, mostBytes));
  const names = await unpacking.catch((error: unknown) => {
    if (error instanceof Error && 'path' in error) throw error;
    throw new Failed(`${name} is damaged, so nothing was restored (${oneLine((error as Error).message)}).`);
  });
  if (!names.includes(MESSAGES)) throw new Failed(`${name} isn’t a backup: it has no ${MESSAGES} in it.`);
  return names;
}

async function isZip(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return buffer.toString('latin1') === 'PK';
}

async function bringBack(
  name: string,
  folder: string,
  names: string[],
  settings: Settings,
  options: Options,
): Promise<void> {
  const bringsSettings = names.includes(SETTINGS) && !existsSync(ENV_FILE);
  if (bringsSettings && options.settings) refuseOtherPlaces(folder, settings);
  const parts = FOLDERS.map(({ what, inZip, setting, mode }) => ({
    what,
    folder: settings[setting],
    pieces: names
      .filter((entry) => entry.startsWith(inZip))
      .map((entry) => ({ from: join(folder, entry), to: join(settings[setting], basename(entry)), mode })),
  }));
  const env = { from: join(folder, SETTINGS), to: options.settings ? ENV_FILE : ASIDE, mode: 0o600 };
  const pieces = [...parts.flatMap((part) => part.pieces), ...(bringsSettings ? [env] : [])];
  await refuseWhatIsThere(pieces, settings);
  const restored = await restoreMessages(join(folder, MESSAGES), name, settings.database, async () => {
    for (const part of parts) await discardLeftovers(part.folder, UNFINISHED);
    for (const piece of pieces) await bring(piece);
  });
  if (options.json) {
    const counts = Object.fromEntries(parts.map((part) => [part.what, part.pieces.length]));
    return write(json({ ...restored, ...counts, settings: bringsSettings && options.settings === true }));
  }
  tell(restored, settings.database);
  const [words, mails] = parts;
  const places = [
    ...(words?.pieces.length
      ? [`${count(words.pieces.length, 'file')} of your words and photo to ${shortPath(words.folder)}`]
      : []),
    ...(mails?.pieces.length ? [`${count(mails.pieces.length, 'mail')} to ${shortPath(mails.folder)}`] : []),
    ...(bringsSettings && options.settings ? [`your settings to ${SETTINGS}`] : []),
  ];
  if (places.length > 0) write(`Restored ${new Intl.ListFormat('en-CA').format(places)}.\n`);
  if (bringsSettings && !options.settings) note(describeSettings(folder));
  else if (names.includes(SETTINGS) && !(await isSame(ENV_FILE, env.from)))
    note(`Your .env stays as it is. The backup’s is another; to see it, open ${name}.\n`);
}

/** What's taken from a backup goes where the settings here say, and its own would then look for it elsewhere. */
function refuseOtherPlaces(folder: string, here: Settings): void {
  const theirs = readSettings(loadEnv(folder));
  const location = ({ wordsDir, mailDir, database }: Settings) =>
    JSON.stringify([wordsDir, mailDir, database]);
  if (location(theirs) === location(here)) return;
  throw new Failed(
    'Nothing was restored, because the backup’s settings keep messages, words or mails in another place than this ' +
      `(DATABASE_URL, WORDS_DIR, MAIL_DIR). Open it, copy its ${SETTINGS} to ${shortPath(ENV_FILE)}, set these right, and restore again.`,
  );
}

/** @throws {Failed} naming all that isn't the backup's. What's the same is left by a restore that was broken off. */
async function refuseWhatIsThere(pieces: Piece[], settings: Settings): Promise<void> {
  const sources = new Map(pieces.map(({ from, to }) => [to, from]));
  const there = new Set([...sources.keys()].filter((path) => existsSync(path)));
  // A backup of the messages alone goes with any words.
  for (const { setting, filesIn } of pieces.length > 0 ? FOLDERS : [])
    for (const file of await filesIn(settings[setting])) there.add(join(settings[setting], file));
  const inTheWay: string[] = [];
  for (const path of there) {
    const source = sources.get(path);
    if (!source || !(await isSame(path, source))) inTheWay.push(shortPath(path));
  }
  if (inTheWay.length === 0) return;
  const some = inTheWay.length > 5 ? [...inTheWay.slice(0, 4), `${inTheWay.length - 4} more`] : inTheWay;
  throw new Failed(
    `Nothing was restored, because there is ${new Intl.ListFormat('en-CA').format(some)}, which isn’t the backup’s. Move it away first.`,
  );
}

async function isSame(one: string, other: string): Promise<boolean> {
  const sizes = await Promise.all([one, other].map(async (path) => (await stat(path)).size));
  if (sizes[0] !== sizes[1]) return false;
  const [first, second] = await Promise.all([contentOf(one), contentOf(other)]);
  return first !== undefined && second !== undefined && first.equals(second);
}

/** What's there by that name is the same and stays. */
async function bring({ from, to, mode }: Piece): Promise<void> {
  // Whoever can read the file can enter the folder.
  makeFolder(join(to, '..'), mode | ((mode & 0o444) >> 2));
  if (existsSync(to)) return;
  await makeNewFile(to, async (unfinished) => {
    await writeFile(unfinished, await readFile(from));
    await chmod(unfinished, mode);
  });
}

/**
 * @param file the copy of the messages
 * @param name how errors name the backup
 * @param bringTheRest is called when the messages are in place; if it fails, none of them is restored
 */
function restoreMessages(
  file: string,
  name: string,
  setting: Settings['database'],
  bringTheRest: () => Promise<void>,
) {
  const refuse = (held: number) =>
    new Failed(
      `Nothing was restored, because ${placeOf(setting)} already has ${count(held, 'message')}, and a backup can only go into an empty database. ` +
        'Stop the server and move that one away, or set another in DATABASE_URL.',
    );
  return withBackup(file, name, async (backup) => {
    const target = await openDatabase(setting, DESK_CONNECTION);
    try {
      const restored = await withProgress('Restoring', 'messages', (onProgress) =>
        fill(target, backup, { onProgress, bringTheRest }),
      );
      if ('held' in restored) throw refuse(restored.held);
      return restored;
    } finally {
      await target.close();
    }
  });
}

function placeOf(setting: Settings['database']): string {
  return setting.engine === 'sqlite' ? shortPath(setting.file) : 'your Postgres database';
}

function tell(
  { messages, waiting }: { messages: number; waiting: number },
  setting: Settings['database'],
): void {
  write(`Restored ${count(messages, 'message')} to ${placeOf(setting)}.\n`);
  if (waiting > 0)
    write(
      `${count(waiting, 'message')} waited to be mailed when the backup was made. The server mails them now; what it has mailed since then comes a second time.\n`,
    );
}

/** Where a backup's settings lead, without passwords. */
function describeSettings(folder: string): string {
  const places = Object.entries(readEnvFile(folder).values).flatMap(([name, value = '']) => {
    const host = URL.canParse(value) ? new URL(value).host : '';
    const location = host || (value.includes('@') ? value : '');
    return location ? [`  ${oneLine(name)} leads to ${oneLine(location)}\n`] : [];
  });
  return (
    `The backup’s settings are in ${shortPath(ASIDE)} and not used yet, since they say where your messages go.\n` +
    `${places.join('')}If they’re yours: mv ${shortPath(ASIDE)} ${shortPath(ENV_FILE)}\n`
  );
}
