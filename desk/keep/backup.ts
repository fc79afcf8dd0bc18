import { openAsBlob } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ownFiles } from '../../publish/words.ts';
import { backUp } from '../../server/messages/copy.ts';
import { noteDone } from '../../server/messages/last-done.ts';
import { SETTINGS, type Setting } from '../../settings/schema.ts';
import { readSettings } from '../../settings/settings.ts';
import { note, openExisting, readArgs, WrongUsage, write } from '../command/command.ts';
import { withValue } from '../settings/env-file.ts';
import { contentOf, ENV, ENV_FILE, inWords, MESSAGES, pack, WORDS } from './archive.ts';
import { makeNewFile } from './output-file.ts';

/** With `--download`, it has no secrets, and counts only once whoever asked for it has it. */
export async function backup(args: string[]): Promise<void> {
  const { given, file: name } = readArgs(args, ['download'], true);
  const isDownload = given.has('download');
  if (!name) throw new WrongUsage('Name a new file, on another disk: npm run desk backup FILE');
  const file = resolve(name);
  const settings = readSettings();
  await using database = await openExisting(settings);
  const contents = { messages: 0, words: 0, settings: false };

  async function* everything(messages: string): AsyncGenerator<File> {
    yield new File([await openAsBlob(messages)], MESSAGES);
    for (const each of await ownFiles(settings.wordsDir)) {
      const content = await contentOf(join(settings.wordsDir, each));
      if (!content) continue;
      yield new File([content], WORDS + each);
      contents.words += 1;
    }
    const env = await contentOf(ENV_FILE);
    if (env) yield new File([isDownload ? withoutSecrets(env.toString()) : env], ENV);
    contents.settings = env !== undefined;
  }

  await makeNewFile(file, async (unfinished) => {
    const onlyMessages = /\.db$/i.test(name);
    // Not on the disk of the database, which may be full.
    const copy = onlyMessages ? unfinished : join(dirname(unfinished), MESSAGES);
    contents.messages = await backUp(database, copy);
    if (!onlyMessages) await pack(unfinished, everything(copy));
  });
  if (isDownload) return;
  // For the doctor, which says how old the last backup is. On a full disk this write fails, but the backup is fine.
  await noteDone(database, 'backup', Date.now()).catch(() => undefined);
  write(`Copied ${inWords(contents)} to ${name} and checked the copy.\n`);
  if (!/\.(zip|db)$/i.test(name)) note('It’s a .zip file, whatever its name says.\n');
  note(
    `It holds personal data${contents.settings ? ' and the passwords in your settings' : ''}: keep it where only you can read it, on a different disk from the database.\n`,
  );
}

/** The known settings that hold no secret; nothing else from `.env`, whatever it may be. */
function withoutSecrets(env: string): string {
  const values = parseEnv(env);
  const open = Object.values<Setting<unknown>>(SETTINGS).filter(({ secret }) => !secret);
  return open.reduce((text, { name }) => withValue(text, name, values[name] ?? ''), '');
}
