import { setImmediate } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { createLog } from '../../../server/log.ts';
import { eachMessage } from '../../../server/messages/queries.ts';
import { isAny, type Message } from '../../../server/messages/table.ts';
import { createOutbox } from '../../../server/outbox/loop.ts';
import { readSettings } from '../../../settings/settings.ts';
import { openFile } from '../database/new-database.ts';
import { createStore } from '../database/open-store.ts';
import { MESSAGE, START, temporaryFolder } from './open-test-service.ts';

export const SECOND = 1_000;
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

const fault = (facts: object) => () => Object.assign(new Error('no'), facts);
export const unreachable = fault({ code: 'ECONNECTION', command: 'CONN' });
export const wrongPassword = fault({ code: 'EAUTH', responseCode: 535 });
export const busy = fault({ responseCode: 451, command: 'DATA' });
export const refusal = fault({ responseCode: 550, command: 'DATA' });
export const mailboxFull = fault({ responseCode: 552, command: 'RCPT TO' });
export const noAnswer = fault({ code: 'EABORT' });

type Options = {
  mailPerHour?: number;
  /** Whether timers go by the fake time too, for the loop. */
  timers?: boolean;
};

/** The outbox with a stored queue and whoever takes the mails, in a time that only the test moves. */
export async function openOutbox({ mailPerHour = 100, timers }: Options = {}) {
  vi.useFakeTimers({ toFake: ['Date', 'performance', ...(timers ? TIMERS : [])], now: START });
  vi.spyOn(Math, 'random').mockReturnValue(0);
  /** How long each mail may take, and how to say that it's over. */
  const limits: { ms: number; end: () => void }[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    limits.push({ ms, end: () => controller.abort() });
    return controller.signal;
  });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const database = await openFile();
  const store = createStore(database);
  const lines: { level: number; msg: string; [fact: string]: unknown }[] = [];
  const tried: string[] = [];
  let deliver = async (_message: Message, _signal: AbortSignal): Promise<unknown> => null;
  const settings = readSettings({ MAIL_PER_HOUR: `${mailPerHour}`, MAIL_DIR: temporaryFolder() });
  const another = () =>
    createOutbox({
      async deliver(message, signal) {
        tried.push(message.message);
        const refusal = await deliver(message, signal);
        return typeof refusal === 'string' ? refusal : null;
      },
      database,
      settings,
      log: createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) }),
    });
  const outbox = another();
  return {
    database,
    store,
    outbox,
    another,
    limits,
    lines,
    tried,
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
    async run(ms: number, withinMs?: number) {
      vi.advanceTimersByTime(Math.max(0, START + ms - Date.now()));
      return Object.values(await outbox.runDue(withinMs));
    },
    async messages() {
      const found: Message[] = [];
      for await (const message of eachMessage(database, isAny, 'oldest first')) found.push(message);
      return found;
    },
    said: () => lines.map(({ level, msg }) => `${level} ${msg}`),
  };
}

/** Lets the loop run on for so many milliseconds. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

export const noRoom = async (): Promise<never> => {
  throw new Error('Ana: no room');
};
