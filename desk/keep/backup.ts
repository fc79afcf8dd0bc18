import { openAsBlob, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { withProgress } from '../../publish/progress.mjs';
import { backUp } from '../../server/messages/copy.ts';
import type { Database } from '../../server/messages/database.ts';
import { noteDone } from '../../server/messages/last-done.ts';
import { SETTINGS as ALL, type Setting } from '../../settings/schema.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Desk } from '../command/desk.ts';
import { onlyFile, WrongUsage } from '../command/failures.ts';
import { count, json, note, write } from '../command/terminal.ts';
import { withValue } from '../settings/env-file.ts';
import { pack } from './archive.ts';
import { contentOf, ENV_FILE, FOLDERS, MESSAGES, SETTINGS } from './format.ts';
import { discardLeftovers, makeNewFile, UNFINISHED } from './output-file.ts';

export async function backup(desk: Desk, args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, 'no-secrets': { type: 'boolean' } },
  });
  const name = onlyFile(positionals);
  if (!name) throw new WrongUsage('Name a new file, on another disk: npm run desk backup FILE');
  const file = resolve(name);
  const onlyMessages = /\.db$/i.test(name);
  await discardLeftovers(dirname(file), UNFINISHED);
  const contents = await makeNewFile(file, async (unfinished) => {
    const database = await desk.database();
    return onlyMessages
      ? { messages: await copyMessages(database, unfinished) }
      : keepAll(database, desk.settings(), unfinished, values['no-secrets'] === true);
  });
  const bytes = statSync(file).size;
  // For the doctor, which says how old the last backup is. On a full disk this write fails, but the backup is fine.
  await noteDone(await desk.database(), 'backup', Date.now()).catch(() =>
    note('The database can’t be written at the moment, so the doctor won’t know of this backup.\n'),
  );
  if (values.json) return write(json({ file, ...contents, bytes }));
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  write(`Copied ${listOf(contents)} to ${name} (${size}) and checked the copy.\n`);
  const hasSettings = 'settings' in contents && contents.settings;
  if (onlyMessages) note('Your words, photo, mails and settings are not in it: they are in a .zip.\n');
  else if (!hasSettings)
    note('There is no .env, so settings are not in it: those of the environment stay where they are set.\n');
  note(
    `It holds personal data${hasSettings && !values['no-secrets'] ? ' and your passwords' : ''}: keep it where only you can read it, on another disk than the database.\n`,
  );
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
async function keepAll(
  database: Database,
  settings: Settings,
  unfinished: string,
  isBare: boolean,
): Promise<Required<Kept>> {
  const copy = `${unfinished}.db`;
  const contents = { messages: await copyMessages(database, copy), words: 0, mails: 0, settings: false };
  async function* all(show: (files: number) => void): AsyncGenerator<[string, Blob]> {
    yield [MESSAGES, await openAsBlob(copy)];
    for (const { what, inZip, setting, filesIn } of FOLDERS) {
      for (const file of await filesIn(settings[setting])) {
        const content = await contentOf(join(settings[setting], file));
        if (!content) continue;
        yield [inZip + file, new Blob([content])];
        contents[what] += 1;
        show(contents.words + contents.mails);
      }
    }
    const env = await contentOf(ENV_FILE);
    if (env) yield [SETTINGS, new Blob([isBare ? withoutSecrets(env.toString()) : env])];
    contents.settings = env !== undefined;
  }
  await withProgress('Packing', 'files', (show) => pack(unfinished, all(show)));
  return contents;
}

/** The settings that we know and that hold no secret; nothing else of `.env`, whatever it may be. */
function withoutSecrets(env: string): string {
  const values = parseEnv(env);
  const open = Object.values<Setting<unknown>>(ALL).filter(({ secret }) => !secret);
  return open.reduce((text, { name }) => withValue(text, name, values[name] ?? ''), '');
}

function copyMessages(database: Database, file: string): Promise<number> {
  return withProgress('Copying', 'messages', (show) => backUp(database, file, show));
}
