import { createReadStream, existsSync, statSync } from 'node:fs';
import { copyFile, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ownFiles } from '../../publish/words.ts';
import { restore as fill, openBackup } from '../../server/messages/copy.ts';
import { makeFolder } from '../../server/messages/files.ts';
import { openDatabase } from '../../server/messages/open.ts';
import { countMessages, countUnsent } from '../../server/messages/queries.ts';
import { isDiskFull } from '../../server/messages/store-error.ts';
import { replaceFile } from '../../settings/replace-file.ts';
import { type Settings, shortPath } from '../../settings/settings.ts';
import { DESK_CONNECTION, type Desk } from '../command/desk.ts';
import { Failed, onlyFile, WrongUsage } from '../command/failures.ts';
import { count, json, note, oneLine, saying, write } from '../command/terminal.ts';
import { unpack } from './archive.ts';
import { contentOf, ENV_FILE, FOLDERS, inWords, MESSAGES, SETTINGS } from './format.ts';
import { dataFolder, makeRoom } from './output-file.ts';

/** A backup's settings, which count once the owner has looked at them and given them their name. */
const ASIDE = `${ENV_FILE}.from-backup`;

export const MAILED_AGAIN =
  'The server mails those; what was mailed since the backup was made comes a second time.';

/** What a backup brings, as `--json` prints it. */
export type Brought = {
  messages: number;
  /** How many of them weren't mailed yet. */
  waiting: number;
  /** Files of words and the photo. */
  words: number;
  mails: number;
  /** In milliseconds since 1970; absent for a database alone. */
  madeAt?: number | undefined;
};

/** A file to bring, and where it goes. */
type Piece = { from: string; to: string; mode: number };

/** With `--look`, it only says what it would bring, or why it can't. */
export async function restore(desk: Desk, args: string[]): Promise<void> {
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { look: flag, json: flag },
  });
  const typed = onlyFile(positionals);
  if (!typed) throw new WrongUsage('Name a backup: npm run desk restore FILE');
  const file = resolve(typed);
  const name = basename(file);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Failed(`There is no file ${typed}.`);
  const settings = desk.settings();
  makeFolder(dataFolder(settings));
  const room = await makeRoom(dataFolder(settings));
  try {
    const { names, madeAt } = await unpackBackup(file, name, room);
    const bringsSettings = names.includes(SETTINGS) && !existsSync(ENV_FILE);
    const filesOf = ({ inZip, setting, mode }: (typeof FOLDERS)[number]): Piece[] =>
      names
        .filter((entry) => entry.startsWith(inZip))
        .map((entry) => ({ from: join(room, entry), to: join(settings[setting], basename(entry)), mode }));
    const [words, mails] = FOLDERS.map(filesOf) as [Piece[], Piece[]];
    const aside = { from: join(room, SETTINGS), to: ASIDE, mode: 0o600 };
    const pieces = [...words, ...mails, ...(bringsSettings ? [aside] : [])];
    await refuseWhatIsThere(pieces, settings);
    const bringFiles = async () => {
      for (const piece of pieces) await bring(piece);
    };
    const copy = join(room, MESSAGES);
    const messages = await restoreMessages(
      copy,
      name,
      settings.database,
      values.look ? undefined : bringFiles,
    );
    const brought = { ...messages, words: words.length, mails: mails.length, madeAt };
    if (values.json) return write(json(brought));
    write(`${values.look ? 'It has' : 'Restored'} ${inWords(brought)}.\n`);
    if (messages.waiting > 0)
      write(`${count(messages.waiting, 'message')} of them waited to be mailed. ${MAILED_AGAIN}\n`);
    if (values.look) return;
    if (bringsSettings)
      note(
        `The backup’s settings are in ${shortPath(ASIDE)} and not used yet, since they say where your messages go. If they’re yours, rename it to ${SETTINGS}.\n`,
      );
    else if (names.includes(SETTINGS) && !(await isSame(ENV_FILE, aside.from)))
      note(`Your .env stays as it is. The backup’s is another; to see it, open ${typed}.\n`);
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

/** Copies what's in a backup into a folder, since migrating changes a database. */
async function unpackBackup(file: string, name: string, folder: string): ReturnType<typeof unpack> {
  const start = await text(createReadStream(file, { end: 15 }));
  if (start.startsWith('SQLite format 3')) {
    await copyFile(file, join(folder, MESSAGES));
    // Someone may have copied a live database by hand, along with its log, as they should.
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, join(folder, `${MESSAGES}-wal`));
    return { names: [MESSAGES], madeAt: undefined };
  }
  if (!start.startsWith('PK')) throw new Failed(`${name} isn’t a backup: those are a .zip.`);
  const found = await saying('Unpacking', () => unpack(file, folder)).catch((error: unknown) => {
    if (error instanceof Failed || isDiskFull(error) || (error instanceof Error && 'path' in error))
      throw error;
    throw new Failed(`${name} is damaged, so nothing was restored (${oneLine((error as Error).message)}).`);
  });
  if (!found.names.includes(MESSAGES))
    throw new Failed(`${name} isn’t a backup: it has no ${MESSAGES} in it.`);
  return found;
}

/** @throws {Failed} naming all that isn't the backup's. What's the same is left by a restore that was broken off. */
async function refuseWhatIsThere(pieces: Piece[], { wordsDir }: Settings): Promise<void> {
  const sources = new Map(pieces.map(({ from, to }) => [to, from]));
  const there = new Set([...sources.keys()].filter((path) => existsSync(path)));
  // A backup of the messages alone goes with any words.
  if (pieces.length > 0) for (const file of await ownFiles(wordsDir)) there.add(join(wordsDir, file));
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
  const [first, second] = await Promise.all([contentOf(one), contentOf(other)]);
  return first !== undefined && second !== undefined && first.equals(second);
}

/** What's there by that name is the same and stays. */
async function bring({ from, to, mode }: Piece): Promise<void> {
  if (existsSync(to)) return;
  // Whoever can read the file can enter the folder.
  makeFolder(dirname(to), mode | ((mode & 0o444) >> 2));
  await replaceFile(to, await readFile(from), mode);
}

/**
 * @param file the copy of the messages
 * @param name how errors name the backup
 * @param bringFiles is called when the messages are in place; if it fails, none of them is restored. Without it, none is
 */
async function restoreMessages(
  file: string,
  name: string,
  setting: Settings['database'],
  bringFiles: (() => Promise<void>) | undefined,
): Promise<Pick<Brought, 'messages' | 'waiting'>> {
  const place = setting.engine === 'sqlite' ? shortPath(setting.file) : 'your Postgres database';
  const refuse = (held: number) =>
    new Failed(
      `Nothing was restored, because ${place} already has ${count(held, 'message')}, and a backup can only go into an empty database. ` +
        'Stop the server and move that one away, or set another in DATABASE_URL.',
    );
  await using backup = await openBackup(file, name);
  await using target = await openDatabase(setting, DESK_CONNECTION);
  const held = await countMessages(target);
  if (held > 0) throw refuse(held);
  if (!bringFiles)
    return { messages: await countMessages(backup), waiting: (await countUnsent(backup)).waiting };
  const restored = await saying('Restoring', () => fill(target, backup, bringFiles));
  if ('held' in restored) throw refuse(restored.held);
  return restored;
}
