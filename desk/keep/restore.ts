import { createReadStream, existsSync, statSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { ownFiles } from '../../publish/words.ts';
import { replaceFile } from '../../server/files.ts';
import { restore as fill, openBackup } from '../../server/messages/copy.ts';
import type { Database, SqliteDatabase } from '../../server/messages/database.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { countMessages, countUnsent } from '../../server/messages/queries.ts';
import { isDiskFull } from '../../server/messages/store-error.ts';
import { readSettings, type Settings, shortPath } from '../../settings/settings.ts';
import {
  count,
  DESK_CONNECTION,
  Failed,
  note,
  printable,
  readArgs,
  WrongUsage,
  write,
} from '../command/command.ts';
import { type Counts, contentOf, ENV, ENV_FILE, inWords, MESSAGES, unpack, WORDS } from './archive.ts';
import { makeDataRoom } from './output-file.ts';

/** A backup's settings, which count once the owner has looked them over and renamed the file. */
const ASIDE = `${ENV_FILE}.from-backup`;

export const MAILED_AGAIN =
  'The server mails those; any that were mailed since the backup was made come a second time.';

/** As `--json` prints it: `waiting` to be mailed. */
export type Brought = Counts & { waiting: number };

type Piece = { from: string; to: string; mode: number };

/** With `--look`, it only says what it would restore, as JSON, or why it can't. */
export async function restore(args: string[]): Promise<void> {
  const { given, file: typed } = readArgs(args, ['look', 'json'], true);
  if (!typed) throw new WrongUsage('Name a backup: npm run desk restore FILE');
  const file = resolve(typed);
  const name = basename(file);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Failed(`There is no file ${typed}.`);
  const settings = readSettings();
  await using room = await makeDataRoom(settings);
  const names = await unpackBackup(file, name, room.path);
  const pieces = names.flatMap((entry): Piece[] => {
    const from = join(room.path, entry);
    if (entry.startsWith(WORDS)) return [{ from, to: join(settings.wordsDir, basename(entry)), mode: 0o644 }];
    const isFirst = entry === ENV && !existsSync(ENV_FILE);
    return isFirst ? [{ from, to: ASIDE, mode: 0o600 }] : [];
  });
  await refuseWhatIsThere(pieces, settings);
  await using backup = await openBackup(join(room.path, MESSAGES), name);
  await using target = await openDatabase(settings.database, DESK_CONNECTION);
  const messages = await (given.has('look')
    ? lookAt(backup, target)
    : fill(target, backup, () => bring(pieces)));
  if (!messages) {
    const { database } = settings;
    const place = database.engine === 'sqlite' ? shortPath(database.file) : 'your Postgres database';
    throw new Failed(
      `Nothing was restored, because ${place} already has ${count(await countMessages(target), 'message')}, and a backup can only go into an empty database. ` +
        'Stop the server and move that one away, or set another in DATABASE_URL.',
    );
  }
  const words = pieces.filter(({ to }) => to !== ASIDE).length;
  const brought: Brought = { ...messages, words };
  if (given.has('json') || given.has('look')) return write(`${JSON.stringify(brought)}\n`);
  write(`Restored ${inWords(brought)}.\n`);
  if (messages.waiting > 0)
    write(`${count(messages.waiting, 'message')} of them waited to be mailed. ${MAILED_AGAIN}\n`);
  if (words < pieces.length)
    note(
      `The backup’s settings are in ${shortPath(ASIDE)} and not used yet, since they say where your messages go. If they’re yours, rename it to ${ENV}.\n`,
    );
}

/** Copies what's in a backup into a folder, since migrating changes a database. */
async function unpackBackup(file: string, name: string, folder: string): Promise<string[]> {
  const start = await text(createReadStream(file, { end: 15 }));
  if (start.startsWith('SQLite format 3')) {
    await copyFile(file, join(folder, MESSAGES));
    // Someone may have copied a live database by hand, along with its log, as they should.
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, join(folder, `${MESSAGES}-wal`));
    return [MESSAGES];
  }
  if (!start.startsWith('PK')) throw new Failed(`${name} isn’t a backup. A backup is a .zip file.`);
  const names = await unpack(file, folder).catch((error: unknown) => {
    if (error instanceof Failed || isDiskFull(error) || (error instanceof Error && 'path' in error))
      throw error;
    throw new Failed(`${name} is damaged, so nothing was restored (${printable((error as Error).message)}).`);
  });
  if (!names.includes(MESSAGES)) throw new Failed(`${name} isn’t a backup: it has no ${MESSAGES} in it.`);
  return names;
}

/** @throws {Failed} naming all that isn't from the backup. Identical files are left by an interrupted restore. */
async function refuseWhatIsThere(pieces: Piece[], { wordsDir }: Settings): Promise<void> {
  // A backup of the messages alone goes with any words.
  const words = pieces.length > 0 ? await ownFiles(wordsDir) : [];
  const sources = new Map(pieces.map(({ from, to }) => [to, from]));
  const inTheWay: string[] = [];
  for (const path of new Set([...words.map((name) => join(wordsDir, name)), ...sources.keys()])) {
    const source = sources.get(path);
    if (existsSync(path) && !(source && (await isSame(path, source)))) inTheWay.push(shortPath(path));
  }
  if (inTheWay.length === 0) return;
  const some = inTheWay.length > 5 ? [...inTheWay.slice(0, 4), `${inTheWay.length - 4} more`] : inTheWay;
  throw new Failed(
    `Nothing was restored, because there’s already ${new Intl.ListFormat('en-CA').format(some)}, which isn’t from the backup. Move it away first.`,
  );
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([contentOf(one), contentOf(other)]);
  return first !== undefined && second !== undefined && first.equals(second);
}

/** A file that's already there is identical, and stays. */
async function bring(pieces: Piece[]): Promise<void> {
  for (const { from, to, mode } of pieces) {
    if (!existsSync(to)) await replaceFile(to, await readFile(from), mode);
  }
}

/** What would be restored; undefined if the target has messages. */
async function lookAt(backup: SqliteDatabase, target: Database) {
  if ((await countMessages(target)) > 0) return undefined;
  return { messages: await countMessages(backup), waiting: (await countUnsent(backup)).waiting };
}
