import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { backUp, restore, withBackup } from '../messages/copy.ts';
import { noteDone } from '../messages/last-done.ts';
import { openDatabase } from '../messages/open.ts';
import { shortPath } from '../settings/settings.ts';
import { DESK_CONNECTION, type Desk } from './desk.ts';
import { Failed } from './failures.ts';
import { makeNewFile } from './output-file.ts';
import { count, json, note, warm, write } from './terminal.ts';

export function addBackup(program: Command, desk: Desk): void {
  program
    .command('backup <file>')
    .description('copy everything into a new file, also while the server runs')
    .addHelpText('after', '\nThe file is a SQLite database, whichever database yours is; restore reads it.')
    .action(async (name: string, options: { json?: true }) => {
      const file = resolve(name);
      const database = await desk.database();
      const messages = await makeNewFile(file, (unfinished) => backUp(database, unfinished));
      const bytes = statSync(file).size;
      // For the doctor, which says how old the last backup is. On a full disk this write fails, but the backup is fine.
      await noteDone(database, 'backup', Date.now()).catch(() =>
        note('The database takes no writes at the moment, so it does not remember this backup.\n'),
      );
      if (options.json) return write(json({ file, messages, bytes }));
      const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
      write(`Copied ${count(messages, 'message')} to ${name} (${size}) and checked the copy.\n`);
      note(
        'It holds personal data: keep it where only you can read it, on another disk than the database.\n',
      );
    });
}

export function addRestore(program: Command, desk: Desk): void {
  program
    .command('restore <file>')
    .description('fill an empty database from a backup')
    .action(async (name: string, options: { json?: true }) => {
      const file = resolve(name);
      if (!existsSync(file)) throw new Failed(`There is no file ${name}.`);
      const { database: setting } = desk.settings();
      if (setting.engine === 'sqlite' && setting.file === file)
        throw new Failed(`${name} is the database itself. Name the backup.`);
      const restored = await withBackup(name, async (backup) => {
        const target = await openDatabase(setting, DESK_CONNECTION);
        try {
          return await restore(target, backup);
        } finally {
          await target.close();
        }
      });
      const place = setting.engine === 'sqlite' ? shortPath(setting.file) : 'your Postgres database';
      if ('held' in restored) {
        throw new Failed(
          `Nothing was restored, because ${place} holds ${count(restored.held, 'message')} already and a backup goes into an empty database only. ` +
            'Stop the server and move that one away, or name another in DATABASE_URL.',
        );
      }
      const { messages, waiting } = restored;
      if (options.json) return write(json({ messages, waiting }));
      write(`Restored ${count(messages, 'message')} to ${place} and compared them with the backup.\n`);
      if (waiting > 0) {
        write(
          warm(
            `${count(waiting, 'message')} waited to be mailed when the backup was made. The server mails them now; what it has mailed since then comes a second time.\n`,
          ),
        );
      }
    });
}
