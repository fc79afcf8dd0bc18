import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Database, PostgresDatabase } from '../messages/database.ts';
import type { Log } from './log.ts';

/**
 * For people behind one address, an office or a phone network, this is a lot; for a program it is
 * little. Every message sent counts, a faulty or repeated one too.
 */
const WINDOWS = [
  { messages: 30, seconds: 60 },
  { messages: 150, seconds: 60 * 60 },
];

/** What a message costs its sender, and a proxy that TRUST_PROXY doesn't name: it speaks for many. */
const COST = { client: 10, proxy: 1 };
type Kind = keyof typeof COST;
const POINTS = WINDOWS.map(({ messages, seconds }) => ({ points: messages * COST.client, seconds }));

/** Of more clients than this the ones seen longest ago are forgotten: about 20 MB when full. */
export const REMEMBERED_CLIENTS = 20_000;

/** A visitor waits no longer than this for the shared counts, and nobody for as long after they failed. */
const SHARED_MS = 1_000;
const SHARED_PAUSE_MS = 5_000;

/** `wait` is in seconds when it was one message too many, else 0; `before` is how many were sent within the hour. */
type Counted = { wait: number; before: number };

export type RateLimits = {
  /** Counts one message of a client, or of all those together whom a proxy forwards. */
  count(address: string, kind?: Kind): Promise<Counted>;
  /** To be called about once a minute: addresses whose windows are over leave the database. */
  forgetExpired(): Promise<void>;
};

type Options = { database: Database; log: Log };

/** One instance counts in its memory; on Postgres there may be several, which count together. */
export function createRateLimits({ database, log }: Options): RateLimits {
  const own = createOwnLimits();
  return database.engine === 'sqlite' ? own : createSharedLimits(database, own, log);
}

export function createOwnLimits() {
  const windows = POINTS.map(({ points, seconds }) => new RateLimiterMemory({ points, duration: seconds }));
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
    async count(address: string, kind: Kind = 'client'): Promise<Counted> {
      remember(keyOf(address, kind));
      return countIn(windows, address, kind);
    },
    // The memory forgets by itself.
    forgetExpired: async (): Promise<void> => undefined,
    remembered: (): number => seen.size,
  };
}

/**
 * Counts in a table that all instances share, and that holds no more than the addresses of an hour. When the database is
 * slow or gone, each instance counts for itself: nobody's message is refused, or kept waiting, just to count it.
 */
function createSharedLimits({ pool }: PostgresDatabase, own: RateLimits, log: Log): RateLimits {
  // Without the names of the library's statements, which a pooler such as PgBouncer mixes up.
  const storeClient = {
    query: ({ text, values }: { text: string; values?: unknown[] }) => pool.query(text, values),
  };
  const windows = POINTS.map(
    ({ points, seconds }) =>
      new RateLimiterPostgres({
        storeClient,
        storeType: 'client',
        tableName: 'rate_limit',
        tableCreated: true,
        keyPrefix: `${seconds}s`,
        points,
        duration: seconds,
        // By a timer of its own, which an edge function does not live to see.
        clearExpiredByTimeout: false,
        // What is refused for now is refused without asking the database again.
        inMemoryBlockOnConsumed: points + 1,
      }),
  );
  let pausedUntil = 0;
  return {
    async count(address, kind = 'client') {
      if (performance.now() < pausedUntil) return own.count(address, kind);
      try {
        return await inTime(countIn(windows, address, kind));
      } catch (error) {
        pausedUntil = performance.now() + SHARED_PAUSE_MS;
        log.warn({ err: error }, 'the database does not count clients; this instance counts by itself');
        return own.count(address, kind);
      }
    },
    async forgetExpired() {
      try {
        // What ends later than a window lasts was counted by a clock that was ahead, and would be held against a
        // client until then.
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

/** A proxy's is apart from the same address as a client, which has its own allowance. */
function keyOf(address: string, kind: Kind): string {
  return kind === 'proxy' ? `proxy ${address}` : address;
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Counting takes too long')), SHARED_MS);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

async function countIn(windows: RateLimiterAbstract[], address: string, kind: Kind): Promise<Counted> {
  const cost = COST[kind];
  // Whole, even on points of an earlier version, which cost one.
  const before = ({ consumedPoints }: RateLimiterRes) => Math.floor(consumedPoints / cost) - 1;
  const counts = await Promise.all(
    windows.map((window) =>
      window.consume(keyOf(address, kind), cost).then(
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
