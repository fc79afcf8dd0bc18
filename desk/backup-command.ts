import { createReadStream, createWriteStream, openAsBlob, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { withProgress } from '../build/progress.mjs';
import { backUp } from '../server/messages/copy.ts';
import type { Database } from '../server/messages/database.ts';
import { noteDone } from '../server/messages/last-done.ts';
import type { SshServer } from '../settings/checks.ts';
import { PROJECT_ROOT, type Settings, shortPath } from '../settings/settings.ts';
import { pack, readBack } from './archive.ts';
import type { Desk } from './desk.ts';
import { Failed, WrongUsage } from './failures.ts';
import { contentOf, ENV_FILE, FOLDERS, MESSAGES, SETTINGS } from './kept.ts';
import { endOf, onServer, outputOf } from './online/ssh.ts';
import { discard, discardLeftovers, makeNewFile, UNFINISHED } from './output-file.ts';
import { count, json, note, write } from './terminal.ts';
import { sheetTime } from './time.ts';

const HAND_OVER = 'hand-over';
/** For when she names no file. */
const BACKUPS = join(PROJECT_ROOT, 'backups');

export function addBackup(program: Command, desk: Desk): void {
  program
    .command('backup [file]')
    .description('copy all that is yours into one new file, also while the server runs')
    .addHelpText(
      'after',
      `
All that is yours: the messages, your words and photo, mails that are files, and .env. The file is a zip, which any
computer opens. If its name ends in .db, it's a SQLite database with the messages alone, whichever database yours
is. restore reads both.`,
    )
    .action(async (given: string | undefined, options: { json?: true }) => {
      const server = desk.server();
      const now = sheetTime(Date.now(), desk.settings().timeZone).replaceAll(/\D/g, '-');
      const name = given ?? (server && join(BACKUPS, `site-${now}.zip`));
      if (!name) throw new WrongUsage('Name a new file, on another disk: npm run desk backup FILE');
      const file = resolve(name);
      if (server) return fetchBackup(server, file, options);
      const database = await desk.database();
      const onlyMessages = /\.db$/i.test(name);
      await discardLeftovers(dirname(file), UNFINISHED);
      const kept = await makeNewFile(file, async (unfinished) =>
        onlyMessages
          ? { messages: await copyMessages(database, unfinished) }
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

/** What's on the server, into a file here. Only once that's whole does the server note that it's been taken. */
async function fetchBackup(server: SshServer, file: string, options: { json?: true }): Promise<void> {
  if (!file.endsWith('.zip')) throw new WrongUsage('A backup of your server is a .zip: name it so.');
  if (dirname(file) === BACKUPS) await mkdir(BACKUPS, { recursive: true, mode: 0o700 });
  await discardLeftovers(dirname(file), UNFINISHED);
  await makeNewFile(file, async (unfinished) => {
    const child = onServer(server, `desk ${HAND_OVER}`, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = endOf(child);
    if (child.stdout) await pipeline(child.stdout, createWriteStream(unfinished));
    if ((await ended) !== 0) throw new Failed('The server couldn’t hand it over.');
    await readBack(unfinished);
  });
  await outputOf(onServer(server, `desk ${HAND_OVER} taken`));
  write(
    options.json
      ? json({ file, bytes: statSync(file).size })
      : `It’s in ${shortPath(file)}, and whole.
`,
  );
}

/** On the server, for `fetchBackup`. What's between goes when the process ends. */
export function addHandOver(program: Command, desk: Desk): void {
  program.command(`${HAND_OVER} [taken]`, { hidden: true }).action(async (taken?: string) => {
    const database = await desk.database();
    if (taken) return noteDone(database, 'backup-taken', Date.now());
    const folder = dirname(desk.settings().mailDir);
    await discardLeftovers(folder, UNFINISHED);
    const file = join(folder, `desk-${process.pid}-taken.zip.unfinished`);
    process.once('exit', () => discard(file));
    await writeFile(file, '', { flag: 'wx', mode: 0o600 });
    note(`${listOf(await keepAll(database, desk.settings(), file))}\n`);
    await pipeline(createReadStream(file), process.stdout, { end: false });
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
  const kept = { messages: await copyMessages(database, copy), words: 0, mails: 0, settings: false };
  async function* all(show: (files: number) => void): AsyncGenerator<[string, Blob]> {
    yield [MESSAGES, await openAsBlob(copy)];
    for (const { what, inZip, setting, filesIn } of FOLDERS) {
      for (const file of await filesIn(settings[setting])) {
        const content = await contentOf(join(settings[setting], file));
        if (!content) continue;
        yield [inZip + file, new Blob([content])];
        kept[what] += 1;
        show(kept.words + kept.mails);
      }
    }
    const env = await contentOf(ENV_FILE);
    if (env) yield [SETTINGS, new Blob([env])];
    kept.settings = env !== undefined;
  }
  await withProgress('Packing', 'files', (show) => pack(unfinished, all(show)));
  return kept;
}

function copyMessages(database: Database, file: string): Promise<number> {
  return withProgress('Copying and comparing', 'messages', (show) => backUp(database, file, show));
}
