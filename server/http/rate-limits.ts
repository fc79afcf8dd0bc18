import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Log } from '../log.ts';
import type { Database, PostgresDatabase } from '../messages/database.ts';

/**
 * A lot for people sharing one address, such as an office or a phone network; little for a program. Every message sent
 * counts, even a faulty or repeated one.
 */
const WINDOWS = [
  { messages: 30, seconds: 60 },
  { messages: 150, seconds: 60 * 60 },
];

const LONGEST_SECONDS = Math.max(...WINDOWS.map(({ seconds }) => seconds));
/** Network addresses are forgotten once their longest window is over, within another of them at the latest. */
export const FORGOTTEN_WITHIN_HOURS = (2 * LONGEST_SECONDS) / 3600;

/** Beyond this many clients, the ones seen longest ago are forgotten. About 20 MB when full. */
export const REMEMBERED_CLIENTS = 20_000;

/** A visitor waits at most this long for the shared counts. After they fail, nobody waits for them during the pause. */
const SHARED_MS = 1_000;
const SHARED_PAUSE_MS = 5_000;

/** `wait` is in seconds if this was one message too many, else 0; `before` is how many were sent within the hour. */
type Counted = { wait: number; before: number };

export type RateLimits = {
  /** Counts one message from a client; at a cost of 0, it only asks. */
  count(address: string, cost?: 0 | 1): Promise<Counted>;
  /** Call about once a minute: removes addresses whose windows have ended from the database. */
  forgetExpired(): Promise<void>;
};

type Options = { database: Database; log: Log };

/** A single instance counts in memory; on Postgres there may be several, which count together. */
export function createRateLimits({ database, log }: Options): RateLimits {
  const own = createOwnLimits();
  return database.engine === 'sqlite' ? own : createSharedLimits(database, own, log);
}

export function createOwnLimits() {
  const windows = WINDOWS.map(
    ({ messages, seconds }) => new RateLimiterMemory({ points: messages, duration: seconds }),
  );
  /** Each client and when it was last seen, in that order. The limiter itself would remember everyone. */
  const seen = new Map<string, number>();

  function remember(client: string): void {
    seen.delete(client);
    seen.set(client, Date.now());
    if (seen.size <= REMEMBERED_CLIENTS) return;
    const [oldest = ''] = seen.keys();
    seen.delete(oldest);
    // Forgetting lets a flood from very many addresses through; refusing strangers would lock everyone out.
    for (const window of windows) void window.delete(oldest);
  }

  return {
    async count(address: string, cost: 0 | 1 = 1): Promise<Counted> {
      remember(address);
      return countIn(windows, address, cost);
    },
    // What the limiter counts expires on its own.
    async forgetExpired(): Promise<void> {
      for (const [client, at] of seen) {
        if (Date.now() - at <= LONGEST_SECONDS * 1000) return;
        seen.delete(client);
      }
    },
    remembered: (): number => seen.size,
  };
}

/**
 * Counts in a table that all instances share, and that holds at most an hour's addresses. If the database is slow or
 * gone, each instance counts for itself: no message is refused or delayed just to count it.
 */
function createSharedLimits({ pool }: PostgresDatabase, own: RateLimits, log: Log): RateLimits {
  // Without the library's named statements, which a pooler of connections mixes up.
  const storeClient = {
    query: ({ text, values }: { text: string; values?: unknown[] }) => pool.query(text, values),
  };
  const windows = WINDOWS.map(
    ({ messages, seconds }) =>
      new RateLimiterPostgres({
        storeClient,
        storeType: 'client',
        tableName: 'rate_limit',
        tableCreated: true,
        keyPrefix: `${seconds}s`,
        points: messages,
        duration: seconds,
        // It would use a timer, and an edge function doesn't live long enough for that.
        clearExpiredByTimeout: false,
        // Refuses a blocked client without asking the database again.
        inMemoryBlockOnConsumed: messages + 1,
      }),
  );
  let pausedUntil = 0;
  return {
    async count(address, cost = 1) {
      if (performance.now() < pausedUntil) return own.count(address, cost);
      try {
        return await inTime(countIn(windows, address, cost), SHARED_MS);
      } catch (error) {
        pausedUntil = performance.now() + SHARED_PAUSE_MS;
        log.warn({ err: error }, 'the database does not count clients; this instance counts by itself');
        return own.count(address, cost);
      }
    },
    async forgetExpired() {
      await own.forgetExpired();
      try {
        // An expiry further away than a window lasts came from a clock that ran ahead, and would block a client until
        // then.
        await pool.query('delete from rate_limit where expire < $1 or expire > $1::bigint + $2', [
          Date.now(),
          Math.max(...windows.map(({ duration }) => duration * 1000)),
        ]);
        for (const window of windows) window.deleteInMemoryBlockedAll();
      } catch (error) {
        log.warn({ err: error }, 'addresses that are no longer counted could not be forgotten yet');
      }
    },
  };
}

async function countIn(windows: RateLimiterAbstract[], address: string, cost: 0 | 1): Promise<Counted> {
  const before = ({ consumedPoints }: RateLimiterRes) => consumedPoints - cost;
  const counts = await Promise.all(
    windows.map((window) =>
      window.consume(address, cost).then(
        (counted) => ({ wait: 0, before: before(counted) }),
        (refusal: unknown) => {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          const wait = Math.min(window.duration, Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
          return { wait, before: before(refusal) };
        },
      ),
    ),
  );
  return {
    wait: Math.max(...counts.map(({ wait }) => wait)),
    // The longest window has seen the most.
    before: Math.max(...counts.map(({ before }) => before)),
  };
}

/** @throws if it takes longer */
function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('It takes too long')), ms);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
