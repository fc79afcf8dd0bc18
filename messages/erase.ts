import { readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Database, PostgresDatabase, SqliteDatabase } from './database.ts';
import { type Erasable, erase } from './states.ts';
import { codeOf } from './store-error.ts';
import { sync } from './sync.ts';
import type { Tables } from './table.ts';

export type Erased = {
  messages: number;
  /** Copies found in the mail folder. */
  mailFiles: number;
  /** How many of the messages had a mail on its way, which may still arrive. */
  beingMailed: number;
  /**
   * False: another program is reading or writing the database, so traces in its files couldn't be overwritten yet. In a
   * SQLite file, they go when the last program closes it, if not sooner; in a Postgres table, when Postgres next
   * vacuums it.
   */
  overwritten: boolean;
};

type Options = { mailDir: string; now: number };

/** Up to this size, the database is rewritten in memory, which needs no folder for temporary files. */
const IN_MEMORY_BYTES = 256 * 1024 * 1024;
const VACUUM_MS = 10 * 60_000;

/**
 * Erases messages and this machine's copies of their mails, so that not a byte of them stays in the database's files.
 * It can't reach mails already sent, backups, exports, or what a database server keeps outside its tables.
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
  // Before the mail folder, which may be unreadable and end this.
  const overwritten = gone.size === 0 || (await overwrite(database));
  const mailFiles = await eraseMailFiles(mailDir, gone, 'email' in which ? which.email : undefined);
  return { messages: gone.size, mailFiles, beingMailed, overwritten };
}

/**
 * Erases the mails of these messages, any whose reply would go to the address, even if their message is already gone,
 * and the lists of suspected spam.
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
    const mail = /-(?:held-\d+|([0-9a-f]{8}-[0-9a-f-]{27}))\.eml(?:\.unfinished)?$/.exec(name);
    if (!mail) continue;
    const [, id] = mail;
    const path = join(folder, name);
    const isMeant = id
      ? ids.has(id) || (email && (await answersTo(path, email)))
      : // It lists several people's messages, and the desk has the others still.
        ids.size > 0 || email;
    if (!isMeant) continue;
    await rm(path, { force: true });
    erased += 1;
  }
  // Or a power failure could bring them back.
  if (erased > 0) sync(folder);
  return erased;
}

async function answersTo(path: string, email: string): Promise<boolean> {
  // Gone since the folder was read, e.g. an unfinished file that was renamed.
  const mail = await readFile(path, 'latin1').catch(() => '');
  const [head = ''] = mail.split(/\r?\n\r?\n/, 1);
  const unfolded = head.replace(/\r?\n[ \t]/g, ' ');
  const address = /^reply-to:.*?([^\s<>]+)>?\s*$/im.exec(unfolded)?.[1];
  return address?.toLowerCase() === email.toLowerCase();
}

async function overwrite(database: Database): Promise<boolean> {
  return database.engine === 'sqlite' ? overwriteSqlite(database) : overwritePostgres(database);
}

/**
 * `secure_delete` has zeroed the row where it was. But SQLite moves rows as its pages fill up or empty, and may leave a
 * copy in the unused part of a page; only a rewritten file is sure to hold none. The log beside the file keeps older
 * versions of pages until it's emptied.
 */
async function overwriteSqlite({ db, sqlite }: SqliteDatabase): Promise<boolean> {
  const { size } = await stat(sqlite.name);
  // Through Kysely, so a transaction of this process ends first.
  try {
    await sql`pragma temp_store = ${sql.raw(size > IN_MEMORY_BYTES ? 'FILE' : 'MEMORY')}`.execute(db);
    await sql`vacuum`.execute(db);
  } catch (error) {
    // Busy, or no space for a second copy: secure_delete and an emptied log are the next best thing.
    if (!/^SQLITE_(BUSY|FULL|IOERR)/.test(codeOf(error))) throw error;
    await emptyLog(db, sqlite.name);
    return false;
  }
  return emptyLog(db, sqlite.name);
}

/** Waits for readers up to the database's busy timeout; false if one is still reading an older snapshot. */
async function emptyLog(db: Kysely<Tables>, file: string): Promise<boolean> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(TRUNCATE)`.execute(db);
  // SQLite doesn't, since to it an emptied log is as good as a full one.
  sync(`${await realpath(file)}-wal`);
  return rows[0]?.busy === 0;
}

/** Postgres overwrites what VACUUM frees as the table gets used; its WAL is out of our reach. */
async function overwritePostgres({ pool }: PostgresDatabase): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query(`set statement_timeout = ${VACUUM_MS}`);
    await client.query({ text: 'vacuum contact_message', query_timeout: VACUUM_MS } as { text: string });
    return true;
  } catch {
    // Postgres will do it itself before long.
    return false;
  } finally {
    // Not reused, since its settings were changed.
    client.release(true);
  }
}
