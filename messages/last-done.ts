import type { Database } from './database.ts';

/** When that was done last. */
export async function lastDoneAt({ db }: Pick<Database, 'db'>, what: string): Promise<number | undefined> {
  const row = await db.selectFrom('last_done').select('at').where('what', '=', what).executeTakeFirst();
  return row?.at;
}

export async function noteDone({ db, write }: Database, what: string, at: number): Promise<void> {
  await write(
    db
      .insertInto('last_done')
      .values({ what, at })
      .onConflict((conflict) => conflict.column('what').doUpdateSet({ at })),
  );
}

/** As above, unless there's a note already. */
export async function noteFirst({ db, write }: Database, what: string, at: number): Promise<void> {
  await write(
    db
      .insertInto('last_done')
      .values({ what, at })
      .onConflict((conflict) => conflict.column('what').doNothing()),
  );
}

/** Of several servers that move the same note on, one gets true. */
export async function moveNote(
  { db, write }: Database,
  what: string,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  const { changes } = await write(
    db.updateTable('last_done').set({ at: to }).where('what', '=', what).where('at', '=', from),
  );
  return changes === 1;
}

/** Notes it as done now, unless somebody has within `everyMs`. Says whether it was noted, and so is ours to do. */
export async function takeTurn(
  { db, write }: Database,
  what: string,
  now: number,
  everyMs: number,
): Promise<boolean> {
  const taken = db
    .insertInto('last_done')
    .values({ what, at: now })
    .onConflict((conflict) =>
      conflict
        .column('what')
        .doUpdateSet({ at: now })
        // One from the future was noted by a clock that was wrong.
        .where(({ or, eb }) =>
          or([eb('last_done.at', '<=', now - everyMs), eb('last_done.at', '>', now + everyMs)]),
        ),
    );
  return (await write(taken)).changes === 1;
}

export async function forget({ db, write }: Database, what: string): Promise<void> {
  await write(db.deleteFrom('last_done').where('what', '=', what));
}
