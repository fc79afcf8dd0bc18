import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Settings } from '../../settings/settings.ts';
import type { Database } from './database.ts';

export async function lastDoneAt({ db }: Pick<Database, 'db'>, what: string): Promise<number | undefined> {
  const row = await db.selectFrom('last_done').select('at').where('what', '=', what).executeTakeFirst();
  return row?.at;
}

/** Notes it unless someone did within `everyMs`. True if it's noted: only one of several servers gets that. */
export async function noteDone({ db, write }: Database, what: string, at: number, everyMs = 0) {
  // One from the future came from a wrong clock.
  const isOver = sql<boolean>`(last_done.at <= ${at - everyMs} or last_done.at > ${at + everyMs})`;
  const noted = db
    .insertInto('last_done')
    .values({ what, at })
    .onConflict((conflict) => conflict.column('what').doUpdateSet({ at }).where(isOver));
  return (await write(noted)).changes === 1;
}

export async function forget({ db, write }: Database, what: string): Promise<void> {
  await write(db.deleteFrom('last_done').where('what', '=', what));
}

/** The note that a mail was taken with these settings. The password isn't in it: a note mustn't help guess it. */
export function deliveredWith({ mail, mailFrom, contactEmail }: Settings): string {
  const server = mail.via === 'folder' ? mail : { ...mail, login: mail.login?.user };
  const way = JSON.stringify([server, mailFrom, contactEmail]);
  return `delivered by ${createHash('sha256').update(way).digest('hex').slice(0, 12)}`;
}

/** The label of a message whose mail only became a file without a mail server; and the note that there may be some. */
export const FILED = 'filed';

/** When a Supabase project last tried what was due. */
export const SWEPT = 'swept';

/** Ends the name of a note that says when a job was last tried. */
export const TRIED = ', tried';
