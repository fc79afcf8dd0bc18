import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { sql } from 'kysely';
import type { Database } from '../messages/database.ts';
import { openDatabase, openSqlite } from '../messages/open.ts';
import { StoreError } from '../messages/store-error.ts';
import { type Contents, copyContents, readContents } from './copy.ts';
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
      const { messages, waiting } = await withBackup(file, name, async (backup) => {
        const target = await openDatabase(setting, DESK_CONNECTION);
        try {
          return await fill(target, backup);
        } finally {
          await target.close();
        }
      });
      if (options.json) return write(json({ messages, waiting }));
      const place = setting.engine === 'sqlite' ? shortPath(setting.file) : 'your Postgres database';
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

async function fill(
  { db, engine, place }: Database,
  backup: Database,
): Promise<Contents & { waiting: number }> {
  return db.transaction().execute(async (target) => {
    // A server on the target that takes or mails a message waits until all are there.
    if (engine === 'postgres') await sql`lock table contact_message in exclusive mode`.execute(target);
    const { held } = await target
      .selectFrom('contact_message')
      .select(({ fn }) => fn.countAll<number>().as('held'))
      .executeTakeFirstOrThrow();
    if (held > 0) {
      throw new Failed(
        `Nothing was restored, because ${shortPath(place)} holds ${count(held, 'message')} already and a backup goes into an empty database only. ` +
          'Stop the server and move that one away, or name another in DATABASE_URL.',
      );
    }
    // What a server that has just begun has counted is not worth more than the backup.
    await target.deleteFrom('daily_count').execute();
    await target.deleteFrom('last_done').execute();
    const copied = await copyContents(backup.db, target);
    const found = await readContents(target);
    if (found.digest !== copied.digest)
      throw new Failed(
        'What arrived differs from the backup, so nothing was restored. Is the disk all right?',
      );
    const { waiting } = await target
      .selectFrom('contact_message')
      .select(({ fn }) => fn.countAll<number>().as('waiting'))
      .where('state', '=', 'waiting')
      .executeTakeFirstOrThrow();
    return { ...found, waiting };
  });
}

/** Opens a copy, since a backup by an older version gets the tables of this one first, and must stay as it is. */
async function withBackup<T>(file: string, name: string, use: (backup: Database) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'));
  try {
    const copy = join(folder, 'backup.db');
    await copyFile(file, copy);
    // Somebody may have copied a live database by hand, and its log with it as they should.
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${copy}-wal`);
    const backup = await openSqlite(copy).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      throw new Failed(
        `${name} is no backup that this version can read: ${error.message.replaceAll(copy, name)}`,
      );
    });
    try {
      return await use(backup);
    } finally {
      await backup.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
