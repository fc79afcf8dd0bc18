import type { Log } from '../log.ts';
import type { Store } from '../messages/store.ts';

/** Anyone may ask, and each check writes to disk, so all who ask within this time share one. */
export const SHARED_MS = 3_000;

type Options = {
  store: Pick<Store, 'checkWritable'>;
  /** Fails while there's no room for a message, as far as is known. */
  confirmRoom: (now: number) => Promise<void>;
  log: Log;
};

/** Whether a message could be stored. */
export function createReadiness({ store, confirmRoom, log }: Options): () => Promise<boolean> {
  let isReady: Promise<boolean> | undefined;
  let lookedAt: number | undefined;

  async function look(now: number): Promise<boolean> {
    try {
      await store.checkWritable(now);
      await confirmRoom(now);
      return true;
    } catch (error) {
      log.error({ err: error }, 'not ready: the database takes no messages');
      return false;
    }
  }

  return () => {
    const now = Date.now();
    // However far somebody has set the clock.
    if (!isReady || (lookedAt !== undefined && Math.abs(now - lookedAt) >= SHARED_MS)) {
      lookedAt = undefined;
      isReady = look(now).finally(() => {
        lookedAt = Date.now();
      });
    }
    return isReady;
  };
}
