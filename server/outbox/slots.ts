import type { Clock } from '../clock.ts';
import { MOST_CONNECTIONS } from '../mail/mailer.ts';

/** Mails on their way at once, while the mail server answers. */
const QUICK = 4;
/** A mail that takes longer gives up its place, and holds up no other. */
const SLOW_AFTER_MS = 5_000;
/** For messages whose last mail got no answer: the next one probably gets none either. */
const AGAIN = 2;
/** Mails that gave up their place. Beyond that, they hold up the others: the mail server takes no more connections. */
const SLOW = MOST_CONNECTIONS - QUICK - AGAIN;

type Pace = 'quick' | 'slow' | 'again';

/**
 * Which mails may begin. Some mail servers leave one mail in a hundred without an answer, and each of those takes a
 * minute and a half; in places that all mails share, they soon hold up every other.
 *
 * @param onFree called whenever a place may have become free
 */
export function createSlots(clock: Clock, onFree: () => void) {
  const inHand = new Map<Promise<void>, Pace>();
  let waiting: (() => void)[] = [];
  let changes = 0;
  const count = (pace: Pace) => [...inHand.values()].filter((each) => each === pace).length;

  function free(): void {
    changes += 1;
    for (const resolve of waiting) resolve();
    waiting = [];
    onFree();
  }

  return {
    /** @param again for a message whose last mail got no answer */
    areFree: (again: boolean): boolean =>
      again ? count('again') < AGAIN : count('quick') + Math.max(0, count('slow') - SLOW) < QUICK,

    /** @param send never rejects */
    take(again: boolean, send: () => Promise<void>): void {
      const sending = send().finally(() => {
        cancel();
        inHand.delete(sending);
        free();
      });
      inHand.set(sending, again ? 'again' : 'quick');
      const cancel = clock.after(SLOW_AFTER_MS, () => {
        if (again) return;
        inHand.set(sending, 'slow');
        free();
      });
    },

    size: (): number => inHand.size,
    /** Rises whenever a place may have become free. */
    changes: (): number => changes,
    /** Resolves when it does. */
    freed: () => new Promise<void>((resolve) => waiting.push(resolve)),
    /** Resolves once the mails in hand have ended. */
    async settled(): Promise<void> {
      await Promise.all(inHand.keys());
    },
  };
}
