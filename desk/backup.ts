import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { backUp } from '../messages/copy.ts';
import type { Database } from '../messages/database.ts';
import { noteDone } from '../messages/last-done.ts';
import type { Desk } from './desk.ts';
import { makeNewFile } from './output-file.ts';
import { count, json, note, write } from './terminal.ts';

export function addBackup(program: Command, desk: Desk): void {
  program
    .command('backup <file>')
    .description('copy everything into a new file, also while the server runs')
    .option('--json', 'for scripts')
    .addHelpText('after', '\nThe file is a SQLite database, whichever database yours is; restore reads it.')
    .action(async (name: string, options: { json?: true }) => {
      const file = resolve(name);
      const database = await desk.database();
      const messages = await makeNewFile(file, (unfinished) => backUp(database, unfinished));
      const { size } = await stat(file);
      await remember(database, desk.now());
      if (options.json) return write(json({ file, messages, bytes: size }));
      write(`Copied ${count(messages, 'message')} to ${name} (${kilobytes(size)}) and checked the copy.\n`);
      note(
        'It holds personal data: keep it where only you can read it, on another disk than the database.\n',
      );
    });
}

/** Tells whoever looks after the desk how old the last backup is. */
async function remember(database: Database, now: number): Promise<void> {
  try {
    await noteDone(database, 'backup', now);
  } catch {
    // A full disk is a good reason for a backup, and none to call it failed.
    note('The database takes no writes at the moment, so it does not remember this backup.\n');
  }
}

function kilobytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
