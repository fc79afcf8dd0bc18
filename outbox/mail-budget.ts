import type { Message } from '../messages/message.ts';
import { forAnyClient } from '../messages/states.ts';
import type { Store } from '../messages/store.ts';

const HOUR_MS = 60 * 60_000;
/** With more than this left, other instances do not use it up between two looks. */
const PLENTY = 1_000;
const LOOK_MS = 10_000;
const LOOK_AFTER = 100;
/** Nothing may be left for a moment only: another instance has a mail in hand, and it fails. */
const SPENT_MS = 1_000;

type Options = {
  store: Store;
  perHour: number;
  /** Called when what anybody's messages may use is out, at most once an hour. */
  onSpent: () => void;
};

/**
 * How many mails may go out, whoever wrote: a flood from thousands of addresses must not use up the
 * owner's mail account. Beyond it messages are stored as ever, and wait. The messages themselves tell how
 * many went out, so that all instances share one budget and a restart does not renew it.
 */
export function createMailBudget({ store, perHour, onSpent }: Options) {
  const forAny = forAnyClient(perHour);
  let left = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let taken = 0;
  let isSpent = false;
  let toldAt = Number.NEGATIVE_INFINITY;

  async function look(now: number): Promise<void> {
    const { sent, inHand } = await store.mailsOfLastHour(now, perHour);
    left = Math.max(0, forAny - sent - inHand);
    lookedAt = now;
    taken = 0;
    isSpent = sent + inHand >= perHour;
    if (sent < forAny || isWithin(now, toldAt, HOUR_MS)) return;
    toldAt = now;
    onSpent();
  }

  return {
    /** Takes the next message that is due, unless this hour's mails are out. */
    async claim(now: number, leaseMs: number): Promise<Message | undefined> {
      if (isSpent && isWithin(now, lookedAt, SPENT_MS)) return undefined;
      if (left >= PLENTY && (taken >= LOOK_AFTER || now - lookedAt > LOOK_MS)) await look(now);
      // At the first time as well: nothing is known yet.
      const exact = left < PLENTY;
      const claimed = await store.claim(now, leaseMs, exact ? perHour : undefined);
      if (!claimed || lookedAt === Number.NEGATIVE_INFINITY) await look(now);
      if (!claimed) return undefined;
      left -= 1;
      taken += 1;
      return claimed;
    },
    /** When to try again for what waits; a new message wakes the outbox before. */
    nextAt: (): number => (left > 0 ? 0 : lookedAt + SPENT_MS),
  };
}

/** False once the clock has gone back. */
function isWithin(now: number, since: number, ms: number): boolean {
  return now >= since && now < since + ms;
}
