import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { sync } from '../files.ts';
import type { Database } from './database.ts';
import { PAUSE_MS } from './owner.ts';
import { codeOf, StoreError } from './store-error.ts';
import type { Rule } from './table.ts';

export type Erased = {
  messages: number;
  /** False while another program uses it: traces go once the last one closes a SQLite file, or at Postgres's next vacuum. */
  overwritten: boolean;
};

/** A daily mail, or a message's with its id, even half written. */
const MAIL_FILE =
  /-(?:(?:daily|held)-[0-9a-f]+|([0-9a-f]{8}-[0-9a-f-]{27}))(?:\.plain)?\.eml(?:\.(?:\d+\.)?unfinished)?$/;

/** A message may be long, and all of it is overwritten. */
const AT_ONCE = 25;
const EMPTY_LOG = { tries: 50, pauseMs: 100 };

/**
 * Erases messages and this machine's copies of their mails, and overwrites what their senders wrote in the database's files
 * (`secure_delete`, and an emptied log). It can't reach mails sent or on their way, backups, exports, what a database server
 * keeps outside its tables, or a copy that SQLite left in the unused part of a page, until the page is used again.
 */
export async function eraseMessages(database: Database, which: Rule, mailDir: string): Promise<Erased> {
  const gone = new Set<string>();
  // Separate from the change, which would block other writes while it looks at the whole table.
  const some = database.db.selectFrom('contact_message').select('id').where(which).limit(AT_ONCE);
  for (;;) {
    const ids = (await some.execute()).map(({ id }) => id);
    if (ids.length === 0) break;
    // First, since after a crash nobody would know whose they are. If that fails, it's reported at the end.
    await eraseMailFiles(mailDir, new Set(ids)).catch(() => undefined);
    const erased = database.db
      .deleteFrom('contact_message')
      .where('id', 'in', ids)
      // Checked again, since one may have been requeued in between, and then has to be mailed.
      .where(which)
      .returning('id');
    for (const { id } of (await database.write(erased)).rows) gone.add(id);
    await wait(PAUSE_MS);
  }
  if (gone.size === 0) return { messages: 0, overwritten: true };
  // Before the mail folder, which may be unreadable and end this.
  const overwritten = await overwrite(database);
  await eraseMailFiles(mailDir, gone).catch((error: unknown) => {
    const what = gone.size === 1 ? '1 message is erased' : `${gone.size} messages are erased`;
    throw new StoreError(
      `${what}, but copies of their emails may remain in ${mailDir} (${codeOf(error)}). Delete the files there.`,
      { cause: error },
    );
  });
  return { messages: gone.size, overwritten };
}

/** Erases these messages' mails, and the daily ones: each lists several people's, and the desk has the rest. */
export async function eraseMailFiles(folder: string, ids: Set<string>): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const mail = MAIL_FILE.exec(name);
    if (mail && (!mail[1] || ids.has(mail[1]))) await rm(join(folder, name), { force: true });
  }
  // Or a power failure could bring them back.
  sync(folder);
}

async function overwrite(database: Database): Promise<boolean> {
  if (database.engine === 'postgres') {
    // What this frees is overwritten as the table gets used. If it fails, Postgres does it itself before long.
    const [vacuum] = await Promise.allSettled([database.pool.query('vacuum contact_message')]);
    return vacuum.status === 'fulfilled';
  }
  // The log beside the file keeps older versions of pages until then.
  for (let tries = 0; tries < EMPTY_LOG.tries; tries += 1) {
    if (database.emptyLog()) return true;
    await wait(EMPTY_LOG.pauseMs);
  }
  return false;
}
