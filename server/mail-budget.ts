import type { Claimed, Store } from './store.ts';

/** With more than this left, other instances do not use it up between two looks. */
const PLENTY = 1_000;
const LOOK_MS = 10_000;
const LOOK_AFTER = 100;
/** Other instances have the rest of the hour's mails in hand, and some of those may fail. */
const IN_HAND_MS = 1_000;

type Options = {
  store: Store;
  perHour: number;
  /** Called once each time when the hour's mails are out. */
  onSpent: () => void;
};

/**
 * How many mails may go out, whoever wrote: a flood from thousands of addresses must not use up the
 * owner's mail account. Beyond it messages are stored as ever, and wait. The messages themselves tell how
 * many went out, so that all instances share one budget and a restart does not renew it.
 */
export function createMailBudget({ store, perHour, onSpent }: Options) {
  let left = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let taken = 0;
  let spentUntil = 0;
  let lookAgainAt = 0;

  async function look(now: number): Promise<void> {
    const { sent, inHand, oldestSentAt } = await store.mailsOfLastHour(now, perHour);
    left = Math.max(0, perHour - sent - inHand);
    lookedAt = now;
    taken = 0;
    lookAgainAt = left === 0 ? now + IN_HAND_MS : 0;
    if (sent < perHour) return;
    if (spentUntil <= now) onSpent();
    spentUntil = oldestSentAt + 60 * 60_000;
  }

  return {
    /** Takes the next message that is due, unless this hour's mails are out. */
    async claim(now: number, leaseMs: number): Promise<Claimed | undefined> {
      if (now < spentUntil) return undefined;
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
    /** Before then no claim succeeds. */
    nextAt: (): number => Math.max(spentUntil, lookAgainAt),
  };
}
