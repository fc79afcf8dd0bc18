import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, machineClock } from '../../../server/clock.ts';
import { createLog } from '../../../server/log.ts';
import type { Message } from '../../../server/messages/message.ts';
import { openDatabase } from '../../../server/messages/open.ts';
import { eachMessage } from '../../../server/messages/queries.ts';
import { createStore, type Store } from '../../../server/messages/store.ts';
import { createOutbox } from '../../../server/outbox/outbox.ts';
import { newPostgresDatabase } from '../database/test-postgres.ts';
import { MESSAGE, START, temporaryFolder } from './open-test-service.ts';

/* The outbox on a clock that only the test moves, with a stored queue and whoever takes the mails. */

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const fault = (facts: object) => () => Object.assign(new Error('no'), facts);
export const unreachable = fault({ code: 'ECONNECTION', command: 'CONN' });
export const wrongPassword = fault({ code: 'EAUTH', responseCode: 535 });
export const busy = fault({ responseCode: 451, command: 'DATA' });
export const refusal = fault({ responseCode: 550, command: 'RCPT TO' });
export const noAnswer = fault({ code: 'EABORT' });

/** A clock that only the test moves, and all that was asked of it. */
function testClock() {
  const time = { now: START, ticks: 0 };
  const timers = new Map<{ run: () => void }, number>();
  const waited: number[] = [];
  const limits: { ms: number; end: () => void }[] = [];
  const clock: Clock = {
    ...machineClock,
    now: () => time.now,
    ticks: () => time.ticks,
    random: () => 0,
    async wait(ms, signal) {
      waited.push(ms);
      signal?.throwIfAborted();
    },
    timeout(ms) {
      const controller = new AbortController();
      limits.push({ ms, end: () => controller.abort() });
      return controller.signal;
    },
    after(ms, run) {
      const timer = { run };
      timers.set(timer, ms);
      return () => void timers.delete(timer);
    },
  };
  /** Runs what was to run after these milliseconds. */
  const fire = (wanted: number) => {
    for (const [timer, ms] of [...timers]) {
      if (ms !== wanted) continue;
      timers.delete(timer);
      timer.run();
    }
  };
  return { clock, time, timers, waited, limits, fire };
}

type Engine = 'sqlite' | 'postgres';
type Options = { mailPerHour?: number; changes?: (store: Store) => Partial<Store> };

export async function openOutbox(engine: Engine, { mailPerHour = 100, changes = () => ({}) }: Options = {}) {
  const database = await openDatabase(
    engine === 'sqlite'
      ? { engine, file: join(temporaryFolder(), 'contact.db') }
      : { engine, url: await newPostgresDatabase() },
  );
  onTestFinished(() => database.close());
  const store = createStore(database, { mailDomain: 'example.com', leaseClock: 'caller' });
  const { clock, time, timers, ...rest } = testClock();
  const lines: { level: number; msg: string; [fact: string]: unknown }[] = [];
  const erased: string[] = [];
  const tried: string[] = [];
  let deliver = async (_message: Message, _signal: AbortSignal): Promise<void> => undefined;
  const another = () =>
    createOutbox({
      store: { ...store, ...changes(store) },
      async deliver(message, signal) {
        tried.push(message.message);
        await deliver(message, signal);
      },
      log: createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) }),
      clock,
      mailPerHour,
      onErased: async (id) => void erased.push(id),
    });
  const outbox = another();
  const at = (ms: number) => Object.assign(time, { now: START + ms, ticks: ms });
  return {
    ...rest,
    database,
    store,
    outbox,
    another,
    time,
    timers,
    lines,
    erased,
    tried,
    at,
    /** What becomes of each mail from now on. */
    whenMailed(next: typeof deliver) {
      deliver = next;
    },
    fail(error?: () => Error) {
      deliver = async () => {
        if (error) throw error();
      };
    },
    add: (message: string, ms = 0, sentBefore = 0) =>
      store.add({ ...MESSAGE, message }, { now: START + ms, sentBefore }),
    /** So many milliseconds after the start. Returns how many were sent, failed and were set aside. */
    async run(ms: number, limits = {}) {
      at(ms);
      return Object.values(await outbox.runDue({ now: time.now, ...limits }));
    },
    async messages() {
      const found: Message[] = [];
      for await (const message of eachMessage(database, {}, 'oldest first')) found.push(message);
      return found;
    },
    said: () => lines.map(({ level, msg }) => `${level} ${msg}`),
    /** What the loop waits for, in milliseconds. */
    turns: () => [...timers.values()],
    /** Runs what the loop asked for next, and returns for how long it then waits. */
    async turn() {
      const [next] = timers;
      if (!next) throw new Error('the loop waits for nothing');
      timers.delete(next[0]);
      next[0].run();
    },
  };
}

export const noRoom = async (): Promise<never> => {
  throw new Error('Ana: no room');
};
