import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * For people behind one address, an office or a phone network, this is a lot; for a program it is
 * little. Every message sent counts, a faulty or repeated one too.
 */
const WINDOWS = [
  { points: 30, seconds: 60 },
  { points: 150, seconds: 60 * 60 },
];

/** Of more clients than this the ones seen longest ago are forgotten: about 20 MB when full. */
export const REMEMBERED_CLIENTS = 20_000;

export type RateLimits = ReturnType<typeof createRateLimits>;

export function createRateLimits() {
  const windows = WINDOWS.map(({ points, seconds }) => new RateLimiterMemory({ points, duration: seconds }));
  /** In the order in which they were last seen. The limiter itself would remember everybody. */
  const seen = new Set<string>();

  function remember(client: string): void {
    seen.delete(client);
    seen.add(client);
    if (seen.size <= REMEMBERED_CLIENTS) return;
    const [oldest = ''] = seen;
    seen.delete(oldest);
    // Forgetting lets a flood from very many addresses pass; refusing strangers would lock everyone out.
    for (const window of windows) void window.delete(oldest);
  }

  return {
    /** Counts one message of this client. Answers the seconds to wait when it is one too many, else 0. */
    async count(client: string): Promise<number> {
      remember(client);
      const waits = await Promise.all(
        windows.map((window) => window.consume(client).then(() => 0, secondsOf)),
      );
      return Math.max(...waits);
    },
    remembered: (): number => seen.size,
  };
}

function secondsOf(refusal: unknown): number {
  if (!(refusal instanceof RateLimiterRes)) throw refusal;
  return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
}
