import { existsSync, openAsBlob, rmSync, statSync } from 'node:fs';
import { chmod, mkdtemp, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ownFiles } from '../build/words.ts';
import { backUp, restore, withBackup } from '../messages/copy.ts';
import type { Database } from '../messages/database.ts';
import { noteDone } from '../messages/last-done.ts';
import { openDatabase } from '../messages/open.ts';
import { countMessages } from '../messages/queries.ts';
import { codeOf } from '../messages/store-error.ts';
import { makeFolder } from '../messages/sync.ts';
import { loadEnv, PROJECT_ROOT, readSettings, type Settings, shortPath } from '../settings/settings.ts';
import { pack, unpack } from './archive.ts';
import { DESK_CONNECTION, type Desk } from './desk.ts';
import { Failed } from './failures.ts';
import { makeNewFile, withCleanup } from './output-file.ts';
import { count, json, note, warm, write } from './terminal.ts';

/** In the archive. */
const MESSAGES = 'messages.db';
const SETTINGS = '.env';
const WORDS = 'mine/';
const MAILS = 'mail/';
const IS_OURS = new RegExp(`^(${MESSAGES}|\\${SETTINGS}|(${WORDS}|${MAILS})(?!\\.)[^/\\\\]+)$`);

const ENV_FILE = join(PROJECT_ROOT, SETTINGS);

export function addBackup(program: Command, desk: Desk): void {
  program
    .command('backup <file>')
    .description('copy all that is yours into one new file, also while the server runs')
    .addHelpText(
      'after',
      `
All that is yours: the messages, your words and photo, mails that are files, and .env. The file is a zip, which any
computer opens. If its name ends in .db, it's a SQLite database with the messages alone, whichever database yours
is. restore reads both.`,
    )
    .action(async (name: string, options: { json?: true }) => {
      const file = resolve(name);
      const database = await desk.database();
      const onlyMessages = /\.db$/i.test(name);
      const kept = await makeNewFile(file, async (unfinished) =>
        onlyMessages
          ? { messages: await backUp(database, unfinished) }
          : keepAll(database, desk.settings(), unfinished),
      );
      const bytes = statSync(file).size;
      // For the doctor, which says how old the last backup is. On a full disk this write fails, but the backup is fine.
      await noteDone(database, 'backup', Date.now()).catch(() =>
        note('The database can’t be written at the moment, so the doctor won’t know of this backup.\n'),
      );
      if (options.json) return write(json({ file, ...kept, bytes }));
      const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
      write(`Copied ${listOf(kept)} to ${name} (${size}) and checked the copy.\n`);
      if (onlyMessages) note('Your words, photo, mails and settings are not in it: they are in a .zip.\n');
      else if (!('settings' in kept && kept.settings))
        note(
          'There is no .env, so settings are not in it: those of the environment stay where they are set.\n',
        );
      note(
        `It holds personal data${'settings' in kept && kept.settings ? ' and your passwords' : ''}: keep it where only you can read it, on another disk than the database.\n`,
      );
    });
}

type Kept = { messages: number; words?: number; mails?: number; settings?: boolean };

/** “12 messages, 3 files of yours, 12 mails and your settings” */
function listOf({ messages, words, mails, settings }: Kept): string {
  const parts = [
    count(messages, 'message'),
    ...(words ? [`${count(words, 'file')} of your words and photo`] : []),
    ...(mails ? [count(mails, 'mail')] : []),
    ...(settings ? ['your settings'] : []),
  ];
  return new Intl.ListFormat('en-CA').format(parts);
}

/** Packs everything into the file. Its copy of the messages is beside it, and goes with it if this is broken off. */
async function keepAll(database: Database, settings: Settings, unfinished: string): Promise<Required<Kept>> {
  const copy = `${unfinished}.db`;
  const kept = { messages: await backUp(database, copy), words: 0, mails: 0, settings: false };
  await pack(
    unfinished,
    (async function* (): AsyncGenerator<[string, Blob]> {
      yield [MESSAGES, await openAsBlob(copy)];
      for (const file of await ownFiles(settings.wordsDir)) {
        const content = await contentOf(join(settings.wordsDir, file));
        if (!content) continue;
        yield [WORDS + file, content];
        kept.words += 1;
      }
      for (const file of await mailsIn(settings.mailDir)) {
        const content = await contentOf(join(settings.mailDir, file));
        if (!content) continue;
        yield [MAILS + file, content];
        kept.mails += 1;
      }
      const env = await contentOf(ENV_FILE);
      if (env) yield [SETTINGS, env];
      kept.settings = env !== undefined;
    })(),
  );
  return kept;
}

/** Undefined for a folder, or a file that was erased in the meantime. */
async function contentOf(path: string): Promise<Blob | undefined> {
  try {
    return new Blob([await readFile(path)]);
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

async function mailsIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
}

export function addRestore(program: Command, desk: Desk): void {
  program
    .command('restore <file>')
    .description('bring back what is in a backup; the database must be empty')
    .option('--overwrite', 'put its words and settings in place of those here, which are kept beside them')
    .addHelpText(
      'after',
      `
The file is checked before anything is changed. Settings that are here stay, since they belong to this machine;
without any, the backup's are used.`,
    )
    .action(async (name: string, options: { json?: true; overwrite?: true }) => {
      const file = resolve(name);
      if (!existsSync(file)) throw new Failed(`There is no file ${name}.`);
      if (await isZip(file)) return restoreAll(name, Boolean(options.overwrite), options.json);
      const { database } = desk.settings();
      if (database.engine === 'sqlite' && database.file === file)
        throw new Failed(`${name} is the database itself. Name the backup.`);
      const restored = await restoreMessages(file, name, database);
      if (options.json) return write(json(restored));
      tell(restored, database);
    });
}

async function isZip(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return buffer.toString('latin1') === 'PK';
}

async function restoreAll(name: string, overwrite: boolean, asJson?: true): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'));
  await withCleanup(
    () => rmSync(folder, { recursive: true, force: true }),
    async () => {
      const names = await unpack(resolve(name), folder, (entry) => IS_OURS.test(entry)).catch(
        (error: unknown) => {
          if (error instanceof Error && 'path' in error) throw error;
          throw new Failed(`${name} is damaged, so nothing was restored (${(error as Error).message}).`);
        },
      );
      if (!names.includes(MESSAGES)) throw new Failed(`${name} isn’t a backup: it has no ${MESSAGES} in it.`);
      const bringsSettings = names.includes(SETTINGS) && (overwrite || !existsSync(ENV_FILE));
      const settings = readSettings(loadEnv(bringsSettings ? folder : PROJECT_ROOT));
      const { wordsDir, mailDir, database } = settings;
      const own = names.filter((entry) => entry.startsWith(WORDS)).map((entry) => basename(entry));
      const mails = names.filter((entry) => entry.startsWith(MAILS)).map((entry) => basename(entry));
      const others = await differing(wordsDir, join(folder, WORDS));
      if (others.length > 0 && !overwrite) {
        throw new Failed(
          `Nothing was restored, because ${shortPath(wordsDir)} has words that are not the backup’s: ${others.join(', ')}. ` +
            `To put the backup’s in their place and keep yours beside them: npm run desk -- restore ${name} --overwrite`,
        );
      }
      const aside: string[] = [];
      const moveAside = async (path: string) => {
        const other = `${path}.before-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`;
        await rename(path, other);
        aside.push(shortPath(other));
      };
      const restored = await restoreMessages(join(folder, MESSAGES), name, database, async () => {
        if (others.length > 0) await moveAside(wordsDir);
        await bring(own, join(folder, WORDS), wordsDir, 0o644);
        await bring(mails, join(folder, MAILS), mailDir, 0o600);
        if (!bringsSettings) return;
        if (existsSync(ENV_FILE) && !(await isSame(ENV_FILE, join(folder, SETTINGS))))
          await moveAside(ENV_FILE);
        await bring([SETTINGS], folder, PROJECT_ROOT, 0o600);
      });
      if (asJson) {
        const counts = { words: own.length, mails: mails.length, settings: bringsSettings };
        return write(json({ ...restored, ...counts }));
      }
      tell(restored, database);
      const places = [
        ...(own.length > 0
          ? [`${count(own.length, 'file')} of your words and photo to ${shortPath(wordsDir)}`]
          : []),
        ...(mails.length > 0 ? [`${count(mails.length, 'mail')} to ${shortPath(mailDir)}`] : []),
        ...(bringsSettings ? [`your settings to ${SETTINGS}`] : []),
      ];
      if (places.length > 0) write(`Restored ${new Intl.ListFormat('en-CA').format(places)}.\n`);
      if (aside.length > 0) note(`What was there before is in ${aside.join(' and ')}.\n`);
      if (names.includes(SETTINGS) && !bringsSettings && !(await isSame(ENV_FILE, join(folder, SETTINGS))))
        note(`Your .env stays as it is. The backup’s is another; to see it, open ${name}.\n`);
    },
  );
}

/** The owner's files in a folder that aren't the same as in another. */
async function differing(folder: string, other: string): Promise<string[]> {
  const files = await ownFiles(folder);
  const same = await Promise.all(files.map((file) => isSame(join(folder, file), join(other, file))));
  return files.filter((_, at) => !same[at]);
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([contentOf(one), contentOf(other)]);
  if (!first || !second) return false;
  return Buffer.from(await first.arrayBuffer()).equals(Buffer.from(await second.arrayBuffer()));
}

/** Puts files into a folder. What's there by the same name is the same file and stays. */
async function bring(names: string[], from: string, to: string, mode: number): Promise<void> {
  // Whoever can read the files can enter the folder.
  if (names.length > 0) makeFolder(to, mode | ((mode & 0o444) >> 2));
  for (const name of names) {
    const target = join(to, name);
    if (existsSync(target)) continue;
    await makeNewFile(target, async (unfinished) => {
      await writeFile(unfinished, await readFile(join(from, name)));
      await chmod(unfinished, mode);
    });
  }
}

/**
 * @param file the copy of the messages
 * @param name how errors name the backup
 * @param bringTheRest is called once it's clear that the messages can be restored, and may be called again if they
 *   weren't
 */
function restoreMessages(
  file: string,
  name: string,
  setting: Settings['database'],
  bringTheRest = async () => {},
) {
  const refuse = (held: number) =>
    new Failed(
      `Nothing was restored, because ${placeOf(setting)} already has ${count(held, 'message')}, and a backup can only go into an empty database. ` +
        'Stop the server and move that one away, or set another in DATABASE_URL.',
    );
  return withBackup(file, name, async (backup) => {
    const target = await openDatabase(setting, DESK_CONNECTION);
    try {
      const held = await countMessages(target);
      if (held > 0) throw refuse(held);
      await bringTheRest();
      const restored = await restore(target, backup);
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
  write(`Restored ${count(messages, 'message')} to ${placeOf(setting)} and compared them with the backup.\n`);
  if (waiting > 0) {
    write(
      warm(
        `${count(waiting, 'message')} waited to be mailed when the backup was made. The server mails them now; what it has mailed since then comes a second time.\n`,
      ),
    );
  }
}
