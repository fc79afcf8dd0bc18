import type { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
// Deno has no global one.
import { setImmediate } from 'node:timers';
import { setTimeout as wait } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';

/**
 * Time and chance. The server rooms have no others (clock.grit), so a test that gives them its own decides both.
 */
export type Clock = {
  /** Milliseconds since 1970. Somebody may set it, forward or back. */
  now: () => number;
  /** Milliseconds since some moment. Nobody sets it, so it's for durations. */
  ticks: () => number;
  /** Rejects as soon as the signal aborts. */
  wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Aborts after that time. Keeps no process alive. */
  timeout: (ms: number) => AbortSignal;
  after: (ms: number, run: () => void) => Cancel;
  /** Keeps no process alive. */
  every: (ms: number, run: () => void) => Cancel;
  /** Once the program has read what's come in by now. */
  soon: (run: () => void) => void;
  /** From 0 up to, but not including, 1. */
  random: () => number;
  bytes: (count: number) => Buffer;
  /** A new UUID. Later ones sort after earlier ones. */
  id: () => string;
};

type Cancel = () => void;

/** This machine's. */
export const machineClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  wait: (ms, signal) => wait(ms, undefined, { signal }),
  timeout: (ms) => AbortSignal.timeout(ms),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
  soon: setImmediate,
  random: () => Math.random(),
  bytes: randomBytes,
  id: () => uuidv7(),
};

/** @throws if it takes longer */
export function inTime<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T> {
  let cancel: Cancel | undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(new Error('It takes too long')));
  });
  return Promise.race([work, late]).finally(cancel);
}
