/** Anyone may ask, and each look writes to disk, so all who ask within this time share one. */
export const SHARED_MS = 3_000;

/** Whether a message could be stored, which `look` tells for this moment. */
export function createReadiness(look: (now: number) => Promise<boolean>): () => Promise<boolean> {
  let last: { at: number; isReady: Promise<boolean> } | undefined;
  return () => {
    const now = Date.now();
    // However far somebody has set the clock.
    if (!last || Math.abs(now - last.at) >= SHARED_MS) last = { at: now, isReady: look(now) };
    return last.isReady;
  };
}
