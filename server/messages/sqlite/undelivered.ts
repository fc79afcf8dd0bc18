import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { makeFolder, sync } from '../sync.ts';

// What becomes of messages that nobody has been mailed, when the database that holds them was deleted or replaced while
// the server ran: a file beside its place keeps them until the next start.

const besideOf = (file: string) => `${file}.undelivered`;

/** The place may have another database by now, or nothing at all. */
export function keepUndelivered(from: Database.Database, file: string): void {
  const count = from
    .prepare<[], number>("select count(*) from contact_message where state <> 'sent'")
    .pluck();
  if (count.get() === 0) return;
  const beside = besideOf(file);
  const unfinished = `${beside}.unfinished`;
  makeFolder(dirname(file));
  rmSync(unfinished, { force: true });
  closeSync(openSync(unfinished, 'wx', 0o600));
  from.prepare('vacuum into ?').run(unfinished);
  const copy = new Database(unfinished);
  try {
    copy.pragma('secure_delete = ON');
    // They're in the owner's mailbox, and she may have deleted the file to be rid of them.
    copy.exec("delete from contact_message where state = 'sent'");
  } finally {
    copy.close();
  }
  sync(unfinished);
  renameSync(unfinished, beside);
  sync(dirname(file));
}

/** Takes in what an earlier run kept, which may be of another version. Those that the database has stay as they are. */
export function takeUndelivered(to: Database.Database, file: string): void {
  const beside = besideOf(file);
  if (!existsSync(beside)) return;
  to.prepare('attach ? as beside').run(beside);
  try {
    const names = to
      .prepare<[], string>(
        "select name from pragma_table_info('contact_message', 'beside') where name in (select name from pragma_table_info('contact_message', 'main'))",
      )
      .pluck()
      .all()
      .join(', ');
    to.exec(
      `insert or ignore into main.contact_message (${names}) select ${names} from beside.contact_message`,
    );
  } finally {
    to.exec('detach beside');
  }
  rmSync(beside);
}
