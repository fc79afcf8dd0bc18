import { sql } from 'kysely';
import { MINUTE } from '../../contract/time.ts';
import { byCaller, type Columns, isInHand, isLeased } from './claims.ts';
import type { Database } from './database.ts';
import { isToRemind, UNTRACKED } from './table.ts';

/*
 * A message's states. Each change is one function with one statement, here (the owner's, and `release`) or in claims.ts
 * (the outbox's), and its `where` is the rule: nothing else changes a state.
 *
 *   state      in the table                              ways out
 *   (new)                                                 add: waiting, or held
 *   waiting    waiting                                    claim, makeDue, requeue, markSpam
 *   in hand    waiting, claimed, lease still running      markSent, markFailed, giveBack, setAside, markSpam;
 *                                                         waiting once the lease ends
 *   delivered  sent                                       requeue (again), markSpam, erase by age
 *   set aside  set_aside                                  requeue, markSpam, erase by age
 *   spam       spam; sent_at set if delivered before      notSpam: delivered, in hand or waiting; erase by age
 *   held       spam, held_for                             release: waiting; markSpam, notSpam, erase by age
 *
 * The owner may erase a message in any state, even in hand. Whether she answered it stands beside the state: `setAnswered`.
 */

/** Small enough that others get to write between batches. */
const AT_ONCE = 500;
/** A message may be long, and all of it is overwritten. */
const ERASED_AT_ONCE = 50;
const STORED_WITHIN_MS = MINUTE;

/** For the owner's commands, by their machine's clock. */
export const isInHandAt = (now: number) => isInHand(byCaller(now));

/** As after the insert. Due since it arrived, which is in the past by every clock. */
const QUEUED = {
  state: 'waiting',
  failures: 0,
  first_failure_at: null,
  last_error: null,
  listed_at: null,
} as const;

/**
 * Requeues one message, or all that are waiting or set aside; with `again`, even a delivered one. Messages in hand
 * aren't mailed a second time.
 *
 * @returns how many
 */
export async function requeue(
  { db, write }: Database,
  which: 'all' | { id: string; again?: boolean | undefined },
  now: number,
): Promise<number> {
  const again = which !== 'all' && which.again;
  const all = db
    .updateTable('contact_message')
    .set(({ ref }) => ({ ...QUEUED, next_attempt_at: ref('received_at'), sent_at: null }))
    .where('state', 'in', again ? ['waiting', 'set_aside', 'sent'] : ['waiting', 'set_aside'])
    .where((eb) => eb.not(isInHand(byCaller(now))(eb)));
  const { changes } = await write(which === 'all' ? all : all.where('id', '=', which.id));
  return changes;
}

/**
 * The owner says it's spam. Undefined if she had said so before, or it's gone; otherwise whether its mail was in hand,
 * and may still arrive.
 */
export async function markSpam(
  { db, write }: Database,
  id: string,
  now: number,
): Promise<{ wasInHand: boolean } | undefined> {
  const {
    rows: [row],
  } = await write(
    db
      .updateTable('contact_message')
      .set({ state: 'spam', ...judged(now) })
      .where('id', '=', id)
      .where(({ eb, or }) => or([eb('state', '!=', 'spam'), eb('judged_at', 'is', null)]))
      .returning((eb) => isLeased(byCaller(now))(eb).as('inHand')),
  );
  return row && { wasInHand: Boolean(row.inHand) };
}

/** What the owner said of a message, with the state that says what. */
const judged = (now: number) => ({ held_for: null, judged_at: now });

/** The same for what isn't spam. Its state afterwards; undefined if it isn't spam, or its mail just went out. */
export async function notSpam(
  { db, write }: Database,
  id: string,
  now: number,
): Promise<'sent' | 'waiting' | undefined> {
  const spam = db
    .updateTable('contact_message')
    .set(judged(now))
    .where('id', '=', id)
    .where('state', '=', 'spam');
  const leased = isLeased(byCaller(now));
  // Mailed before it was marked: once is enough.
  const delivered = await write(spam.set({ state: 'sent' }).where('sent_at', 'is not', null));
  if (delivered.changes === 1) return 'sent';
  // Marked while its mail was on the way, so it still belongs to whoever is sending it.
  const inHand = await write(spam.set({ state: 'waiting' }).where(leased));
  const queued = await write(
    spam
      .set(({ ref }) => ({ ...QUEUED, next_attempt_at: ref('received_at') }))
      .where('sent_at', 'is', null)
      .where((eb) => eb.not(leased(eb))),
  );
  return inHand.changes + queued.changes === 1 ? 'waiting' : undefined;
}

/**
 * Queues a held message that a person sent again, for `now`: one that a clock which ran ahead had stored is mailed at once,
 * too. What the owner has judged stays as it is.
 *
 * @returns whether it was still held
 */
export async function release({ db, write }: Database, id: string, now: number): Promise<boolean> {
  const { changes } = await write(
    db
      .updateTable('contact_message')
      .set({ ...QUEUED, held_for: null, next_attempt_at: now })
      .where('id', '=', id)
      .where('state', '=', 'spam')
      .where('held_for', 'is not', null),
  );
  return changes === 1;
}

/**
 * Notes when the owner answered a message, in whatever state it is; null takes that back. A second answer doesn't
 * change the time of the first.
 *
 * @param at milliseconds since 1970
 * @returns whether it changed anything
 */
export async function setAnswered({ db, write }: Database, id: string, at: number | null): Promise<boolean> {
  const { changes } = await write(
    db
      .updateTable('contact_message')
      .set({ answered_at: at })
      .where('id', '=', id)
      .where((eb) =>
        at === null
          ? eb('answered_at', 'is not', null)
          : eb.or([eb('answered_at', 'is', null), eb('answered_at', '=', UNTRACKED)]),
      ),
  );
  return changes === 1;
}

/**
 * Notes that the owner is reminded of a delivered message whose sender waits for an answer: once for each message,
 * whoever asks at the same time. Null takes it back.
 *
 * @param at milliseconds since 1970
 * @returns whether it changed anything
 */
export async function setReminded({ db, write }: Database, id: string, at: number | null): Promise<boolean> {
  const message = db.updateTable('contact_message').set({ reminded_at: at }).where('id', '=', id);
  const { changes } = await write(at === null ? message : message.where(isToRemind));
  return changes === 1;
}

/**
 * Notes when messages were first seen: at their own time, if that's between the last night and this one, otherwise now,
 * since the clock was wrong when they came. A time that was noted in the future counts for nothing.
 *
 * @param since the last night, in milliseconds since 1970
 */
export async function setSeen(
  { db, write }: Database,
  { since, now }: { since: number; now: number },
): Promise<void> {
  const isUnseen = ({ eb, or }: Columns) => or([eb('seen_at', 'is', null), eb('seen_at', '>', now)]);
  for (let changed = AT_ONCE; changed === AT_ONCE; ) {
    const some = db.selectFrom('contact_message').select('id').where(isUnseen).limit(AT_ONCE);
    const { changes } = await write(
      db
        .updateTable('contact_message')
        .set((eb) => ({
          seen_at: eb
            .case()
            // It may have been stored a moment after its time.
            .when(eb.and([eb('received_at', '>', since - STORED_WITHIN_MS), eb('received_at', '<=', now)]))
            .then(eb.ref('received_at'))
            .else(sql<number>`cast(${now} as bigint)`)
            .end(),
        }))
        .where('id', 'in', some),
    );
    changed = changes;
  }
}

/** Notes that a daily mail has told the owner of these. */
export async function setListed({ db, write }: Database, ids: readonly string[], at: number): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE);
    await write(db.updateTable('contact_message').set({ listed_at: at }).where('id', 'in', some));
  }
}

/** Notes that the owner has opened these on a page, unless she had before. */
export async function setOpened({ db, write }: Database, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return;
  await write(
    db
      .updateTable('contact_message')
      .set({ opened_at: at })
      .where('id', 'in', ids)
      .where('opened_at', 'is', null),
  );
}

/** Which messages to erase. One that's waiting to be mailed is never erased by age. */
export type Erasable = { id: string } | { email: string } | { seenBefore: number };

export function isErasable(which: Erasable) {
  return (eb: Columns) => {
    if ('id' in which) return eb('id', '=', which.id);
    if ('email' in which) return eb(eb.fn('lower', ['email']), '=', which.email.toLowerCase());
    return eb.and([eb('seen_at', '<', which.seenBefore), eb('state', '!=', 'waiting')]);
  };
}

/** Deletes the rows of some of them; once it returns none, none are left. `eraseMessages` also overwrites them. */
export async function erase(
  { db, write }: Database,
  which: Erasable,
  now: number,
): Promise<{ id: string; inHand: boolean }[]> {
  // Apart from the change, which would keep others from writing while it looks at the whole table.
  const found = await db
    .selectFrom('contact_message')
    .select('id')
    .where(isErasable(which))
    .limit(ERASED_AT_ONCE)
    .execute();
  if (found.length === 0) return [];
  const { rows } = await write(
    db
      .deleteFrom('contact_message')
      .where(
        'id',
        'in',
        found.map(({ id }) => id),
      )
      // Checked again, since one may have been requeued in between, and then has to be mailed.
      .where(isErasable(which))
      .returning((eb) => ['id', isInHand(byCaller(now))(eb).as('inHand')]),
  );
  return rows.map(({ id, inHand }) => ({ id, inHand: Boolean(inHand) }));
}
