import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Clock } from '../../server/clock.ts';
import { randomFrom } from '../support/service/random.ts';

/** Nobody waits for real time here: a moment is over when nothing happens in it any more. */
const nextTurn = globalThis.setImmediate;
const SECOND = 1_000;
/** What looks each second looks this much more rarely, or most of the time would go by looking. */
const MORE_RARELY = 10;
/** Forty visitors at once make some hundreds. */
const MOST_A_SECOND = 5_000;

/** Whose events they are. A dead process's never happen; a frozen one's happen when it's thawed. */
export type Process = { name: string; bornAt: number; isDead: boolean; frozenUntil: number };

type Event = { at: number; order: number; process: Process; run: () => void };

export type World = ReturnType<typeof createWorld>;

/**
 * Virtual time and seeded chance for several processes at once. Their promises are real; what they wait for is decided
 * here. It also keeps a trace, whose hash is the same whenever the seed is.
 */
export function createWorld(seed: number, startsAt: number) {
  const random = randomFrom(seed);
  const noise = Buffer.from(Array.from({ length: 2 ** 15 }, () => Math.floor(random() * 256)));
  const trace = createHash('sha256');
  const story: string[] = [];
  const queue: Event[] = [];
  let time = startsAt;
  let order = 0;
  let shift = 0;
  let ids = 0;
  let [round, roundSince] = [0, startsAt];

  function add(event: Event): void {
    let index = queue.length;
    while (index > 0 && isAfter(queue[index - 1], event)) index -= 1;
    queue.splice(index, 0, event);
  }

  /** Returns how to call it off. */
  function after(process: Process, ms: number, run: () => void): () => void {
    const own = order++;
    add({ at: time + Math.max(0, ms), order: own, process, run });
    return () => {
      const index = queue.findIndex((event) => event.order === own);
      if (index >= 0) queue.splice(index, 1);
    };
  }

  function every(process: Process, ms: number, run: () => void): () => void {
    let callOff = () => {};
    const plan = (): void => {
      callOff = after(process, ms > SECOND ? ms : MORE_RARELY * ms, () => {
        plan();
        run();
      });
    };
    plan();
    return () => callOff();
  }

  /** Makes the next event happen, if there's one by then, and waits until it has had all its effects. */
  async function step(until: number): Promise<boolean> {
    const [event] = queue;
    if (!event || event.at > until) return false;
    queue.shift();
    if (event.process.isDead) return true;
    if (event.process.frozenUntil > event.at) {
      add({ ...event, at: event.process.frozenUntil });
      return true;
    }
    time = Math.max(time, event.at);
    if (time >= roundSince + SECOND) [roundSince, round] = [time, 0];
    round += 1;
    if (round > MOST_A_SECOND) throw new Error('it goes round in circles');
    event.run();
    await settle();
    return true;
  }

  function clockOf(process: Process): Clock {
    const wait: Clock['wait'] = (ms, signal) =>
      new Promise((resolve, reject) => {
        const callOff = after(process, ms, () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        });
        const abort = () => {
          callOff();
          reject(signal?.reason);
        };
        if (signal?.aborted) abort();
        else signal?.addEventListener('abort', abort, { once: true });
      });
    const bytes = (count: number) => {
      const from = Math.floor(random() * (noise.length - count));
      return noise.subarray(from, from + count);
    };
    return {
      now: () => Math.round(time + shift),
      ticks: () => time - process.bornAt,
      wait,
      timeout(ms) {
        const late = new AbortController();
        after(process, ms, () => late.abort(new DOMException('Too late', 'TimeoutError')));
        return late.signal;
      },
      after: (ms, run) => after(process, ms, run),
      every: (ms, run) => every(process, ms, run),
      soon: (run) => void after(process, 0, run),
      random,
      bytes,
      id: () => uuidv7({ msecs: Math.round(time + shift), seq: ids++, random: bytes(16) }),
    };
  }

  return {
    random,
    /** What it is, whatever anybody's clock shows. In milliseconds since 1970. */
    now: () => time,
    /** What the machine's clock shows. */
    wallTime: () => Math.round(time + shift),
    /** Somebody sets the machine's clock; 0 sets it right. */
    setClock(by: number): void {
      shift = by === 0 ? 0 : shift + by;
    },
    after,
    step,
    async advance(ms: number): Promise<void> {
      const until = time + ms;
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
      if (!isDone) throw new Error(`what should take at most ${withinMs / SECOND} s isn't done`);
      return work;
    },
    settle,
    /** A line of what happened, for the trace and for people. */
    note(text: string): void {
      const line = `${new Date(time).toISOString()} ${text}`;
      trace.update(`${line}\n`);
      story.push(line);
    },
    story,
    hash: () => trace.copy().digest('hex').slice(0, 16),
    clockOf,
  };
}

function isAfter(one: Event | undefined, other: Event): boolean {
  return one !== undefined && (one.at > other.at || (one.at === other.at && one.order > other.order));
}

/** Until every promise that can has gone on, and what was asked of the disk is done. */
async function settle(): Promise<void> {
  do await new Promise<void>((resolve) => void nextTurn(resolve));
  while (process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq')));
}
