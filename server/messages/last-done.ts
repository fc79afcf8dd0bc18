import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
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
