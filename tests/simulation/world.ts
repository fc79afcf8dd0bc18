import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { v7 as uuidv7 } from 'uuid';
import type { Clock } from '../../messages/clock.ts';
import { randomFrom } from '../random.ts';

/** Nobody waits for real time here: a moment is over when nothing happens in it any more. */
const nextTurn = globalThis.setImmediate;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Once nothing has happened for so long, and the site says that all is well, looks come so many times more rarely. */
const CALM_AFTER = 30 * MINUTE;
const MORE_RARELY = 10;
/** Forty visitors at once make some hundreds. */
const MOST_A_SECOND = 5_000;

// Preparing statements would take half of the time, and they're the same again and again.
const { prepare } = Sqlite.prototype;
const prepared = new WeakMap<object, Map<string, unknown>>();
Sqlite.prototype.prepare = function (this: Sqlite.Database, sql: string) {
  const own = prepared.get(this) ?? new Map();
  prepared.set(this, own);
  const statement = own.get(sql) ?? prepare.call(this, sql);
  own.set(sql, statement);
  return statement;
} as typeof prepare;

/** Nobody holds the file for longer than a step here, so nobody waits for it, and being told how long takes time. */
const { pragma } = Sqlite.prototype;
Sqlite.prototype.pragma = function (this: Sqlite.Database, source: string, options?: Sqlite.PragmaOptions) {
  return source.startsWith('busy_timeout') ? 5_000 : pragma.call(this, source, options);
};

/** Whose events they are. A dead process's never happen; a frozen one's happen when it's thawed. */
export type Process = { name: string; bornAt: number; isDead: boolean; frozenUntil: number };

type Event = {
  at: number;
  order: number;
  process: Process;
  run: () => void;
  /** How often it looks, if looking finds nothing unless something has happened. */
  watches?: number;
  /** How soon it would come if the world weren't at rest. */
  usually?: number;
};

export type World = ReturnType<typeof createWorld>;

/**
 * Virtual time and seeded chance for several processes at once. Their promises are real; what they wait for is decided
 * here. It also keeps a trace, whose hash is the same whenever the seed is.
 */
export function createWorld(seed: number, startsAt: number) {
  const random = randomFrom(seed);
  const noise = Buffer.from(Array.from({ length: 2 ** 15 }, () => Math.floor(random() * 256)));
  const trace = createHash('sha256');
  const queue: Event[] = [];
  let resting: Event[] = [];
  let time = startsAt;
  let order = 0;
  let shift = 0;
  let ids = 0;
  let events = 0;
  let broken: Error | undefined;
  let round = 0;
  let roundSince = startsAt;
  let stirredAt = startsAt;
  let isCalm = false;
  const told: string[] = [];

  function add(event: Event): void {
    let index = queue.length;
    while (index > 0 && isAfter(queue[index - 1], event)) index -= 1;
    queue.splice(index, 0, event);
  }

  /** A look that's made each minute. */
  const planned = (ms: number) =>
    isCalm && ms >= MINUTE ? { at: time + MORE_RARELY * ms, usually: ms } : { at: time + Math.max(0, ms) };

  /** Something happens: looks come as often as ever. */
  function stir(): void {
    stirredAt = time;
    if (!isCalm) return;
    isCalm = false;
    const rare = queue.filter(({ usually }) => usually !== undefined);
    for (const { usually = MINUTE, ...event } of rare) {
      queue.splice(
        queue.findIndex(({ order }) => order === event.order),
        1,
      );
      add({ ...event, at: event.at - usually * Math.max(0, Math.ceil((event.at - time) / usually) - 1) });
    }
  }

  /** Returns how to call it off. */
  function after(
    process: Process,
    ms: number,
    run: () => void,
    at: Pick<Event, 'at' | 'usually'> = { at: time + Math.max(0, ms) },
  ): () => void {
    const own = order++;
    add({ ...at, order: own, process, run });
    return () => {
      const index = queue.findIndex((event) => event.order === own);
      if (index >= 0) queue.splice(index, 1);
    };
  }

  /**
   * What a process looks after every second is only looked after when something has happened since it last looked;
   * otherwise, looking wouldn't find anything, and a year has 31 million seconds.
   */
  function every(process: Process, ms: number, run: () => void): () => void {
    let isOver = false;
    const plan = (): void =>
      add({ ...planned(ms), order: order++, process, run: look, ...(ms <= SECOND && { watches: ms }) });
    function look(): void {
      if (isOver) return;
      run();
      if (ms > SECOND) plan();
      else resting.push({ at: time, order: 0, process, run: look, watches: ms });
    }
    plan();
    return () => {
      isOver = true;
    };
  }

  function awaken(): void {
    if (resting.length === 0) return;
    for (const event of resting) {
      const ms = event.watches ?? SECOND;
      add({ ...event, at: event.at + ms * (Math.floor((time - event.at) / ms) + 1), order: order++ });
    }
    resting = [];
  }

  /** Makes the next event happen, if there's one by then, and waits until it has had all its effects. */
  async function step(until: number): Promise<boolean> {
    const [event] = queue;
    if (broken || !event || event.at > until) return false;
    queue.shift();
    if (event.process.isDead) return true;
    if (event.process.frozenUntil > event.at) {
      add({ ...event, at: event.process.frozenUntil });
      return true;
    }
    time = Math.max(time, event.at);
    events += 1;
    if (time >= roundSince + SECOND) [roundSince, round] = [time, 0];
    round += 1;
    if (round > MOST_A_SECOND) world.end(new Error('it goes round in circles'));
    if (event.watches === undefined) awaken();
    event.run();
    await settle();
    return true;
  }

  const world = {
    random,
    /** What it is, whatever anybody's clock shows. In milliseconds since 1970. */
    now: () => time,
    /** What the machine's clock shows. */
    wallTime: () => Math.round(time + shift),
    /** Somebody sets the machine's clock. */
    setClock(by: number): void {
      shift = by === 0 ? 0 : shift + by;
    },
    isClockRight: () => shift === 0,
    events: () => events,
    /** Ends it: from now on, nothing happens. */
    end(why: Error): void {
      broken ??= why;
    },
    broken: () => broken,
    /** All is well, and nobody waits for anything. */
    calm(): void {
      if (time - stirredAt >= CALM_AFTER) isCalm = true;
    },
    isCalm: () => isCalm,
    after,
    step,
    async advance(ms: number): Promise<void> {
      const until = time + ms;
      awaken();
      while (await step(until));
      time = until;
    },
    /** Until the work is done. */
    async finish<T>(work: Promise<T>, withinMs: number): Promise<T> {
      let isDone = false;
      const done = () => {
        isDone = true;
      };
      work.then(done, done);
      await settle();
      const until = time + withinMs;
      while (!isDone && (await step(until)));
      if (!isDone) throw broken ?? new Error(`what should take at most ${withinMs / SECOND} s isn't done`);
      return work;
    },
    settle,
    /** A line of what happened, for the trace and for people. */
    note(text: string): void {
      stir();
      const line = `${new Date(time).toISOString()} ${text}`;
      trace.update(`${line}\n`);
      told.push(line);
    },
    story: () => told,
    hash: () => trace.copy().digest('hex').slice(0, 16),
    clockOf(process: Process): Clock {
      const wait: Clock['wait'] = (ms, signal) =>
        new Promise((resolve, reject) => {
          const stop = after(process, ms, () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          });
          const abort = () => {
            stop();
            reject(signal?.reason);
          };
          if (signal?.aborted) abort();
          else signal?.addEventListener('abort', abort, { once: true });
        });
      return {
        now: world.wallTime,
        ticks: () => time - process.bornAt,
        wait,
        timeout(ms) {
          const late = new AbortController();
          after(process, ms, () => late.abort(new DOMException('Too late', 'TimeoutError')));
          return late.signal;
        },
        after: (ms, run) => after(process, ms, run, planned(ms)),
        every: (ms, run) => every(process, ms, run),
        soon: (run) => void after(process, 0, run),
        random,
        bytes(count) {
          const from = Math.floor(random() * (noise.length - count));
          return noise.subarray(from, from + count);
        },
        id() {
          ids += 1;
          const from = Math.floor(random() * (noise.length - 16));
          return uuidv7({ msecs: world.wallTime(), seq: ids, random: noise.subarray(from, from + 16) });
        },
      };
    },
  };
  return world;
}

function isAfter(one: Event | undefined, other: Event): boolean {
  return one !== undefined && (one.at > other.at || (one.at === other.at && one.order > other.order));
}

/** Until every promise that can has gone on, and what was asked of the disk is done. */
async function settle(): Promise<void> {
  do await new Promise<void>((resolve) => void nextTurn(resolve));
  while (process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq')));
}
