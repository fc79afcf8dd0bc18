import type { Message } from '../messages/message.ts';
import { forAnyClient } from '../messages/states.ts';
import type { Store } from '../messages/store.ts';

const HOUR_MS = 60 * 60_000;
/** The hour's mails may be out for a moment only: another instance has one in hand, and it fails. */
const SPENT_MS = 1_000;

type Options = {
  store: Store;
  perHour: number;
  /** Called when what any client's messages may use is out, at most once an hour. */
  onSpent: () => void;
};

/**
 * How many mails may go out, whoever wrote: a flood from thousands of addresses must not use up the
 * owner's mail account. Beyond it messages are stored as ever, and wait. The messages themselves tell how
 * many went out, so that all instances share one budget and a restart doesn't renew it.
 */
export function createMailBudget({ store, perHour, onSpent }: Options) {
  const forAny = forAnyClient(perHour);
  let spentAt = Number.NEGATIVE_INFINITY;
  let isSpentForAll = false;
  let toldAt = Number.NEGATIVE_INFINITY;

  return {
    /** Takes the next message that is due, unless this hour's mails are out. */
    async claim(now: number, leaseMs: number): Promise<Message | undefined> {
      if (isSpentForAll && isWithin(now, spentAt, SPENT_MS)) return undefined;
      const claimed = await store.claim(now, leaseMs, perHour);
      if (claimed) return claimed;
      const { sent, inHand } = await store.mailsOfLastHour(now, perHour);
      isSpentForAll = sent + inHand >= perHour;
      spentAt = sent + inHand >= forAny ? now : Number.NEGATIVE_INFINITY;
      if (sent >= forAny && !isWithin(now, toldAt, HOUR_MS)) {
        toldAt = now;
        onSpent();
      }
      return undefined;
    },
    /** When to try again for what waits; a new message wakes the outbox before. */
    nextAt: (): number => spentAt + SPENT_MS,
  };
}

/** False once the clock has gone back. */
function isWithin(now: number, since: number, ms: number): boolean {
  return now >= since && now < since + ms;
}
