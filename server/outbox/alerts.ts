import { HOUR, MINUTE } from '../../contract/time.ts';
import type { Database } from '../messages/database.ts';
import { forget, takeTurn } from '../messages/last-done.ts';

/** Other servers on the same database run into the same trouble. */
const TOGETHER_MS = 5 * MINUTE;

/** What the owner reads. `facts` are for the log. */
export type Sentence = { text: string; facts?: object };

/** Something that may be wrong, and how often the owner hears of it. */
export type Trouble = {
  /** For the note in the database that it was told. */
  what: string;
  /** How often it's told again while it lasts. */
  everyMs: number;
  /** Undefined while nothing is wrong. More (`count`) than was told before is news, which waits an hour at most. */
  find: (now: number) => Promise<(Sentence & { count?: number }) | undefined>;
  /** If its end is reported too. The next one is then reported at once. */
  over?: () => Sentence;
};

/** False: the owner wasn't reached, and the next check tries again. */
type Tell = (sentence: Sentence, isOver: boolean) => Promise<boolean>;

/**
 * Decides when a trouble is reported.
 *
 * @param shared the database of several servers, of which one tells
 */
export function createAlerts(tell: Tell, shared?: Database) {
  const told = new Map<string, { at: number; count: number }>();

  /** Whether it's settled: told by us or another server. */
  async function tellOnce(note: string, now: number, everyMs: number, sentence: Sentence, isOver = false) {
    const what = `alert: ${note}`;
    // If the database itself is what's failing, each server tells for itself.
    const isOurs = !shared || (await takeTurn(shared, what, now, everyMs).catch(() => true));
    if (!isOurs || (await tell(sentence, isOver))) return true;
    if (shared) await forget(shared, what).catch(() => undefined);
    return false;
  }

  return async (
    trouble: Trouble,
    found: Awaited<ReturnType<Trouble['find']>>,
    now: number,
  ): Promise<void> => {
    const { what, everyMs, over } = trouble;
    const last = told.get(what);
    if (!found) {
      if (last) last.count = 0;
      if (last && over && (await tellOnce(`${what}, over`, now, TOGETHER_MS, over(), true)))
        told.delete(what);
      return;
    }
    const { count = 1 } = found;
    // Fewer than were told: the owner has seen to some, and the next one is news again.
    if (last) last.count = Math.min(last.count, count);
    if (last && isWithin(count > last.count ? HOUR : everyMs, last.at, now)) return;
    const note = found.count === undefined ? what : `${count} ${what}`;
    if (await tellOnce(note, now, over && !last ? TOGETHER_MS : everyMs, found))
      told.set(what, { at: now, count });
  };
}

/** A time in the future came from a clock that has since been corrected. */
export function isWithin(ms: number, time: number, now: number): boolean {
  return Math.abs(now - time) < ms;
}
