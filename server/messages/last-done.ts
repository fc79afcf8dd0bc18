import { createHash } from 'node:crypto';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { HOUR } from '../../contract/time.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Database } from './database.ts';
import type { Tables } from './table.ts';

export async function lastDoneAt({ db }: Pick<Database, 'db'>, what: string): Promise<number | undefined> {
  const row = await db.selectFrom('last_done').select('at').where('what', '=', what).executeTakeFirst();
  return row?.at;
}

/** No note is from before 1970, so this never matches. */
const NEVER = -1;

/**
 * Writes the note, replacing an old one only if that's allowed. Of several servers replacing the same one, only one
 * gets true.
 */
async function note(
  { db, write }: Database,
  what: string,
  at: number,
  isReplaced: (eb: ExpressionBuilder<Tables, 'last_done'>) => Expression<SqlBool>,
): Promise<boolean> {
  const { changes } = await write(
    db
      .insertInto('last_done')
      .values({ what, at })
      .onConflict((conflict) => conflict.column('what').doUpdateSet({ at }).where(isReplaced)),
  );
  return changes === 1;
}

export async function noteDone(database: Database, what: string, at: number): Promise<void> {
  await takeTurn(database, what, at, 0);
}

/** `from` is the existing note; undefined means there's none. */
export function moveNote(
  database: Database,
  what: string,
  { from, to }: { from: number | undefined; to: number },
): Promise<boolean> {
  return note(database, what, to, (eb) => eb('last_done.at', '=', from ?? NEVER));
}

/** Notes it unless someone did it within `everyMs`. True if it was noted, and so is ours to do. */
export function takeTurn(database: Database, what: string, now: number, everyMs: number): Promise<boolean> {
  return note(database, what, now, ({ or, eb }) =>
    // One from the future came from a wrong clock.
    or([eb('last_done.at', '<=', now - everyMs), eb('last_done.at', '>', now + everyMs)]),
  );
}

export async function forget({ db, write }: Database, what: string): Promise<void> {
  await write(db.deleteFrom('last_done').where('what', '=', what));
}

const DELIVERED = 'delivered by ';

/** When mails were taken, by those notes. */
export async function lastDelivered({ db }: Pick<Database, 'db'>): Promise<Record<string, number>> {
  const notes = db.selectFrom('last_done').select(['what', 'at']).where('what', 'like', `${DELIVERED}%`);
  return Object.fromEntries((await notes.execute()).map(({ what, at }) => [what, at]));
}

/** The note that a mail was taken with these settings. The password isn't in it: a note mustn't help to guess it. */
export function deliveredWith({ mail, mailFrom, contactEmail }: MailWay): string {
  const server = mail.via === 'folder' ? mail : { ...mail, login: mail.login?.user };
  const way = JSON.stringify([server, mailFrom, contactEmail]);
  return `${DELIVERED}${createHash('sha256').update(way).digest('hex').slice(0, 12)}`;
}

type MailWay = Pick<Settings, 'mail' | 'mailFrom' | 'contactEmail'>;

/**
 * Call when a mail was taken. Noted once an hour at most.
 *
 * @param note from `deliveredWith`
 * @returns whether it's the first in an hour; jobs that failed may then be tried again at once
 */
export async function noteDelivered(database: Database, note: string, now: number): Promise<boolean> {
  if (!(await takeTurn(database, note, now, HOUR))) return false;
  await database.write(database.db.deleteFrom('last_done').where('what', 'like', `%${TRIED}`));
  return true;
}

/** Ends the name of a note that says when a job was last tried. */
export const TRIED = ', tried';
