import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Database, SqliteDatabase } from '../messages/database.ts';
import { openSqlite } from '../messages/open.ts';
import { copyContents, readContents } from './copy.ts';
import type { Desk } from './desk.ts';
import { Failed } from './failures.ts';
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
      const messages = await backUp(database, file);
      const { size } = await stat(file);
      await remember(database, desk.now());
      if (options.json) return write(json({ file, messages, bytes: size }));
      write(`Copied ${count(messages, 'message')} to ${name} (${kilobytes(size)}) and checked the copy.\n`);
      note(
        'It holds personal data: keep it where only you can read it, on another disk than the database.\n',
      );
    });
}

/** @returns how many messages the file holds, compared with the database one by one */
async function backUp(database: Database, file: string): Promise<number> {
  return makeNewFile(file, async (unfinished) => {
    const copy = await openSqlite(unfinished);
    try {
      return await copyAndCheck(database, copy);
    } finally {
      await copy.close();
    }
  });
}

async function copyAndCheck(database: Database, copy: SqliteDatabase): Promise<number> {
  const copied = await snapshot(database, (source) => copyContents(source, copy.db));
  const verdict = copy.sqlite.pragma('integrity_check(1)', { simple: true });
  const found = await readContents(copy.db);
  if (verdict !== 'ok' || found.messages !== copied.messages || found.digest !== copied.digest) {
    throw new Failed('The copy differs from the database, so it was thrown away. Is the disk all right?');
  }
  // One file alone, without a log beside it, that can be moved and opened anywhere.
  copy.sqlite.pragma('journal_mode = DELETE');
  return found.messages;
}

/** One state of the database, however much is written to it meanwhile. */
function snapshot<T>({ db, engine }: Database, read: (source: Database['db']) => Promise<T>): Promise<T> {
  const transaction = db.transaction();
  // SQLite knows no other isolation, and no word for it.
  return (engine === 'postgres' ? transaction.setIsolationLevel('repeatable read') : transaction).execute(
    read,
  );
}

/** Tells whoever looks after the desk how old the last backup is. */
async function remember({ db }: Database, now: number): Promise<void> {
  try {
    await db
      .insertInto('last_done')
      .values({ what: 'backup', at: now })
      .onConflict((conflict) => conflict.column('what').doUpdateSet({ at: now }))
      .execute();
  } catch {
    // A full disk is a good reason for a backup, and none to call it failed.
    note('The database takes no writes at the moment, so it does not remember this backup.\n');
  }
}

function kilobytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
