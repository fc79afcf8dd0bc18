import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { restore, withBackup } from '../messages/copy.ts';
import { openDatabase } from '../messages/open.ts';
import { DESK_CONNECTION, type Desk, shortPath } from './desk.ts';
import { Failed } from './failures.ts';
import { count, json, warm, write } from './terminal.ts';

export function addRestore(program: Command, desk: Desk): void {
  program
    .command('restore <file>')
    .description('fill an empty database from a backup')
    .option('--json', 'for scripts')
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
