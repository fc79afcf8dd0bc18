import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Database, PostgresDatabase, SqliteDatabase } from './database.ts';
import { type Erasable, erase } from './states.ts';
import { codeOf } from './store-error.ts';
import type { Tables } from './table.ts';

export type Erased = {
  messages: number;
  /** Copies that the mail folder held. */
  mailFiles: number;
  /** Of the messages, those whose mail was on its way at that moment, and may still arrive. */
  beingMailed: number;
  /**
   * False: their traces could not be overwritten in the database's files yet, since another program
   * reads or writes it. A SQLite file's go at the latest when the last program has closed it, a
   * Postgres table's when Postgres vacuums it by itself.
   */
  overwritten: boolean;
};

type Options = { mailDir: string; now: number };

/** Up to here the database is rewritten in memory, which needs no folder for temporary files. */
const IN_MEMORY_BYTES = 256 * 1024 * 1024;
const VACUUM_MS = 10 * 60_000;

/**
 * Erases messages and the copies of their mails that this machine holds, so that no byte of them stays in
 * the database's files. Out of reach are mails that have been sent, backups and exports, and what a
 * database server keeps beside its tables.
 */
export async function eraseMessages(
  database: Database,
  which: Erasable,
  { mailDir, now }: Options,
): Promise<Erased> {
  const gone = new Set<string>();
  let beingMailed = 0;
  for (;;) {
    const batch = await erase(database, which, now);
    if (batch.length === 0) break;
    for (const { id, inHand } of batch) {
      gone.add(id);
      if (inHand) beingMailed += 1;
    }
  }
  // First, since a mail folder that cannot be read ends this.
  const overwritten = gone.size === 0 || (await overwrite(database));
  const mailFiles = await eraseMailFiles(mailDir, gone, 'email' in which ? which.email : undefined);
  return { messages: gone.size, mailFiles, beingMailed, overwritten };
}

/**
 * Erases the mails of these messages, and those whose answer would go to the address even if their message is
 * gone already.
 *
 * @returns how many
 */
export async function eraseMailFiles(folder: string, ids: Set<string>, email?: string): Promise<number> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  let erased = 0;
  for (const name of names) {
    const id = /-([0-9a-f]{8}-[0-9a-f-]{27})\.eml(?:\.unfinished)?$/.exec(name)?.[1];
    if (id === undefined) continue;
    const path = join(folder, name);
    if (!ids.has(id) && !(email && (await answersTo(path, email)))) continue;
    await rm(path, { force: true });
    erased += 1;
  }
  return erased;
}

async function answersTo(path: string, email: string): Promise<boolean> {
  // Gone since the folder was read, for instance an unfinished file that got its name.
  const mail = await readFile(path, 'latin1').catch(() => '');
  const [head = ''] = mail.split(/\r?\n\r?\n/, 1);
  const unfolded = head.replace(/\r?\n[ \t]+/g, ' ');
  const address = /^reply-to:.*?([^\s<>]+)>?\s*$/im.exec(unfolded)?.[1];
  return address?.toLowerCase() === email.toLowerCase();
}

async function overwrite(database: Database): Promise<boolean> {
  return database.engine === 'sqlite' ? overwriteSqlite(database) : overwritePostgres(database);
}

/**
 * `secure_delete` has zeroed the row where it was. But SQLite moves rows when its pages fill up or empty, and
 * a copy can stay behind in the unused part of a page: only a rewritten file is certain to hold none. The
 * log beside the file keeps older states of pages until it is emptied.
 */
async function overwriteSqlite({ db, sqlite }: SqliteDatabase): Promise<boolean> {
  const { size } = await stat(sqlite.name);
  // Through Kysely, which lets a transaction of this process end first.
  try {
    await sql`pragma temp_store = ${sql.raw(size > IN_MEMORY_BYTES ? 'FILE' : 'MEMORY')}`.execute(db);
    await sql`vacuum`.execute(db);
  } catch (error) {
    // Busy, or no space for a second copy: what secure_delete and the emptied log do remains to be done.
    if (!/^SQLITE_(BUSY|FULL|IOERR)/.test(codeOf(error))) throw error;
    await emptyLog(db);
    return false;
  }
  return emptyLog(db);
}

/** Waits for readers as long as the database's busy timeout; false when one still reads an older state. */
async function emptyLog(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(TRUNCATE)`.execute(db);
  return rows[0]?.busy === 0;
}

/** Postgres overwrites what VACUUM frees as the table is used; its WAL is out of our reach. */
async function overwritePostgres({ pool }: PostgresDatabase): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query(`set statement_timeout = ${VACUUM_MS}`);
    await client.query({ text: 'vacuum contact_message', query_timeout: VACUUM_MS } as { text: string });
    return true;
  } catch {
    // Postgres does it by itself before long.
    return false;
  } finally {
    // Nobody else wants its settings.
    client.release(true);
  }
}
