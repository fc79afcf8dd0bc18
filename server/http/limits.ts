import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { HOUR } from '../../contract/time.ts';
import type { Log } from '../log.ts';
import type { Database, PostgresDatabase } from '../messages/database.ts';
import { networksOf } from './client.ts';

/** How many messages, faulty ones too, in how many seconds: a lot for people with one address, little for a program. */
const LIMITS = [
  { points: 30, duration: 60 },
  { points: 150, duration: 60 * 60 },
];
/** For the /48 around an IPv6 client. Not by the hour: a newcomer waits a minute at most, whatever its neighbours send. */
const AROUND = [{ points: 4 * 30, duration: 60 }];

/** Clients' windows. Beyond this, those seen longest ago are forgotten. About 10 MB when full. */
const MOST_REMEMBERED = 40_000;

/** A visitor waits at most this long for the shared counts. After they fail, nobody waits for them during the pause. */
const SHARED_MS = 1_000;
const SHARED_PAUSE_MS = 5_000;

/** `wait` is in seconds if this was one message too many, else 0; `before` is how many were sent within the hour. */
type Counted = { wait: number; before: number };
type Limit = (typeof LIMITS)[number];

export type RateLimits = ReturnType<typeof createRateLimits>;

/** A single instance counts in memory; on Postgres there may be several, which count together. */
export function createRateLimits({ database, log }: { database: Database; log: Log }) {
  const own = ownCounter();
  const { count, forgetExpired } = database.engine === 'sqlite' ? own : sharedCounter(database, own, log);

  async function countIn(limits: readonly Limit[], key: string, more: number): Promise<Counted> {
    const counting = limits.map(async (limit) => {
      const { consumedPoints, msBeforeNext } = await count(limit, key, more);
      const seconds = Math.min(limit.duration, Math.max(1, Math.ceil(msBeforeNext / 1000)));
      return { wait: consumedPoints > limit.points ? seconds : 0, before: consumedPoints - more };
    });
    const all = await Promise.all(counting);
    // The longest window has seen the most.
    const before = Math.max(...all.map((each) => each.before));
    return { wait: Math.max(...all.map(({ wait }) => wait)), before };
  }

  return {
    /** Call about once a minute: forgets addresses whose windows have ended. */
    forgetExpired,
    /** Counts one more of anything, or with 0 only asks. */
    count: (key: string, more: 0 | 1 = 1) => countIn(LIMITS, key, more),
    /** How many alerts there were in this hour, with this one. Each instance counts its own. */
    countAlert: async () =>
      (await own.count({ points: 0, duration: HOUR / 1000 }, 'alerts', 1)).consumedPoints,
    async countClient(address: string): Promise<Counted> {
      const { own: ofClient, around } = networksOf(address);
      const client = await countIn(LIMITS, ofClient, 1);
      // A client that sends too much uses up nothing of its neighbours'.
      if (around === undefined || client.wait > 0) return client;
      const { wait } = await countIn(AROUND, around, 1);
      return { ...client, wait };
    },
  };
}

function ownCounter() {
  /** By key and window, in the order in which they were last counted. */
  const counts = new Map<string, { points: number; ends: number }>();
  return {
    async count({ duration }: Limit, key: string, more: number) {
      const id = `${duration}s:${key}`;
      const now = performance.now();
      const last = counts.get(id);
      const is = last && now < last.ends ? last : { points: 0, ends: now + duration * 1000 };
      is.points += more;
      counts.delete(id);
      counts.set(id, is);
      // Forgetting lets a flood from very many addresses through; refusing strangers would lock everyone out. Many at a
      // time, since it takes a while to find the first.
      if (counts.size > MOST_REMEMBERED)
        for (const oldest of counts.keys().take(MOST_REMEMBERED / 10)) counts.delete(oldest);
      return { consumedPoints: is.points, msBeforeNext: is.ends - now };
    },
    async forgetExpired(): Promise<void> {
      for (const [id, { ends }] of counts) if (ends <= performance.now()) counts.delete(id);
    },
  };
}

/**
 * Counts in a table that all instances share, and that holds at most an hour's addresses. If the database is slow or
 * gone, each instance counts for itself: no message is refused or delayed just to count it.
 */
function sharedCounter({ pool }: PostgresDatabase, own: ReturnType<typeof ownCounter>, log: Log) {
  // Without the library's named statements, which a connection pooler mixes up.
  const query = ({ text, values }: { text: string; values?: unknown[] }) => pool.query(text, values);
  const limiterOf = ({ points, duration }: Limit) =>
    new RateLimiterPostgres({
      ...{ points, duration, keyPrefix: `within ${duration} s` },
      ...{ storeClient: { query }, storeType: 'client', tableName: 'rate_limit', tableCreated: true },
      // It would use a timer, and an edge function doesn't live long enough for that.
      clearExpiredByTimeout: false,
      // Refuses a blocked client without asking the database again.
      inMemoryBlockOnConsumed: points + 1,
    });
  const limiters = new Map([...LIMITS, ...AROUND].map((limit) => [limit, limiterOf(limit)]));
  let pausedUntil = 0;

  const count: typeof own.count = async (limit, key, more) => {
    const limiter = limiters.get(limit);
    if (!limiter || performance.now() < pausedUntil) return own.count(limit, key, more);
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('It takes too long')), SHARED_MS);
    });
    try {
      return await Promise.race([late, limiter.consume(key, more)]);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes)
        // Without asking the database, it doesn't say how many there were.
        return { msBeforeNext: refusal.msBeforeNext, consumedPoints: refusal.consumedPoints || Infinity };
      if (performance.now() >= pausedUntil)
        log.warn({ err: refusal }, 'the database does not count clients; this instance counts by itself');
      pausedUntil = performance.now() + SHARED_PAUSE_MS;
      return own.count(limit, key, more);
    }
  };

  return {
    count,
    async forgetExpired(): Promise<void> {
      await own.forgetExpired();
      try {
        // An end further away than a window is long came from a fast clock, and would block a client until then.
        const ended = 'delete from rate_limit where expire < $1 or expire > $1::bigint + $2';
        await pool.query(ended, [Date.now(), HOUR]);
        for (const limiter of limiters.values()) limiter.deleteInMemoryBlockedAll();
      } catch (error) {
        log.warn({ err: error }, 'addresses that are no longer counted could not be forgotten yet');
      }
    },
  };
}
