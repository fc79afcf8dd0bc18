import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Log } from '../log.ts';
import type { Database, PostgresDatabase } from '../messages/database.ts';
import { networksOf } from './client.ts';

/**
 * A lot for people sharing one address, such as an office or a phone network; little for a program. Every message sent
 * counts, even a faulty or repeated one.
 */
const WINDOWS = [
  { messages: 30, seconds: 60 },
  { messages: 150, seconds: 60 * 60 },
];
/** The /48 around an IPv6 client may send four times as much, so there a message costs a quarter. */
const COST = 4;
const COST_AROUND = 1;
const LIMITS = WINDOWS.map(({ messages, seconds }) => ({ points: messages * COST, duration: seconds }));
const LONGEST_MS = 60 * 60 * 1000;

/** Of windows of clients. Beyond it, those seen longest ago are forgotten. About 10 MB when full. */
export const MOST_REMEMBERED = 40_000;

/** A visitor waits at most this long for the shared counts. After they fail, nobody waits for them during the pause. */
const SHARED_MS = 1_000;
const SHARED_PAUSE_MS = 5_000;

/** How many points a window holds with these, and in how many milliseconds it ends. */
type Count = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;
/** Counts so many points in each window; 0 only asks. */
type Counter = (key: string, points: number) => Promise<Count[]>;

/** `wait` is in seconds if this was one message too many, else 0; `before` is how many were sent within the hour. */
type Counted = { wait: number; before: number };

export type RateLimits = {
  /** Counts one message from the client at this address. */
  countClient(address: string): Promise<Counted>;
  /** Counts one more of anything, or at a cost of 0 only asks. */
  count(key: string, cost?: 0 | 1): Promise<Counted>;
  /** Call about once a minute: forgets addresses whose windows have ended. */
  forgetExpired(): Promise<void>;
};

/** A single instance counts in memory; on Postgres there may be several, which count together. */
export function createRateLimits({ database, log }: { database: Database; log: Log }): RateLimits {
  const own = ownCounter();
  const { counter, forgetExpired } = database.engine === 'sqlite' ? own : sharedCounter(database, own, log);

  async function countIn(key: string, points: number): Promise<Counted[]> {
    const counts = await counter(key, points);
    return counts.map(({ consumedPoints, msBeforeNext }, at) => {
      const { points: most, duration } = LIMITS[at] ?? { points: 0, duration: 0 };
      const wait = Math.min(duration, Math.max(1, Math.ceil(msBeforeNext / 1000)));
      return { wait: consumedPoints > most ? wait : 0, before: (consumedPoints - points) / COST };
    });
  }
  // The longest window has seen the most.
  const overall = (windows: Counted[]): Counted => ({
    wait: Math.max(...windows.map(({ wait }) => wait)),
    before: Math.max(...windows.map(({ before }) => before)),
  });
  return {
    forgetExpired,
    count: async (key, cost = 1) => overall(await countIn(key, cost * COST)),
    async countClient(address) {
      const { own: ofClient, around } = networksOf(address);
      const client = overall(await countIn(ofClient, COST));
      // Whoever sends too much uses nothing up for its neighbours.
      if (around === undefined || client.wait > 0) return client;
      // Not by the hour: a newcomer waits a minute at most, whatever its neighbours send.
      const [minute] = await countIn(around, COST_AROUND);
      return { ...client, wait: minute?.wait ?? 0 };
    },
  };
}

function ownCounter() {
  /** By key and window, in the order in which they were last counted. */
  const counts = new Map<string, { points: number; ends: number }>();

  function count(id: string, points: number, ms: number): Count {
    const now = performance.now();
    const last = counts.get(id);
    const is = last && now < last.ends ? last : { points: 0, ends: now + ms };
    is.points += points;
    counts.delete(id);
    counts.set(id, is);
    // Forgetting lets a flood from very many addresses through; refusing strangers would lock everyone out. Many at a
    // time, since it takes a while to find the first.
    if (counts.size > MOST_REMEMBERED)
      for (const oldest of counts.keys().take(MOST_REMEMBERED / 10)) counts.delete(oldest);
    return { consumedPoints: is.points, msBeforeNext: is.ends - now };
  }
  return {
    counter: async (key: string, points: number) =>
      LIMITS.map(({ duration }) => count(`${duration}s:${key}`, points, duration * 1000)),
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
  // Without the library's named statements, which a pooler of connections mixes up.
  const query = ({ text, values }: { text: string; values?: unknown[] }) => pool.query(text, values);
  const limiters = LIMITS.map(
    (limit) =>
      new RateLimiterPostgres({
        ...limit,
        ...{ storeClient: { query }, storeType: 'client', tableName: 'rate_limit', tableCreated: true },
        keyPrefix: `${limit.duration}s`,
        // It would use a timer, and an edge function doesn't live long enough for that.
        clearExpiredByTimeout: false,
        // Refuses a blocked client without asking the database again.
        inMemoryBlockOnConsumed: limit.points + 1,
      }),
  );
  const refused = (refusal: unknown): Count => {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    // Without asking the database, it doesn't say how many there were.
    return { msBeforeNext: refusal.msBeforeNext, consumedPoints: refusal.consumedPoints || Infinity };
  };
  let pausedUntil = 0;
  const counter: Counter = async (key, points) => {
    if (performance.now() < pausedUntil) return own.counter(key, points);
    try {
      const counts = limiters.map((limiter) => limiter.consume(key, points).catch(refused));
      return await inTime(Promise.all(counts), SHARED_MS);
    } catch (error) {
      pausedUntil = performance.now() + SHARED_PAUSE_MS;
      log.warn({ err: error }, 'the database does not count clients; this instance counts by itself');
      return own.counter(key, points);
    }
  };
  return {
    counter,
    async forgetExpired(): Promise<void> {
      await own.forgetExpired();
      try {
        // An expiry further away than a window lasts came from a clock that ran ahead, and would block a client until
        // then.
        const ended = 'delete from rate_limit where expire < $1 or expire > $1::bigint + $2';
        await pool.query(ended, [Date.now(), LONGEST_MS]);
        for (const limiter of limiters) limiter.deleteInMemoryBlockedAll();
      } catch (error) {
        log.warn({ err: error }, 'addresses that are no longer counted could not be forgotten yet');
      }
    },
  };
}
function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('It takes too long')), ms);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
